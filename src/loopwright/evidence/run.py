"""The project's tests: found, run in a process group of their own, and reported as they were measured."""

import asyncio
import os
import re
import secrets
import shlex
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from loopwright.core.errors import Invalid
from loopwright.core.ports import Difference, FileLayer, TestOrder
from loopwright.core.private_files import read_regular
from loopwright.core.text import clip_text, plural
from loopwright.evidence.layered_run import run_layered
from loopwright.evidence.python import probe
from loopwright.evidence.python.probe import RING
from loopwright.evidence.python.project import can_import, find_program, interpreter_of
from loopwright.evidence.results import RunnerReport, encode_safely, load_json, split_key
from loopwright.evidence.runners import FRAMEWORKS, PYTHON, WRAPPED, detect_command, find_runner
from loopwright.evidence.runners.contract import FrameworkRunner
from loopwright.evidence.runners.pytest import PytestRunner
from loopwright.evidence.secret_results import ResultFilter
from loopwright.evidence.testing import SHARED, RunTrouble, TestLimits, TestResult, TestRun, endless_words, words_due
from loopwright.processes.confinement import current_sandbox, explain_denial
from loopwright.processes.process import Cut, Patience, ProcessResult, read_starvation, run_group, run_shell
from loopwright.processes.process_tree import ProcessMark, find_outer
from loopwright.processes.sandbox import SandboxNeeds

_LOOK = 0.25
_SAID = 200
"""Characters of a failure's message that are told at once."""

_GRACE = 5.0
"""Seconds in which a test that was told to end has to do so; then its process is ended."""


@dataclass
class _Running:
    """`since`: when it began, moved on by what is not its own time; `starved`: what its process had lost by then.

    `limit` is what it had, once it was told to end, which was after `rung` seconds.
    """

    pid: int
    since: float
    starved: float | None = None
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
class RunWatch:
    """One run's tests, as the probes below `folder` tell of them. Only processes that carry `mark` are touched.

    `endless`: tests that did not end, with the seconds they had. `killed`: processes that were ended over one, whose
    other tests are still to be run. `others`: seconds that all other tests have taken so far. `tell` hears of the first
    failure as it happens, and now and then how far the tests are.
    """

    folder: Path
    limits: TestLimits
    mark: ProcessMark
    tell: Callable[[str], None]
    endless: dict[str, float] = field(default_factory=dict)
    killed: list[int] = field(default_factory=list)
    others: float = 0
    _ended: dict[str, str] = field(default_factory=dict)
    _since: float = field(default_factory=time.monotonic)
    _told: int = 0
    _has_failed: bool = False
    _logs: dict[str, _Log] = field(default_factory=dict)
    _running: dict[str, _Running] = field(default_factory=dict)
    _runs_in: dict[str, int] = field(default_factory=dict)
    _shared: dict[int, float] = field(default_factory=dict)
    _outer: dict[int, int] = field(default_factory=dict)

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
        rung = {one.pid for one in self._running.values() if one.rung is not None}
        self.killed = [log.pid for log in self._logs.values() if log.begun and not log.ended and log.pid in rung]
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
            if words_due(now - self._since, self._told):
                self._told += 1
                if self._ended:
                    failed = sum(status == "failed" for status in self._ended.values())
                    self.tell(f"{plural(len(self._ended), 'test')} so far, {failed} failed")

    def _judge(self, key: str, running: _Running, now: float) -> None:
        pid = self._runs_in.get(key, running.pid)
        shared = self._shared.get(pid)
        # On a busy machine much of the time is not the test's.
        lost = self._starvation(pid) - (running.starved or 0)
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
            self.tell(f"{key} {endless_words(limit)}; the rest continues")
        elif words_due(seconds, running.told):
            running.told += 1
            self.tell(f"{key} has been running for {seconds:.0f} s")

    def _signal(self, pid: int, number: int) -> bool:
        """Whether it was ours, so that it could be told."""
        pid = self._outside(pid)
        if not self.mark.is_on(pid):
            return False
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
        return True

    def _starvation(self, pid: int) -> float:
        return read_starvation(self._outside(pid))

    def _outside(self, pid: int) -> int:
        """Tests tell the ids that they have themselves, and in a sandbox these are others."""
        if current_sandbox() is None:
            return pid
        if pid not in self._outer or not self.mark.is_on(self._outer[pid]):
            self._outer[pid] = find_outer(pid, self.mark)
        return self._outer[pid]

    def _read(self, now: float) -> None:
        for path in sorted(self.folder.iterdir()):
            name = path.stem.rpartition("-")[2]
            if path.suffix == ".jsonl" and name.isdigit():
                log = self._logs.setdefault(path.name, _Log(int(name)))
                for line in _new_lines(path, log):
                    self._take(log, line, now)
            elif path.suffix == ".ndjson":  # of JavaScript, whose tests are not ended one by one
                for line in _new_lines(path, self._logs.setdefault(path.name, _Log(0))):
                    self._hear(line)
        for key, running in self._running.items():  # most have ended by now
            if running.starved is None:
                running.starved = self._starvation(self._runs_in.get(key, running.pid))

    def _hear(self, line: object) -> None:
        match line:
            case {"file": str(file), "path": list(names), "status": str(status), **more}:
                key = f"{file}::{' > '.join(map(str, names))}" if names else file
                self._count(key, status, more, is_final=more.get("kind") == "result")

    def _take(self, log: _Log, line: object, now: float) -> None:
        match line:
            case {"kind": "start", "id": str(id)}:
                self._running[encode_safely(id)] = _Running(log.pid, now)
            case {"kind": "runs", "id": str(id)}:
                self._runs_in[encode_safely(id)] = log.pid
                if (running := self._running.get(encode_safely(id))) is not None:
                    running.starved = None
            case {"kind": "result", "id": str(id), "status": str(status), **more}:
                self._end(encode_safely(id), status, float(str(more.get("ms") or 0)) / 1000)
                self._count(encode_safely(id), status, more)
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

    def _count(self, key: str, status: str, more: Mapping[object, object], *, is_final: bool = True) -> None:
        if is_final:
            self._ended[key] = status
        if status == "failed" and not self._has_failed and key not in self.endless:
            self._has_failed = True
            message = clip_text(" ".join(encode_safely(str(more.get("message") or "")).split()), _SAID)
            self.tell(f"{key} failed{': ' if message else ''}{message}")

    def _end(self, key: str, status: str, seconds: float) -> None:
        running = self._running.pop(key, None)
        if running is not None and running.rung is not None and status != "passed":
            self.endless[key] = running.limit
        else:
            self.others += seconds


