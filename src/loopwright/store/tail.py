"""A file that others append to, read as it grows."""

import os
from pathlib import Path
from typing import BinaryIO, NamedTuple

STRETCH = 1 << 18
"""Bytes."""


class FileTail:
    """The lines that are appended to a file; a line without its end is left for the next look.

    A file that is not there yet, is put in the place of another one or begins anew is read from its beginning.
    """

    def __init__(self, path: Path, *, from_end: bool = False) -> None:
        self._path = path
        self._at = 0
        self._file: int | None = None
        if from_end and path.exists():
            known = path.stat()
            self._at, self._file = known.st_size, known.st_ino

    def lines(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                found = os.fstat(file.fileno())
                if found.st_size < self._at or self._file not in (None, found.st_ino):
                    self._at = 0
                self._file = found.st_ino
                file.seek(self._at)
                fresh = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return []
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._at += len(whole)
        return whole.decode(errors="replace").split("\n")[:-1]


class TailLine(NamedTuple):
    """A whole line, and the offset behind it."""

    text: bytes
    end: int


class TailSlice(NamedTuple):
    """Lines from offset `at` on. `file`: its inode, None where there is none. `more`: there are further lines."""

    at: int
    lines: tuple[TailLine, ...]
    file: int | None
    more: bool


def lines_from(path: Path, at: int, file: int | None = None, most: int = STRETCH) -> TailSlice:
    """About `most` bytes of lines from offset `at` on: of the file that was read before, if one is named.

    Where it is another file by now, is shorter, or has no line that begins there, it is read from its beginning.
    """
    try:
        with path.open("rb") as opened:
            found = os.fstat(opened.fileno())
            if at and (file not in (None, found.st_ino) or not _begins_line(opened, at)):
                at = 0
            opened.seek(at)
            data = opened.read(most)
            if b"\n" not in data and len(data) == most:
                data += opened.readline()
    except (FileNotFoundError, NotADirectoryError):
        return TailSlice(at, (), None, False)
    lines, end = list[TailLine](), at
    for text in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
        end += len(text)
        lines.append(TailLine(text, end))
    return TailSlice(at, tuple(lines), found.st_ino, at + len(data) < found.st_size and bool(lines))


def whole_lines_end(path: Path) -> int:
    """The offset behind the last whole line; 0 where there is none."""
    try:
        with path.open("rb") as opened:
            end = opened.seek(0, os.SEEK_END)
            while end:
                start = max(0, end - STRETCH)
                opened.seek(start)
                if (found := opened.read(end - start).rfind(b"\n")) >= 0:
                    return start + found + 1
                end = start
    except (FileNotFoundError, NotADirectoryError):
        pass
    return 0


def _begins_line(file: BinaryIO, at: int) -> bool:
    file.seek(at - 1)
    return file.read(1) == b"\n"
