"""Watches the tests of a run while they run: tells of those that take long, and ends those that do not end."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.domain.endless import SHARED, TestLimits, endless_words, words_due
from loopwright.validation.python.probe import RING
from loopwright.validation.results import plain
from loopwright.workspace.marks import Mark
from loopwright.workspace.process import starved

_LOOK = 0.25
_GRACE = 5.0
"""Seconds in which a test that was told to end has to do so; then its process is ended."""


@dataclass
class _Running:
    """`since`: when it began, moved on by what is not its own time; `starved`: what its process had lost by then.

    `limit` is what it had, once it was told to end, which was after `rung` seconds.
    """

    pid: int
    since: float
    starved: float = 0
    told: int = 0
    rung: float | None = None
    limit: float = 0
    is_killed: bool = False


@dataclass
class _Log:
    """What one process writes: how far it was read, and whether it is at work in something that tests share."""

    pid: int
    offset: int = 0
    begun: bool = False
    ended: bool = False


@dataclass
class Watch:
    """One run's tests, as the probes below `folder` tell of them. Only processes that carry `mark` are touched.

    `endless`: tests that did not end, with the seconds they had. `killed`: processes that were ended over one, whose
    other tests are still to be run. `others`: seconds that all other tests have taken so far.
    """

    folder: Path
    limits: TestLimits
    mark: Mark
    tell: Callable[[str], None]
    endless: dict[str, float] = field(default_factory=dict)
    killed: list[int] = field(default_factory=list)
    others: float = 0
    _logs: dict[str, _Log] = field(default_factory=dict)
    _running: dict[str, _Running] = field(default_factory=dict)
    _runs_in: dict[str, int] = field(default_factory=dict)
    _shared: dict[int, float] = field(default_factory=dict)

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Looks again and again while the block runs; at its end all is known that was written."""
        looking = asyncio.ensure_future(self._look_again())
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.wait({looking})
        if not looking.cancelled():
            looking.result()  # it failed by itself
        self._read(time.monotonic())
        self.endless |= {key: one.limit for key, one in self._running.items() if one.rung is not None}
        self.killed = [log.pid for log in self._logs.values() if log.begun and not log.ended and self._owes(log.pid)]
        self._running.clear()
        self._shared.clear()

    def too_soon(self) -> list[str]:
        """Tests that were ended before the others had been run, and may take longer now that these are known."""
        return [key for key, given in self.endless.items() if self.limits.of(key, self.others) > given]

    def forget(self, tests: Collection[str]) -> None:
        """They will be run again."""
        for key in tests:
            del self.endless[key]

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            now = time.monotonic()
            self._read(now)
            for key, running in list(self._running.items()):
                self._judge(key, running, now)

    def _judge(self, key: str, running: _Running, now: float) -> None:
        pid = self._runs_in.get(key, running.pid)
        shared = self._shared.get(pid)
        # On a busy machine much of the time is not the test's.
        lost = starved(pid) - running.starved
        own = now - running.since - lost
        if running.rung is not None:
            patience = _GRACE if shared is None else SHARED
            if not running.is_killed and own - running.rung > patience:
                running.is_killed = self._signal(pid, signal.SIGKILL)
            return
        seconds = own if shared is None else now - shared - lost
        limit = self.limits.of(key, self.others, shared=shared is not None)
        if seconds >= limit and self._signal(pid, RING):
            running.rung, running.limit = own, limit
            self.tell(f"{key} {endless_words(limit)}; the rest goes on")
        elif words_due(seconds, running.told):
            running.told += 1
            self.tell(f"{key} has been running for {seconds:.0f} s")

    def _signal(self, pid: int, number: int) -> bool:
        """Whether it was ours, so that it could be told."""
        if not self.mark.is_on(pid):
            return False
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
        return True

    def _owes(self, pid: int) -> bool:
        """Whether it was ended over a test, and not by something else."""
        return any(running.rung is not None and running.pid == pid for running in self._running.values())

    def _read(self, now: float) -> None:
        for path in sorted(self.folder.glob("*.jsonl")):
            name = path.stem.rpartition("-")[2]
            if name.isdigit():
                log = self._logs.setdefault(path.name, _Log(int(name)))
                for line in _new_lines(path, log):
                    self._take(log, line, now)

    def _take(self, log: _Log, line: object, now: float) -> None:
        match line:
            case {"kind": "start", "id": str(id)}:
                self._running[plain(id)] = _Running(log.pid, now, starved(self._runs_in.get(plain(id), log.pid)))
            case {"kind": "runs", "id": str(id)}:
                self._runs_in[plain(id)] = log.pid
                if (running := self._running.get(plain(id))) is not None:
                    running.starved = starved(log.pid)
            case {"kind": "result", "id": str(id), "status": str(status), **more}:
                self._end(plain(id), status, float(str(more.get("ms") or 0)) / 1000)
            case {"kind": "shared", "begins": True}:
                self._shared[log.pid] = now
            case {"kind": "shared", "begins": False}:
                took = now - self._shared.pop(log.pid, now)
                for key, running in self._running.items():
                    if self._runs_in.get(key, running.pid) == log.pid:
                        running.since += took
            case {"kind": "begin"}:
                log.begun = True
            case {"kind": "end"}:
                log.ended = True

    def _end(self, key: str, status: str, seconds: float) -> None:
        running = self._running.pop(key, None)
        if running is not None and running.rung is not None and status != "passed":
            self.endless[key] = running.limit
        else:
            self.others += seconds


def _new_lines(path: Path, log: _Log) -> Iterator[object]:
    with path.open("rb") as file:
        file.seek(log.offset)
        *whole, _torn = file.read().split(b"\n")
    log.offset += sum(len(line) + 1 for line in whole)
    for line in whole:
        with suppress(ValueError):
            yield json.loads(line)
