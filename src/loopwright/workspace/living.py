"""Which processes are alive, as /proc tells it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


class Living(NamedTuple):
    """One process that is neither dead nor a zombie."""

    pid: int
    parent: int
    group: int
    session: int


def living() -> Iterator[Living]:
    """Every process that can be seen now."""
    for name in os.listdir(PROC):
        if name.isdigit() and (process := look(int(name))) is not None:
            yield process


def look(pid: int) -> Living | None:
    """The process with this id, or None when it is gone."""
    stat = _read(pid, "stat")
    if not stat:
        return None
    # The program's name stands in parentheses and may itself hold spaces and parentheses.
    state, parent, group, session = stat[stat.rindex(b")") + 1 :].split()[:4]
    return None if state in (b"Z", b"X") else Living(pid, int(parent), int(group), int(session))


def carries(pid: int, variable: str, value: str) -> bool:
    """Whether the process was started with this environment variable. False where we may not look."""
    return os.fsencode(f"{variable}={value}") in _read(pid, "environ").split(b"\0")


def own_line() -> frozenset[int]:
    """Ourselves and our ancestors."""
    line = {os.getpid()}
    process = look(os.getpid())
    while process is not None and process.parent not in line:
        line.add(process.parent)
        process = look(process.parent)
    return frozenset(line)


def _read(pid: int, file: str) -> bytes:
    try:
        return (PROC / str(pid) / file).read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it ended meanwhile, or is not ours
        return b""
