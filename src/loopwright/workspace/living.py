"""Which processes there are, as /proc tells it."""

import os
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

PROC = "/proc"
_TICKS = os.sysconf("SC_CLK_TCK")


class Living(NamedTuple):
    """One process that is neither dead nor a zombie; `started`, in clock ticks, tells it from later ones of its id."""

    pid: int
    parent: int
    group: int
    session: int
    started: int

    @property
    def key(self) -> tuple[int, int]:
        """What it keeps for life and no other process has, while its parent may die and its group change."""
        return self.pid, self.started

    @property
    def age(self) -> float:
        """Seconds since it was started, to a hundredth."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.started / _TICKS


def now() -> int:
    """The time as `started` counts it."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS)


def living() -> Iterator[Living]:
    """Every process that can be seen now."""
    for name in os.listdir(PROC):
        if name.isdigit() and (process := look(int(name))) is not None:
            yield process


def look(pid: int) -> Living | None:
    """The process with this id, or None when it is gone."""
    process, is_dead = _stat(pid)
    return None if is_dead else process


def children() -> Iterator[tuple[Living, bool]]:
    """Every child of this process, and whether it is dead: a zombie that has to be waited for."""
    pids = {int(pid) for thread in _threads() for pid in _read(f"{thread}/children").split()}
    for pid in pids:
        process, is_dead = _stat(pid)
        if process is not None:
            yield process, is_dead


def carries(pid: int, tags: Mapping[str, str]) -> bool:
    """Whether the process was started with all these environment variables. False where we may not look."""
    environment = set(_read(f"{PROC}/{pid}/environ").split(b"\0"))
    return all(os.fsencode(f"{name}={value}") in environment for name, value in tags.items())


def own_line() -> frozenset[int]:
    """Ourselves and our ancestors."""
    line = {os.getpid()}
    process = look(os.getpid())
    while process is not None and process.parent not in line:
        line.add(process.parent)
        process = look(process.parent)
    return frozenset(line)


def boot() -> str:
    """Differs after every start of the machine: ids and start times mean nothing beyond it."""
    return _read(f"{PROC}/sys/kernel/random/boot_id").decode().strip()


def _threads() -> list[str]:
    tasks = f"{PROC}/self/task"
    return [f"{tasks}/{name}" for name in os.listdir(tasks)]


def _stat(pid: int) -> tuple[Living | None, bool]:
    text = _read(f"{PROC}/{pid}/stat")
    if not text:
        return None, True
    # The program's name stands in parentheses and may itself hold spaces and parentheses.
    fields = text[text.rindex(b")") + 1 :].split()
    parent, group, session = map(int, fields[1:4])
    return Living(pid, parent, group, session, int(fields[19])), fields[0] in (b"Z", b"X")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it ended meanwhile, or is not ours
        return b""
