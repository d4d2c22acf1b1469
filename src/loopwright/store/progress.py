"""The progress files of one state: projections replaced whole, and logs that only grow.

A name may have folders in it: `ra/history/requirements-v1.0.0.md`.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from loopwright.core.errors import Invalid
from loopwright.core.private_files import make_private_folder
from loopwright.store.disk import CREATE, Disk, quarantine_file
from loopwright.store.paths import StatePaths

DEEPEST = 3
"""Parts of a name: a role's folder, its history, a file."""


def write_files(disk: Disk, paths: StatePaths, files: Mapping[str, bytes]) -> None:
    """Replaces files by rename; not synced."""
    _make(paths.progress)
    for name, data in files.items():
        disk.replace(_inside(paths, name), data)


def append_lines(disk: Disk, paths: StatePaths, name: str, lines: Sequence[bytes]) -> None:
    """Appends whole lines. A torn last line, left by a crash, is cut off first."""
    for line in lines:
        if b"\n" in line.removesuffix(b"\n"):
            raise Invalid(f"a line of {name} cannot hold a line break")
    _make(paths.progress)
    with disk.open(_inside(paths, name), CREATE) as fd:
        size = os.fstat(fd).st_size
        end = _end_of_lines(disk, fd, size)
        if end < size:
            disk.truncate(fd, end)
        disk.append(fd, end, b"".join(line.removesuffix(b"\n") + b"\n" for line in lines))


def _make(folder: Path) -> None:
    """The folder itself: nothing is written through a link in its place."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        quarantine_file(str(folder))
    make_private_folder(folder)


def _end_of_lines(disk: Disk, fd: int, size: int) -> int:
    """Where the last whole line ends: nearly always at the end of the file."""
    end = size
    while end > 0:
        start = max(0, end - 4096)
        found = disk.read_at(fd, start, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _inside(paths: StatePaths, name: str) -> str:
    """The path of that name, its folders made, each of them one itself and no link to one."""
    *above, file = parts = name.split("/")
    if len(parts) > DEEPEST or any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise Invalid(f"{name!r} is not the name of a progress file")
    if paths.is_own(name):
        raise Invalid(f"{name!r} is not the name of a progress file: such names are used for the state itself")
    folder = paths.progress
    for part in above:
        folder = folder / part
        _make(folder)
    return f"{folder}/{file}"
