"""The Chromium that tests, screenshots and benches look through."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
INSTALL = (
    "no Chromium was found. On Debian and Ubuntu: apt-get install chromium; on Fedora: dnf install chromium; on Arch:"
    " pacman -S chromium; elsewhere install Chromium or Google Chrome, and name its program in $CHROMIUM"
)
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Missing(Exception):
    """There is no Chromium; says how to get one."""


def program() -> str:
    """Its path. Missing."""
    for name in (os.environ.get("CHROMIUM", ""), *NAMES):
        if name and (path := shutil.which(name)) is not None:
            return path
    raise Missing(INSTALL)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running one, with a profile of its own that is gone afterwards."""
    path = program()
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=path, args=flags) as browser:
        yield browser
