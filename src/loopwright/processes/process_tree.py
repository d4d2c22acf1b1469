"""Ending processes: all that belong together, however they hide, and none besides.

Read from /proc by hand: psutil lists 112 processes in 11 ms of CPU time, this in 3, and a runner's children, five
times a second, in 5.0 ms against 0.6; its start times move with the clock, and ours are compared over days.
"""

import hashlib
import os
import resource
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

PROC = "/proc"
AWAITED: set[int] = set()
"""Children of ours that whoever started them waits for; nobody else may."""
_TICKS = os.sysconf("SC_CLK_TCK")


class LiveProcess(NamedTuple):
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


def read_clock_ticks() -> int:
    """The time as `started` counts it."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS)


def list_processes() -> Iterator[LiveProcess]:
    """Every process that can be seen now."""
    for name in os.listdir(PROC):
        if name.isdigit() and (process := find_process(int(name))) is not None:
            yield process


def find_process(pid: int) -> LiveProcess | None:
    """The process with this id, or None when it is gone."""
    process, is_dead = _stat(pid)
    return None if is_dead else process


def list_children() -> Iterator[tuple[LiveProcess, bool]]:
    """Every child of this process, and whether it is dead: a zombie that has to be waited for."""
    tasks = f"{PROC}/self/task"
    pids = {int(pid) for thread in os.listdir(tasks) for pid in _read(f"{tasks}/{thread}/children").split()}
    for pid in pids:
        process, is_dead = _stat(pid)
        if process is not None:
            yield process, is_dead


def find_outer(pid: int, mark: "ProcessMark") -> int:
    """Of a process in a sandbox, which calls itself `pid`, the id that it has out here; `pid` where there is none."""
    for process in list_processes():
        ids = _read(f"{PROC}/{process.pid}/status").partition(b"NSpid:")[2].partition(b"\n")[0].split()
        if len(ids) > 1 and int(ids[-1]) == pid and mark.is_on(process.pid):
            return process.pid
    return pid


def carries_tags(pid: int, tags: Mapping[str, str]) -> bool:
    """Whether the process was started with all these environment variables. False where we may not look."""
    environment = set(_read(f"{PROC}/{pid}/environ").split(b"\0"))
    return all(os.fsencode(f"{name}={value}") in environment for name, value in tags.items())


def list_ancestors() -> frozenset[int]:
    """Ourselves and our ancestors."""
    line = {os.getpid()}
    process = find_process(os.getpid())
    while process is not None and process.parent not in line:
        line.add(process.parent)
        process = find_process(process.parent)
    return frozenset(line)


def read_boot_id() -> str:
    """Differs after every start of the machine: ids and start times mean nothing beyond it."""
    return _read(f"{PROC}/sys/kernel/random/boot_id").decode().strip()


def _stat(pid: int) -> tuple[LiveProcess | None, bool]:
    text = _read(f"{PROC}/{pid}/stat")
    if not text:
        return None, True
    # The program's name stands in parentheses and may itself hold spaces and parentheses.
    fields = text[text.rindex(b")") + 1 :].split()
    parent, group, session = map(int, fields[1:4])
    return LiveProcess(pid, parent, group, session, int(fields[19])), fields[0] in (b"Z", b"X")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it ended meanwhile, or is not ours
        return b""


STARTING = threading.Lock()
"""Held while a limit of the whole process carries a loop's number. A thread that starts something of its
own meanwhile has to hold it too, or that would be taken for the loop's."""


LOOP, PROJECT, RUN = "LOOPWRIGHT_LOOP", "LOOPWRIGHT_PROJECT", "LOOPWRIGHT_RUN"
"""Environment variables. Copies of a project hold loops of the same id, so a loop is named by both."""

_SPARE_LIMIT = 10
"""RLIMIT_LOCKS. Linux has enforced nothing by it since 2.4, but every fork and exec hands it on, `env -i` and setsid
too; so its soft limit, else endless, can carry a number where a cleaned environment carries nothing."""

_LOOP_BITS, _RUN_BITS = 36, 26


