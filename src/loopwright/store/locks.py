"""File locks that a forked child does not inherit."""

import contextlib
import errno
import fcntl
import hashlib
import os
import time
import weakref
from collections.abc import Iterator
from typing import Self

from loopwright.store.aside import is_plain, move_aside

PATIENCE = 1.0
"""Seconds a reader waits for a writer that does not go on; more than a thousand commits take."""


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
        while True:
            try:
                lock = cls._tried(path, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
            if lock:
                return lock

    @classmethod
    def _tried(cls, path: str, flags: int, how: int) -> Self | None:
        """None when the file was unlinked while we waited, for then it locks nothing any more."""
        if not is_plain(path) and os.path.lexists(path):
            move_aside(path)
        lock = cls(os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644))
        try:
            fcntl.flock(lock.fd, how)
            if os.fstat(lock.fd).st_nlink:
                return lock
        except BaseException:
            lock.release()
            raise
        lock.release()
        return None


@contextlib.contextmanager
def no_writer(path: str) -> Iterator[None]:
    """A time in which nobody writes: what is found then was acknowledged, or left by a writer that died.

    Goes on without where there is no lock file, or where its holder stands still.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        yield
        return
    lock, deadline = Descriptor(fd), time.monotonic() + PATIENCE
    try:
        while not _shared(lock.fd) and time.monotonic() < deadline:
            time.sleep(0.0005)
        yield
    finally:
        lock.release()


def _shared(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def claim(root: str, id: str) -> Descriptor | None:
    """The one name on this machine for driving `id` of the project at `root`, or None while another has it.

    It lives in the kernel, so that nobody takes it by removing files.
    """
    import socket  # slow to load, and only runners claim

    found = os.stat(root)
    name = hashlib.sha256(f"{found.st_dev}:{found.st_ino}:{id}".encode()).hexdigest()[:32]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claimed:
        try:
            claimed.bind(f"\0loopwright-{name}")
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return None
        return Descriptor(claimed.detach())


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
