"""Ending processes: all that belong together, however they hide, and none besides."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import NamedTuple

from loopwright.workspace.living import Living, living, own_line
from loopwright.workspace.marks import Mark

GRACE = 2.0
"""Seconds between TERM and KILL."""

_SWARM = 300  # with so many there is no grace: something multiplies
_STUBBORN = 2.0  # seconds after which a process that does not even die of KILL is left to the kernel
_POLL = 0.03

Test = Callable[[Living], bool]


class Found(NamedTuple):
    """Processes that belong together; `groups` are the process groups that hold nobody else."""

    members: frozenset[Living]
    groups: frozenset[int]


async def end_session(leader: int, mark: Mark | None = None, grace: float = GRACE) -> None:
    """Ends a session that we started, with what left it but carries `mark`, and with what those started.

    TERM first, KILL after `grace` seconds; KILL at once when this call is cancelled.
    """

    def belongs(process: Living) -> bool:
        if process.session == leader or mark is None:
            return process.session == leader
        return process.started >= mark.since and mark.is_on(process.pid)

    told: set[tuple[int, int]] = set()
    deadline = time.monotonic() + grace
    try:
        while (members := _find(belongs, told).members) and time.monotonic() < deadline and len(members) < _SWARM:
            for process in _oldest_first(members):
                if process.key not in told:  # one may have been forked since we looked last
                    told.add(process.key)
                    _signal(process.pid, signal.SIGTERM)
                    _signal(process.pid, signal.SIGCONT)  # one that was stopped could not hear it
            await asyncio.sleep(_POLL)
    finally:
        _kill(belongs, told)


def sweep(mark: Mark, recorded: frozenset[Living] = frozenset()) -> tuple[int, ...]:
    """Kills all that carries `mark` or is `recorded`, with what those started; their ids."""
    known = {process.key for process in recorded}
    return _kill(lambda process: mark.is_on(process.pid), known)


def _find(belongs: Test, known: Collection[tuple[int, int]]) -> Found:
    """What belongs or is `known`, the sessions that it leads, and all below; never ourselves or our ancestors."""
    spared = own_line()
    everybody = list(living())
    others = [process for process in everybody if process.pid not in spared]
    found = {process.pid: process for process in others if process.key in known or belongs(process)}
    grown = bool(found)
    while grown:
        more = {p.pid: p for p in others if p.pid not in found and (p.session in found or p.parent in found)}
        found |= more
        grown = bool(more)
    in_all, in_found = (Counter(process.group for process in some) for some in (everybody, found.values()))
    return Found(frozenset(found.values()), frozenset(g for g, count in in_found.items() if count == in_all[g]))


def _kill(belongs: Test, known: set[tuple[int, int]]) -> tuple[int, ...]:
    """KILLs until nothing is found any more: a process may start another while we look.

    Whoever was found once stays `known`: what tied it to the others may be dead by now.
    """
    killed: dict[int, None] = {}
    deadline = time.monotonic() + _STUBBORN
    while (found := _find(belongs, known)).members and time.monotonic() < deadline:
        for group in found.groups:  # in one stroke: no member can fork its way past it
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for process in _oldest_first(found.members):
            _signal(process.pid, signal.SIGKILL)
            killed[process.pid] = None
            known.add(process.key)
    return tuple(killed)


def _oldest_first(processes: frozenset[Living]) -> list[Living]:
    """A shell whose child ends before itself would begin the next command."""
    return sorted(processes, key=lambda process: (process.started, process.pid))


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