@dataclass(frozen=True)
class ProcessMark:
    """Tells the processes of one loop from all others; with `run`, 32 hex digits, those of one run from its others.

    No process that was `started` before `since` carries it.
    """

    loop: str
    project: str
    run: str = ""
    since: int = 0

    def with_run(self) -> "ProcessMark":
        """A mark for a run that begins."""
        return ProcessMark(self.loop, self.project, secrets.token_hex(16), read_clock_ticks())

    def environment(self, more: Mapping[str, str], without: Collection[str] = ()) -> dict[str, str]:
        """Our own environment `without` some variables, with `more` and the tags."""
        ours = {name: value for name, value in os.environ.items() if name not in without}
        return {**ours, **more, **self._tags}

    @contextmanager
    def handed_on(self) -> Iterator[None]:
        """What is started inside of this block carries the number; nothing may be awaited there."""
        with STARTING:
            soft, hard = resource.getrlimit(_SPARE_LIMIT)
            try:
                resource.setrlimit(_SPARE_LIMIT, (self._number, hard))
            except (ValueError, OSError):  # a low hard limit: the tags have to do
                yield
                return
            try:
                yield
            finally:
                resource.setrlimit(_SPARE_LIMIT, (soft, hard))

    def is_on(self, pid: int) -> bool:
        """Whether that process carries this mark, by its number or by its tags."""
        return self._fits(_number_of(pid)) or carries_tags(pid, self._tags)

    def _fits(self, number: int) -> bool:
        return number == self._number if self.run else number >> _RUN_BITS == self._number >> _RUN_BITS

    @cached_property
    def _tags(self) -> dict[str, str]:
        tags = {LOOP: self.loop, PROJECT: self.project}
        return {**tags, RUN: self.run} if self.run else tags

    @cached_property
    def _number(self) -> int:
        """Below 2⁶²: the loop's part first, then the run's."""
        name = hashlib.sha256(os.fsencode(f"{self.project}\0{self.loop}")).digest()
        loop = int.from_bytes(name[:8]) >> (64 - _LOOP_BITS)
        run = int(self.run[:8], 16) >> (32 - _RUN_BITS) if self.run else 0
        return loop << _RUN_BITS | run


def _number_of(pid: int) -> int:
    """-1 for a process that carries none, is gone, or is not ours."""
    try:
        return resource.prlimit(pid, _SPARE_LIMIT)[0]
    except OSError:
        return -1


GRACE = 2.0
"""Seconds between TERM and KILL."""

_SWARM = 300  # with so many there is no grace: something multiplies
_STUBBORN = 2.0  # seconds after which a process that does not even die of KILL is left to the kernel
_POLL = 0.03

Test = Callable[[LiveProcess], bool]


class ProcessSet(NamedTuple):
    """Processes that belong together; `groups` are the process groups that hold nobody else."""

    members: frozenset[LiveProcess]
    groups: frozenset[int]


async def end_session(leader: int, mark: ProcessMark | None = None, grace: float = GRACE) -> None:
    """Ends a session that we started, with what left it but carries `mark`, and with what those started.

    TERM first, KILL after `grace` seconds; KILL at once when this call is cancelled.
    """
    import asyncio  # what only looks at processes does without

    def belongs(process: LiveProcess) -> bool:
        if process.session == leader or mark is None:
            return process.session == leader
        return process.started >= mark.since and mark.is_on(process.pid)

    told: set[tuple[int, int]] = set()
    deadline, pause = time.monotonic() + grace, _POLL / 16
    try:
        while (members := _find(belongs, told).members) and time.monotonic() < deadline and len(members) < _SWARM:
            for process in _oldest_first(members):
                # one may have been forked since we looked last; a sandbox would end all within, at once
                if process.key not in told and not _is_sandbox(process.pid):
                    told.add(process.key)
                    _signal(process.pid, signal.SIGTERM)
                    _signal(process.pid, signal.SIGCONT)  # one that was stopped could not hear it
            pause = min(2 * pause, _POLL)  # what is about to go by itself, as a sandbox is, costs no more
            await asyncio.sleep(pause)
    finally:
        _kill(belongs, told)


def kill_marked(mark: ProcessMark, recorded: frozenset[LiveProcess] = frozenset()) -> tuple[int, ...]:
    """Kills all that carries `mark` or is `recorded`, with what those started; their ids."""
    known = {process.key for process in recorded}
    return _kill(lambda process: mark.is_on(process.pid), known)


def _find(belongs: Test, known: Collection[tuple[int, int]]) -> ProcessSet:
    """What belongs or is `known`, the sessions that it leads, and all below; never ourselves or our ancestors."""
    spared = list_ancestors()
    everybody = list(list_processes())
    others = [process for process in everybody if process.pid not in spared]
    found = {process.pid: process for process in others if process.key in known or belongs(process)}
    grown = bool(found)
    while grown:
        more = {p.pid: p for p in others if p.pid not in found and (p.session in found or p.parent in found)}
        found |= more
        grown = bool(more)
    in_all, in_found = (Counter(process.group for process in some) for some in (everybody, found.values()))
    return ProcessSet(frozenset(found.values()), frozenset(g for g, count in in_found.items() if count == in_all[g]))


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


def _oldest_first(processes: frozenset[LiveProcess]) -> list[LiveProcess]:
    """A shell whose child ends before itself would begin the next command."""
    return sorted(processes, key=lambda process: (process.started, process.pid))


def _is_sandbox(pid: int) -> bool:
    return _read(f"{PROC}/{pid}/comm") in (b"bwrap\n", b"lw-sandbox\n")


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
