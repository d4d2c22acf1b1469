"""The right to drive one state: an flock for as long as its runner lives, and who holds it."""

import contextlib
import errno
import fcntl
import hashlib
import os
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Self

import orjson

from loopwright.core.errors import Conflict
from loopwright.processes.process_tree import find_process
from loopwright.store.disk import Disk, open_regular

WRITER_WAIT = 1.0
"""Seconds a reader waits for a writer that does not go on; more than a thousand commits take."""


class LockDescriptor:
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


class NotAtOnce(Exception):
    """It would have to be waited for."""


class Flock(LockDescriptor):
    """An exclusive flock on one path, held until `release`: closing the only descriptor ends it."""

    @classmethod
    def take(cls, path: str, flags: int = os.O_RDONLY, *, wait: bool = True) -> Self:
        """FileNotFoundError where there is no such file: `ensure` makes one. NotAtOnce where nobody is to `wait`."""
        how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
        while True:
            if lock := cls._tried(path, flags, how):
                return lock

    @classmethod
    def ensure(cls, path: str, *, wait: bool = True) -> Self:
        """As `take`, with a new file where there is none."""
        return cls.take(path, os.O_RDONLY | os.O_CREAT, wait=wait)

    @classmethod
    def at_once(cls, path: str) -> Self | None:
        """The lock, open for writing, or None while another holds it."""
        try:
            return cls.take(path, os.O_RDWR | os.O_CREAT, wait=False)
        except NotAtOnce:
            return None

    @classmethod
    def _tried(cls, path: str, flags: int, how: int) -> Self | None:
        """None when the file was unlinked while we waited, for then it locks nothing any more."""
        lock = cls(open_regular(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK))
        try:
            fcntl.flock(lock.fd, how)
            if os.fstat(lock.fd).st_nlink:
                return lock
        except BlockingIOError as error:
            lock.release()
            raise NotAtOnce(path) from error
        except BaseException:
            lock.release()
            raise
        lock.release()
        return None


@contextlib.contextmanager
def exclude_writers(path: str) -> Iterator[None]:
    """A time in which nobody writes: what is found then was acknowledged, or left by a writer that died.

    Goes on without where there is no lock file, or where its holder stands still.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        yield
        return
    lock, deadline = LockDescriptor(fd), time.monotonic() + WRITER_WAIT
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


def claim_name(root: str, id: str) -> LockDescriptor | None:
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
        return LockDescriptor(claimed.detach())


def is_locked(path: str) -> bool:
    """Whether anybody holds the lock now."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _shared(fd)
    finally:
        os.close(fd)


_OPEN: "weakref.WeakSet[LockDescriptor]" = weakref.WeakSet()


def _forget_in_child() -> None:
    """An flock belongs to the open file, which a fork shares: a child that kept it open would keep it held."""
    for descriptor in list(_OPEN):
        descriptor.release()


os.register_at_fork(after_in_child=_forget_in_child)


class HeldLease:
    """A lease that was taken; `epoch` goes into every commit of its holder."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch


class LeaseFile:
    """A lease's two halves: a lock on a file that says who holds it, and a name that lives in the kernel.

    The file is for everybody to see, and may be removed by anybody; the name cannot.
    """

    def __init__(self, disk: Disk, path: str, name: LockDescriptor, lock: Flock) -> None:
        self._disk, self._path, self._name, self._lock = disk, path, name, lock
        self._mutex = threading.Lock()
        self._sign()

    @classmethod
    def take(cls, disk: Disk, root: str, id: str, path: str) -> "LeaseFile | None":
        """None while another process has it."""
        name = claim_name(root, id)
        lock = None
        try:
            lock = Flock.at_once(path) if name else None
            if name and lock:
                return cls(disk, path, name, lock)
        except BaseException:
            _release(name, lock)
            raise
        _release(name, lock)
        return None

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that is locked, and says what we wrote."""
        return self._signature() == self._signed

    def retake(self) -> None:
        """Locks and signs the file that stands there now. Conflict when another has it."""
        with self._mutex:
            if self.is_in_place:
                return
            if self._signature()[:1] != self._signed[:1]:
                lock = Flock.at_once(self._path)
                if lock is None:
                    raise Conflict(f"another process has taken {self._path} while this one was working")
                self._lock.release()
                self._lock = lock
            self._sign()

    def _sign(self) -> None:
        """Says in the lease file that this process holds it."""
        this = find_process(os.getpid())
        assert this is not None
        text = orjson.dumps({"pid": this.pid, "started": this.started}, option=orjson.OPT_APPEND_NEWLINE)
        self._disk.truncate(self._lock.fd, 0)
        self._disk.append(self._lock.fd, 0, text)
        self._signed = _signature(os.fstat(self._lock.fd))

    def _signature(self) -> tuple[int, ...]:
        try:
            return _signature(os.lstat(self._path))
        except OSError:
            return ()

    def release(self) -> None:
        """Gives both halves back. A forked child, which has neither, changes nothing."""
        try:
            if self._lock.fd >= 0:
                self._disk.truncate(self._lock.fd, 0)
        finally:
            _release(self._name, self._lock)


def find_holder(disk: Disk, path: str) -> int | None:
    """Process id of the living holder. A name left by a dead or an earlier process counts for nothing."""
    said = disk.read(path)
    if not said:
        return None
    try:
        name = orjson.loads(said)
        named = int(name["pid"]), int(name["started"])
    except (ValueError, KeyError, TypeError):
        return None
    holder = find_process(named[0])
    return holder.pid if holder is not None and holder.key == named and is_locked(path) else None


def _signature(found: os.stat_result) -> tuple[int, ...]:
    """Inode, size and time of the last touch."""
    return found.st_ino, found.st_size, found.st_ctime_ns


def _release(*held: LockDescriptor | None) -> None:
    for descriptor in held:
        if descriptor:
            descriptor.release()
