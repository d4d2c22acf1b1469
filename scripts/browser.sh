#!/bin/sh
# Installs Chromium for the browser tests, where there is none.
set -eu
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "Chromium is missing, and this system has no apt-get: install Chromium, or name a browser in \$CHROMIUM" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "Chromium is missing; as root: apt-get install chromium" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "Installing Chromium ..."
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
