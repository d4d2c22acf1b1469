"""What the Linux kernel tells of changes to files in folders, at the moment they happen."""

import ctypes
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x4, 0x8, 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED, IS_FOLDER = 0x2000, 0x4000, 0x8000, 0x40000000
NO_LINK = 0x1000000 | 0x2000000
"""Asks for a watch only where a folder itself stands, and no link to one."""

_HEAD = struct.Struct("iIII")
_CHUNK = 1 << 16

_libc = ctypes.CDLL(None, use_errno=True)


class InotifyEvent(NamedTuple):
    """One note: in the folder that `add` gave this number for (-1: in any), `name` changed as `mask` says."""

    folder: int
    mask: int
    name: str


class Inotify:
    """An inotify instance."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        """Negative once it is closed."""

    @classmethod
    def opened(cls) -> "Inotify | None":
        """None where the system has none, or gives no more of them."""
        begin = getattr(_libc, "inotify_init1", None)
        fd = begin(os.O_NONBLOCK | os.O_CLOEXEC) if begin else -1
        return cls(fd) if fd >= 0 else None

    def add(self, folder: str | bytes | Path, mask: int) -> int | None:
        """The folder's number; None where the system gives no watch (none left, or no such folder)."""
        number: int = _libc.inotify_add_watch(self.fd, os.fsencode(folder), mask)
        return number if number >= 0 else None

    def remove(self, number: int) -> None:
        _libc.inotify_rm_watch(self.fd, number)

    def told(self) -> Iterator[InotifyEvent]:
        """All that happened since the last call."""
        while True:
            try:
                data = os.read(self.fd, _CHUNK)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                folder, mask, _, length = _HEAD.unpack_from(data, at)
                at += _HEAD.size + length
                yield InotifyEvent(folder, mask, os.fsdecode(data[at - length : at].rstrip(b"\0")))

    def __del__(self) -> None:
        self.close()  # a user gets few of them

    def close(self) -> None:
        """Once is enough."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)
