"""File locks that a forked child does not inherit."""

import fcntl
import os
import weakref
from typing import Self


class Descriptor:
    """An open file that a forked child closes at once."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        _OPEN.add(self)

    def release(self) -> None:
        """Closes it; once is enough."""
        fd, self.fd = self.fd, -1
        _OPEN.discard(self)
        if fd >= 0:
            os.close(fd)


class Flock(Descriptor):
    """An exclusive flock on one path, held until `release`: closing the only descriptor ends it."""

    @classmethod
    def take(cls, path: str) -> Self:
        """Waits for the lock. FileNotFoundError where there is no such file: `ensure` makes one."""
        while True:
            lock = cls._tried(path, os.O_RDWR, fcntl.LOCK_EX)
            if lock:
                return lock

    @classmethod
    def ensure(cls, path: str) -> Self:
        """As `take`, with a new file where there is none."""
        while True:
            lock = cls._tried(path, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX)
            if lock:
                return lock

    @classmethod
    def at_once(cls, path: str) -> Self | None:
        """The lock, or None while another holds it."""
        try:
            return cls._tried(path, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None

    @classmethod
    def _tried(cls, path: str, flags: int, how: int) -> Self | None:
        """None when the file was unlinked while we waited, for then it locks nothing any more."""
        lock = cls(os.open(path, flags | os.O_CLOEXEC, 0o644))
        try:
            fcntl.flock(lock.fd, how)
            if os.fstat(lock.fd).st_nlink:
                return lock
        except BaseException:
            lock.release()
            raise
        lock.release()
        return None


def is_held(path: str) -> bool:
    """Whether anybody holds the lock now."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


_OPEN: "weakref.WeakSet[Descriptor]" = weakref.WeakSet()


def _forget_in_child() -> None:
    """An flock belongs to the open file, which a fork shares: a child that kept it open would keep it held."""
    for descriptor in list(_OPEN):
        descriptor.release()


os.register_at_fork(after_in_child=_forget_in_child)
