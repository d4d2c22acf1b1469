"""The right to drive one state: an flock for as long as its runner lives, and who holds it."""

import os
import threading
from typing import NamedTuple

import orjson

from loopwright.domain.errors import Conflict
from loopwright.store.disk import Disk
from loopwright.store.locks import Descriptor, Flock, claim, is_held


class Holder(NamedTuple):
    """A process, told apart from later ones with the same id by its start time in clock ticks since boot."""

    pid: int
    started: int


class HeldLease:
    """A lease that was taken; `epoch` goes into every commit of its holder."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch


class Seat:
    """A lease's two halves: a lock on a file that says who holds it, and a name that lives in the kernel.

    The file is for everybody to see, and may be removed by anybody; the name can not.
    """

    def __init__(self, disk: Disk, path: str, name: Descriptor, lock: Flock) -> None:
        self._disk, self._path, self._name, self._lock = disk, path, name, lock
        self._mutex = threading.Lock()
        self._sign()

    @classmethod
    def take(cls, disk: Disk, root: str, id: str, path: str) -> "Seat | None":
        """None while another process has it."""
        name = claim(root, id)
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
                    raise Conflict(f"another process has taken {self._path} while this one was at work")
                self._lock.release()
                self._lock = lock
            self._sign()

    def _sign(self) -> None:
        """Says in the lease file that this process holds it."""
        pid = os.getpid()
        text = orjson.dumps({"pid": pid, "started": _started(pid)}, option=orjson.OPT_APPEND_NEWLINE)
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


def holder(disk: Disk, path: str) -> int | None:
    """Process id of the living holder. A name left by a dead or an earlier process counts for nothing."""
    name = _parsed(disk.read(path) or b"")
    if name is None or _started(name.pid) != name.started or not is_held(path):
        return None
    return name.pid


def _signature(found: os.stat_result) -> tuple[int, ...]:
    """Inode, size and time of the last touch."""
    return found.st_ino, found.st_size, found.st_ctime_ns


def _release(*held: Descriptor | None) -> None:
    for descriptor in held:
        if descriptor:
            descriptor.release()


def _parsed(text: bytes) -> Holder | None:
    try:
        raw = orjson.loads(text)
        return Holder(int(raw["pid"]), int(raw["started"]))
    except (ValueError, KeyError, TypeError):
        return None


def _started(pid: int) -> int | None:
    """Field 22 of the process's stat; its name, in brackets, may hold anything."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(fields[19])
