"""The files that show a state to the world: the JSON file and its side files. They follow the journal, unsynced."""

import os
from dataclasses import replace
from operator import is_
from typing import Generic

import orjson

from loopwright.store import patch
from loopwright.store.disk import SPARE, Disk
from loopwright.store.kind import Kind, S
from loopwright.store.known import Known
from loopwright.store.paths import Paths

Signature = tuple[int, int, int]


class Projections(Generic[S]):
    """Every method expects the caller to hold the write lock of the state."""

    def __init__(self, disk: Disk, kind: Kind[S]) -> None:
        self._disk, self._kind = disk, kind
        self._written: dict[str, Signature] = {}

    def write(self, paths: Paths, known: Known[S]) -> Known[S]:
        """Brings all of them up to date. A failure is no error: the journal has it all."""
        assert known.pending is not None
        try:
            for suffix, items in self._kind.side_files.items():
                self._show(paths.side(suffix), items(known.state), items(known.shown) if known.shown else None)
            self._disk.swap(paths.state, known.pending)
        except OSError:
            return known
        return replace(known, file=known.pending, pending=None, behind=0, shown=known.state)

    def tidy(self, paths: Paths) -> None:
        """Removes the spare of the JSON file; the next step makes a new one."""
        self._disk.remove(paths.state + SPARE)

    def _show(self, path: str, items: tuple[object, ...], shown: tuple[object, ...] | None) -> None:
        """Writes a side file anew, unless it still shows the same and nobody has touched it."""
        if shown is None or not _same(items, shown) or _signature(path) != self._written.get(path):
            self._disk.replace(path, _json_lines(items))
            self._written[path] = _signature(path)


def _signature(path: str) -> Signature:
    """Inode, size and time of the last change; zeros where there is no file."""
    try:
        found = os.lstat(path)
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_size, found.st_ctime_ns


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _json_lines(items: tuple[object, ...]) -> bytes:
    return b"".join(orjson.dumps(patch.plain(item), option=orjson.OPT_APPEND_NEWLINE) for item in items)
