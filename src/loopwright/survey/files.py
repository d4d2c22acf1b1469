"""One file of a project, read with care: a regular one, and only so much of it."""

import os
import stat
from pathlib import Path

LARGEST = 512 * 1024
"""Bytes of a file that is looked into."""


class Unread(Exception):
    """A file that is not looked into; the text says why."""


def read_text(root: Path, name: str) -> str:
    """The text of a project-relative file. Unread: no regular file, too large, not UTF-8, or a binary."""
    try:
        descriptor = os.open(root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise Unread("can not be opened") from error
    with os.fdopen(descriptor, "rb") as file:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise Unread("is no regular file")
        if known.st_size > LARGEST:
            raise Unread(f"is larger than {LARGEST // 1024} KiB")
        data = file.read(LARGEST + 1)
    if b"\0" in data:
        raise Unread("is binary")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unread("is not UTF-8") from error