def _new_lines(path: Path, log: _Log) -> Iterator[object]:
    try:
        *whole, _torn = read_regular(path, log.offset, _MOST_NEWS).split(b"\n")
    except OSError:
        return  # it is the program's folder: what lies there may be anything
    log.offset += sum(len(line) + 1 for line in whole)
    for line in whole:
        with suppress(ValueError):
            yield load_json(line)


_SHORTEST = 1.0  # seconds
_MOST_NEWS = 1 << 26  # bytes

RunOnce = Callable[[Mapping[str, str], float], Awaitable[ProcessResult]]
"""Runs the command in an environment, within so many seconds."""


class RetryRounds:
    """Runs a command until every test has its result.

    A process that was ended over a test is followed by one for the tests it owes. Tests that were ended before all
    others had been run are run once more at the end, where all others took so long that they may take longer.
    """

    def __init__(
        self, order: TestOrder, watch: RunWatch, read: Callable[[], RunnerReport], environment: Mapping[str, str]
    ) -> None:
        self._order = order
        self._watch = watch
        self._read = read
        self._environment = environment
        self._again: frozenset[str] = frozenset()
        self._known: frozenset[str] = frozenset()

    async def run(self, run_once: RunOnce) -> ProcessResult:
        """All of it as if it had been one process, that ended as the last one did."""
        begun, rounds = time.monotonic(), list[ProcessResult]()
        environment: Mapping[str, str] | None = self._environment
        while environment is not None:
            left = self._order.timeout - (time.monotonic() - begun)
            async with self._watch.watching():
                rounds.append(await run_once(environment, max(left, _SHORTEST)))
            environment = self._following() if rounds[-1].cut is None else None
        return replace(
            rounds[-1],
            output="".join(one.output for one in rounds),
            truncated=any(one.truncated for one in rounds),
            duration_ms=(time.monotonic() - begun) * 1000,
        )

    def _following(self) -> Mapping[str, str] | None:
        """The environment of the next process; None where there is nothing left to run."""
        watch = self._watch
        # tests in other languages that were run, too, cannot be left out
        if not watch.endless or any(file.suffix in (".ndjson", ".out") for file in watch.folder.iterdir()):
            return None
        if watch.killed:
            for pid in watch.killed:
                probe.write_end(watch.folder, pid)
            known = frozenset(result.key for result in self._read().results) | frozenset(watch.endless)
            if known == self._known:  # it does not keep to what it was asked for
                return None
            self._known = known
            return probe.narrow_environment(self._environment, only=self._again or self._order.only, without=known)
        again = frozenset(watch.too_soon()) - self._again
        if not again:
            return None
        self._again = again
        watch.forget(again)
        probe.retract_tests(watch.folder, again)
        return probe.narrow_environment(self._environment, only=again)


