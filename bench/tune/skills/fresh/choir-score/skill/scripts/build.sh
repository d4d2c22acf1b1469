#!/usr/bin/env bash
# build.sh FILE.ly ...   compiles into out/, stops at the first file that fails
set -euo pipefail
mkdir -p out
for f in "$@"; do
  name=$(basename "$f" .ly)
  if ! timeout 120 lilypond --loglevel=WARN -o "out/$name" "$f" 2> "out/$name.log"; then
    echo "failed: $f" >&2
    head -n 20 "out/$name.log" >&2
    exit 1
  fi
  # warnings do not stop LilyPond, but they stop us reading the PDF as done
  if [ -s "out/$name.log" ]; then
    echo "warnings: $f" >&2
    head -n 20 "out/$name.log" >&2
  fi
done
