"""Progress files for whoever looks from elsewhere: only what lies in their own folder, and only so much."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from loopwright.core.errors import Invalid, NotFound

LONGEST = 1 << 20
"""Bytes of one file that are shown."""

CHUNK = 1 << 16
DEEPEST = 3
"""Parts of a name: a role's folder, its history, a file."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class ProgressFile:
    """`size` in bytes."""

    name: str
    size: int
    modified_at: str


class FileText(NamedTuple):
    text: str
    truncated: bool


class LogTail(NamedTuple):
    """The last whole lines; `position` is the byte at which the next one will begin."""

    lines: tuple[str, ...]
    position: int


def list_files(folder: Path, zone: tzinfo | None, under: str = "") -> tuple[ProgressFile, ...]:
    """Every regular file in it, or in the folder `under` it, by name; none where there is no such folder."""
    try:
        with _opened(folder, _parts(under) if under else ()) as inside, os.scandir(inside) as entries:
            found = sorted(
                (entry.name, entry.stat(follow_symlinks=False))
                for entry in entries
                if entry.is_file(follow_symlinks=False) and entry.name.isprintable()
            )
    except FileNotFoundError:
        return ()
    return tuple(
        ProgressFile(
            name, known.st_size, datetime.fromtimestamp(known.st_mtime, zone).isoformat(timespec="milliseconds")
        )
        for name, known in found
    )


def read_text(folder: Path, name: str) -> FileText:
    """A file's beginning, `name` with '/' for one in a folder below. NotFound for what is not listed."""
    with _file(folder, name) as (descriptor, size):
        data = _read(descriptor, 0, min(size, LONGEST))
        return FileText(data.decode("utf-8", "replace"), size > len(data))


def read_bytes(folder: Path, name: str) -> bytes:
    """All of a file of our own. NotFound for what is not listed."""
    with _file(folder, name) as (descriptor, size):
        return _read(descriptor, 0, size)


def read_last_lines(folder: Path, name: str, most: int) -> LogTail:
    """Of the file's last LONGEST bytes. Nothing where there is no such file."""
    try:
        with _file(folder, name) as (descriptor, size):
            start = max(0, size - LONGEST)
            data = _read(descriptor, start, size - start)
    except NotFound:
        return LogTail((), 0)
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.split(b"\n")[1 if start else 0 : -1]
    return LogTail(tuple(line.decode("utf-8", "replace") for line in lines[-most:]), start + len(whole))


@contextmanager
def _opened(folder: Path, below: Sequence[str] = ()) -> Iterator[int]:
    """The folder itself, or one below it; never what a link leads to."""
    descriptor = -1
    try:
        descriptor = os.open(folder, FOLDER)
        for name in below:
            outer, descriptor = descriptor, -1
            try:
                descriptor = os.open(name, FOLDER, dir_fd=outer)
            finally:
                os.close(outer)
        yield descriptor
    except NotADirectoryError as error:  # a link too
        raise FileNotFoundError(folder) from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)


@contextmanager
def _file(folder: Path, name: str) -> Iterator[tuple[int, int]]:
    """A regular file in it, opened, and its size. A pipe in its place is not waited for."""
    *below, last = _parts(name)
    try:
        with _opened(folder, below) as inside:
            descriptor = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=inside)
    except OSError as error:
        raise NotFound(f"no progress file {name}") from error
    try:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise NotFound(f"no progress file {name}")
        yield descriptor, known.st_size
    finally:
        os.close(descriptor)


def _parts(name: str) -> list[str]:
    """Of a name with '/'. Invalid where it would lead elsewhere."""
    parts = name.split("/")
    if len(parts) > DEEPEST or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise Invalid(f"{name!r} is not the name of a progress file")
    return parts


def _read(descriptor: int, at: int, most: int) -> bytes:
    parts = []
    while most > 0 and (part := os.pread(descriptor, min(most, CHUNK), at)):
        parts.append(part)
        at, most = at + len(part), most - len(part)
    return b"".join(parts)