OUTPUT_KEPT = 64_000
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_NO_PROGRAMS = frozenset({
    ".", ":", "alias", "case", "cd", "eval", "exec", "exit", "export", "for", "if", "set", "source", "time", "ulimit",
    "umask", "unset", "until", "while",
})  # fmt: skip
"""Words of the shell itself, which may begin a command line."""

_CUT_SHORT: dict[Cut | None, RunTrouble] = {"timeout": "timeout", "silence": "silent"}
"""A run that only did not exit has said all that it had to say."""


class ProjectTests:
    """See ports.TestRunner; the tests are those in the folder `root`, processes carry the mark of the `project`.

    `launcher`: a program that lays files over the project (see repair/overlay.py). `results`: what keeps secrets out
    of all that is told of them.
    """

    __test__: ClassVar[bool] = False

    def __init__(
        self,
        root: Path,
        project: Path | None = None,
        launcher: Sequence[str] = (),
        results: ResultFilter | None = None,
    ) -> None:
        self._filter = results or ResultFilter()
        self._root = root.resolve()
        self._project = (project or root).resolve()
        self._launcher = launcher

    def detect(self) -> str | None:
        return detect_command(self._root)

    def check(self, command: str, parallel: int | None = None) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise Invalid(f"The test command {command!r} cannot be read: {error}") from None
        first = next((word for word in words if not _ASSIGNMENT.fullmatch(word)), None)
        if first is None:
            raise Invalid("The test command is empty")
        is_plain = re.fullmatch(r"[\w./+@%-]+", first) is not None and first not in _NO_PROGRAMS
        if is_plain and find_program(first, self._root) is None:
            reason = f"Cannot run the test command {command!r}: there is no program {first!r}"
            raise Invalid(f"{reason}; install it, or choose another test command")
        if parallel is not None:
            check_parallel(find_runner(command, self._root), command, self._root)

    def interpreter(self, command: str) -> str | None:
        return find_runner(command, self._root).interpreter(command, self._root)

    def pythons(self, command: str | None) -> Sequence[str]:
        if command is None:
            return (str(interpreter_of(self._root, module="pytest")),)
        runner = find_runner(command, self._root)
        if python := runner.interpreter(command, self._root):
            return (python,)
        return () if runner in FRAMEWORKS and runner not in PYTHON else ("python3", "python")

    def difference(self, file: str, before: bytes | None, after: bytes | None) -> Difference:
        from loopwright.evidence.sources import compare_sources

        return compare_sources(file, before, after)

    async def run(self, order: TestOrder) -> TestRun:
        run = self._filter.masked(await self.measure(self._filter.real(order)))
        said = "\n".join(result.error_message or "" for result in run.results if result.status == "failed")
        if order.on_news and (words := explain_denial(said, network=False)):
            order.on_news(words)
        return run

    async def measure(self, order: TestOrder) -> TestRun:
        """As the tests told it, secrets too."""
        root = self._root if order.at is None else order.at.resolve()
        runner = find_runner(order.command, root)
        with tempfile.TemporaryDirectory(prefix="loopwright-tests-", ignore_cleanup_errors=True) as name:
            folder = Path(name).resolve()
            instrumented = runner.instrument(order.command, root, folder)
            env = self._ordered(order, runner, instrumented.env, folder)
            patience = Patience(
                order.timeout,
                order.silence,
                progress=partial(_last_written, folder),
                is_done=lambda: is_done(runner, root, folder),
            )
            mark = ProcessMark(order.marker, str(self._project))
            watch = RunWatch(folder, order.limits, mark, order.on_news or (lambda words: None))
            rounds = RetryRounds(order, watch, partial(runner.read, root, folder), env)

            async def run_once(env: Mapping[str, str], seconds: float) -> ProcessResult:
                return await run_shell(
                    instrumented.command,
                    cwd=root,
                    project=self._project,
                    marker=order.marker,
                    patience=replace(patience, timeout=seconds),
                    env=probe.shorten_environment(env, folder),
                    output_cap=OUTPUT_KEPT,
                    on_output=order.on_output,
                    needs=SandboxNeeds(writable=(folder,)),
                )

            finished = await rounds.run(run_once)
            reading = runner.read(root, folder)
        cut = patience.told(finished.cut, "test_timeout") if finished.cut else None
        results = (*(_told(result, watch) for result in reading.results), *_unfinished(reading, cut, watch))
        return TestRun(
            command=order.command,
            runner=runner.name,
            results=results,
            exit_code=finished.exit_code,
            duration_ms=finished.duration_ms,
            coverage=reading.coverage,
            sources=reading.sources,
            imports=reading.imports,
            trouble=trouble_of(reading, results, finished),
            why=f"it {cut}" if cut else reading.why or None,
            output=finished.output,
            reach=reading.reach,
            executable=reading.executable,
            opened=reading.opened,
            from_files=reading.from_files,
            endless={result.key: watch.endless[result.key] for result in results if _is_endless(result, watch)},
        )

    async def run_program(self, argv: Sequence[str], order: TestOrder) -> tuple[int | None, str]:
        done = await run_group(
            argv,
            cwd=order.at or self._root,
            project=self._project,
            marker=order.marker,
            patience=Patience(order.timeout, order.silence),
            output_cap=OUTPUT_KEPT,
            needs=SandboxNeeds(cache=f"alone-{secrets.token_hex(4)}"),  # nothing there tells of earlier runs
        )
        return done.exit_code, done.output

    def _ordered(
        self, order: TestOrder, runner: FrameworkRunner, env: Mapping[str, str], folder: Path
    ) -> Mapping[str, str]:
        """The environment in which the runner keeps to the order."""
        if order.parallel is not None:
            check_parallel(runner, order.command, self._root)
            env = {**env, "PYTEST_ADDOPTS": f"{env['PYTEST_ADDOPTS']} -p xdist -n {order.parallel}"}
        if order.at is not None:
            env = probe.relocate_environment(env, self._root, folder, only=order.only, changed=order.changed)
        elif order.only:
            env = probe.narrow_environment(env, only=order.only)
        covers = order.at is None and not order.only
        return probe.limit_environment(env, least=order.limits.least, covers=covers, opens=order.opens)

    async def run_layered(self, order: TestOrder, layer: FileLayer) -> TestRun | None:
        if not self._launcher:
            return None
        run = await run_layered(self._root, self._project, self._launcher, self._filter.real(order), layer)
        return run and self._filter.masked(run)


