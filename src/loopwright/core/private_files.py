"""Folders and files that are this user's alone, whatever the umask would let others do."""

import contextlib
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
