"""The last first run of a project, kept in memory for who asks about the same files next: diagnosis, then search."""

import os
from collections.abc import Iterator
from pathlib import Path

Key = tuple[object, ...]


class BaselineCache:
    """One measured project at a time."""

    def __init__(self) -> None:
        self._key: Key = ()
        self._data = b""

    def fetch(self, key: Key, into: Path) -> None:
        """Writes what was measured under this key, if that is the last that was kept."""
        if key == self._key:
            into.write_bytes(self._data)

    def keep(self, key: Key, found: Path) -> None:
        """Takes what was measured, if anything was."""
        if key != self._key and found.exists():
            self._key, self._data = key, found.read_bytes()


def files_below(tree: Path) -> tuple[tuple[str, int, int], ...]:
    """Relative path, size and time of change (ns) of each file, also where links lead nowhere."""
    return tuple(sorted(_files(tree, "")))


def _files(tree: Path, below: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(tree / below) as entries:
        for entry in entries:
            path = f"{below}/{entry.name}".lstrip("/")
            if entry.is_dir(follow_symlinks=False):
                yield from _files(tree, path)
            else:
                state = entry.stat(follow_symlinks=False)
                yield path, state.st_size, state.st_mtime_ns
