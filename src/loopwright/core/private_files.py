"""Folders and files that are this user's alone, whatever the umask would let others do; and files that are not."""

import contextlib
import errno
import os
import stat
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_private_folder(folder: Path) -> None:
    """Creates it where it is missing, and what is missing above it."""
    try:
        folder.mkdir(FOLDER_MODE)
    except FileNotFoundError:
        make_private_folder(folder.parent)
        make_private_folder(folder)
    except FileExistsError:
        if not folder.is_dir():
            raise


def close_to_others(folder: Path) -> None:
    """A folder of ours that an older version left open."""
    with contextlib.suppress(OSError):
        found = os.lstat(folder)
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and found.st_mode & 0o077:
            folder.chmod(FOLDER_MODE)


def open_private(path: str, flags: int) -> int:
    """As the `opener` of `open`."""
    return os.open(path, flags, FILE_MODE)


MOST_READ = 1 << 30
"""Bytes of one file: more than any report has, and less than a machine's memory."""


def read_regular(path: Path, offset: int = 0, most: int = MOST_READ) -> bytes:
    """Of a folder in which programs of a run write. FileNotFoundError for what is no regular file: a link leads to what
    is not theirs, a pipe is waited for without an end, and a device has none.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link; a socket
            raise FileNotFoundError(errno.ENOENT, "there is no regular file", str(path)) from error
        raise
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileNotFoundError(errno.ENOENT, "there is no regular file", str(path))
        file.seek(offset)
        return file.read(most)