def check_parallel(runner: FrameworkRunner, command: str, root: Path) -> None:
    """Invalid where pytest-xdist cannot run the tests: it is not pytest, or xdist is not installed."""
    python = runner.interpreter(command, root) if isinstance(runner, PytestRunner) else None
    if python is None:
        raise Invalid(f"--test-parallel needs a test command that is plainly pytest, and not {command!r}")
    if not can_import(Path(python), "xdist"):
        raise Invalid(
            f"--test-parallel needs pytest-xdist, which {python} does not have; install it, or leave that out"
        )


def is_done(runner: FrameworkRunner, root: Path, folder: Path) -> bool:
    """Whether the tests have come to their end. Behind a wrapper, more may follow what one framework has completed."""
    return runner is not WRAPPED and runner.read(root, folder).complete


def trouble_of(reading: RunnerReport, results: tuple[TestResult, ...], finished: ProcessResult) -> RunTrouble | None:
    """Why the results cannot be complete, or None."""
    if finished.cut in _CUT_SHORT:
        return _CUT_SHORT[finished.cut]
    if reading.damaged:
        return "unparsable"
    if not results and reading.complete:
        return "no_tests"
    if not results and finished.exit_code == 0:
        return "unparsable"
    failed = any(result.status == "failed" for result in results)
    unexplained = finished.cut is None and finished.exit_code != 0 and not failed
    return "crashed" if unexplained or not reading.complete else None


def _unfinished(reading: RunnerReport, cut: str | None, watch: RunWatch) -> tuple[TestResult, ...]:
    """Tests that began and never ended have failed."""
    why = f"still running when the test run {cut}" if cut else "the test process ended while this test was running"
    unfinished = (
        TestResult(test_name=name, suite=suite, status="failed", error_message=why)
        for suite, name in map(split_key, reading.running)
    )
    return tuple(_told(result, watch) for result in unfinished)


def _told(result: TestResult, watch: RunWatch) -> TestResult:
    """With its own words where it was ended because it did not end."""
    if not _is_endless(result, watch):
        return result
    return result.evolve(error_message=endless_words(watch.endless[result.key]))


def _is_endless(result: TestResult, watch: RunWatch) -> bool:
    return result.status == "failed" and result.key in watch.endless


def _last_written(folder: Path) -> float:
    """When the framework last wrote what it has done; 0 before it does."""
    with os.scandir(folder) as entries, suppress(FileNotFoundError):  # one of them may just be replaced
        return max((entry.stat().st_mtime for entry in entries), default=0.0)
    return 0.0
