"""The kernel's own notes of what changed in folders, asked for when they are needed: exact, and without a thread."""

import ctypes
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loopwright.store.locks import Descriptor

MODIFY, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x8, 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED, IS_FOLDER = 0x2000, 0x4000, 0x8000, 0x40000000
NO_LINK = 0x1000000 | 0x2000000
"""Asks for a watch only where a folder itself stands, and no link to one."""
INTERESTING = MODIFY | CLOSE_WRITE | MOVED_FROM | MOVED_TO | DELETE | DELETE_SELF | MOVE_SELF
LOST = DELETE_SELF | MOVE_SELF | UNMOUNT | OVERFLOW | IGNORED
HEAD = struct.Struct("iIII")
CHUNK = 1 << 16

_libc = ctypes.CDLL(None, use_errno=True)


class Told(NamedTuple):
    """One note: in the folder that `add` gave this number for (-1: in any), `name` changed as `mask` says."""

    folder: int
    mask: int
    name: str


class Inotify:
    """An inotify instance."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor = descriptor

    @classmethod
    def opened(cls) -> "Inotify | None":
        """None where the system gives no more of them."""
        fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        return cls(Descriptor(fd)) if fd >= 0 else None

    @property
    def fd(self) -> int:
        """Negative once it is closed."""
        return self._descriptor.fd

    def add(self, folder: Path, mask: int) -> int | None:
        """The folder's number; None where the system gives no watch (none left, or no such folder)."""
        number: int = _libc.inotify_add_watch(self.fd, os.fsencode(folder), mask)
        return number if number >= 0 else None

    def remove(self, number: int) -> None:
        _libc.inotify_rm_watch(self.fd, number)

    def told(self) -> Iterator[Told]:
        """All that happened since the last call."""
        while True:
            try:
                data = os.read(self.fd, CHUNK)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                folder, mask, _, length = HEAD.unpack_from(data, at)
                at += HEAD.size + length
                yield Told(folder, mask, os.fsdecode(data[at - length : at].rstrip(b"\0")))

    def close(self) -> None:
        self._descriptor.release()


class Watch:
    """An inotify watch on one folder."""

    def __init__(self, inotify: Inotify) -> None:
        self._inotify = inotify

    @classmethod
    def on(cls, folder: Path) -> "Watch | None":
        """None where the system gives no watch (none left, or no such folder)."""
        inotify = Inotify.opened()
        if inotify is None:
            return None
        if inotify.add(folder, INTERESTING) is None:
            inotify.close()
            return None
        return cls(inotify)

    def changed(self) -> set[str] | None:
        """Names that changed since the last call, or None when some may have been missed."""
        if self._inotify.fd < 0:
            return None
        told = list(self._inotify.told())
        return None if any(one.mask & LOST for one in told) else {one.name for one in told}

    def close(self) -> None:
        self._inotify.close()
