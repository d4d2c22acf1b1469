"""The right to drive one state: an flock for as long as its runner lives, and who holds it."""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

import orjson

from loopwright.store.disk import Disk, DiskTrouble
from loopwright.store.locks import Flock, is_held


class Holder(NamedTuple):
    """A process, told apart from later ones with the same id by its start time in clock ticks since boot."""

    pid: int
    started: int


class HeldLease:
    """A lease that was taken; `epoch` goes into every commit of its holder."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch


@contextlib.contextmanager
def signed(disk: Disk, lock: Flock) -> Iterator[None]:
    """Says in the lease file that this process holds it; releases the lock at the end, whatever happens."""
    pid = os.getpid()
    text = orjson.dumps({"pid": pid, "started": _started(pid)}, option=orjson.OPT_APPEND_NEWLINE)
    try:
        with DiskTrouble():
            disk.truncate(lock.fd, 0)
            disk.append(lock.fd, 0, text)
        yield
        if lock.fd >= 0:
            disk.truncate(lock.fd, 0)
    finally:
        lock.release()


def holder(disk: Disk, path: str) -> int | None:
    """Process id of the living holder. A name left by a dead or an earlier process counts for nothing."""
    name = _parsed(disk.read(path) or b"")
    if name is None or _started(name.pid) != name.started or not is_held(path):
        return None
    return name.pid


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
