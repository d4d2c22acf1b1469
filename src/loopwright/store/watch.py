"""The kernel's own notes of what changed in a folder, asked for when they are needed: exact, and without a thread."""

import ctypes
import os
import struct
from pathlib import Path

from loopwright.store.locks import Descriptor

MODIFY, CLOSE_WRITE, MOVED_FROM, MOVED_TO, DELETE = 0x2, 0x8, 0x40, 0x80, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED = 0x2000, 0x4000, 0x8000
INTERESTING = MODIFY | CLOSE_WRITE | MOVED_FROM | MOVED_TO | DELETE | DELETE_SELF | MOVE_SELF
LOST = DELETE_SELF | MOVE_SELF | UNMOUNT | OVERFLOW | IGNORED
HEAD = struct.Struct("iIII")

_libc = ctypes.CDLL(None, use_errno=True)


class Watch:
    """An inotify watch on one folder."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor = descriptor

    @classmethod
    def on(cls, folder: Path) -> "Watch | None":
        """None where the system gives no watch (none left, or no such folder)."""
        fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if fd < 0:
            return None
        descriptor = Descriptor(fd)
        if _libc.inotify_add_watch(fd, os.fsencode(folder), INTERESTING) < 0:
            descriptor.release()
            return None
        return cls(descriptor)

    def changed(self) -> set[str] | None:
        """Names that changed since the last call, or None when some may have been missed."""
        names: set[str] = set()
        if self._descriptor.fd < 0:
            return None
        while True:
            try:
                data = os.read(self._descriptor.fd, 1 << 16)
            except BlockingIOError:
                return names
            at = 0
            while at < len(data):
                _, mask, _, length = HEAD.unpack_from(data, at)
                if mask & LOST:
                    return None
                at += HEAD.size + length
                names.add(os.fsdecode(data[at - length : at].rstrip(b"\0")))

    def close(self) -> None:
        self._descriptor.release()
