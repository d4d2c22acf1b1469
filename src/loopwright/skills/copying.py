"""A copy of a skill for somebody to change."""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from loopwright.skills.reading import read_folder

LARGEST = 100_000_000
"""Bytes of a file that is copied; larger ones stay away."""


@contextlib.contextmanager
def copied(root: Path) -> Iterator[Path]:
    """What `read` reads and lists, in a folder of the same name.

    Links are links to copies: what is written through them reaches nothing but the copy, and is no part of it.
    """
    files = read_folder(root)
    with tempfile.TemporaryDirectory(prefix="loopwright-", ignore_cleanup_errors=True) as place:
        folder, beside = Path(place) / files.name, Path(place) / "linked"
        folder.mkdir()
        for name in (*files.files, *files.unread):
            source = root / name
            if name in files.unread and _is_linked(root, name):
                _copy(source, beside / name)
                _link(folder / name, beside / name)
            else:
                _copy(source, folder / name)
        yield folder


def _is_linked(root: Path, name: str) -> bool:
    """Whether a link is on the way to it, or it is one itself."""
    parts = Path(name).parts
    return any(os.path.islink(root.joinpath(*parts[:end])) for end in range(1, len(parts) + 1))


def _link(path: Path, target: Path) -> None:
    if target.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)


def _copy(source: Path, target: Path) -> None:
    """Leaves away what can not be read, is too large, or is gone meanwhile."""
    try:
        found = source.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(stat.S_IMODE(found.st_mode) | stat.S_IWUSR | stat.S_IRUSR)
    except (PermissionError, FileNotFoundError):
        return
