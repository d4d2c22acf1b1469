"""The project's tests: found, run in a process group of their own, and reported as they were measured."""

import os
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from loopwright.domain.endless import endless_words
from loopwright.domain.errors import Invalid
from loopwright.domain.loop import TestResult
from loopwright.domain.testing import RunTrouble, TestRun
from loopwright.ports import Difference, TestOrder
from loopwright.validation.python import probe
from loopwright.validation.python.project import interpreter_of, program
from loopwright.validation.results import split_key
from loopwright.validation.rounds import Rounds
from loopwright.validation.runners import FRAMEWORKS, PYTHON, WRAPPED, detected, runner_for
from loopwright.validation.runners.contract import Reading, Runner
from loopwright.validation.watch import Watch
from loopwright.workspace.marks import Mark
from loopwright.workspace.patience import Cut, Patience
from loopwright.workspace.process import Finished, run_shell

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
    """See ports.TestRunner; the project is the folder `root`."""

    __test__: ClassVar[bool] = False

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def detect(self) -> str | None:
        return detected(self._root)

    def check(self, command: str) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise Invalid(f"The test command {command!r} can not be read: {error}") from None
        first = next((word for word in words if not _ASSIGNMENT.fullmatch(word)), None)
        if first is None:
            raise Invalid("The test command is empty")
        is_plain = re.fullmatch(r"[\w./+@%-]+", first) is not None and first not in _NO_PROGRAMS
        if is_plain and program(first, self._root) is None:
            raise Invalid(f"Cannot run the test command {command!r}: there is no program {first!r}")

    def interpreter(self, command: str) -> str | None:
        return runner_for(command, self._root).interpreter(command, self._root)

    def pythons(self, command: str | None) -> Sequence[str]:
        if command is None:
            return (str(interpreter_of(self._root, module="pytest")),)
        runner = runner_for(command, self._root)
        if python := runner.interpreter(command, self._root):
            return (python,)
        return () if runner in FRAMEWORKS and runner not in PYTHON else ("python3", "python")

    def difference(self, file: str, before: bytes | None, after: bytes | None) -> Difference:
        from loopwright.validation.differences import difference

        return difference(file, before, after)

    async def run(self, order: TestOrder) -> TestRun:
        root = self._root if order.at is None else order.at.resolve()
        runner = runner_for(order.command, root)
        with tempfile.TemporaryDirectory(prefix="loopwright-tests-", ignore_cleanup_errors=True) as name:
            folder = Path(name).resolve()
            instrumented = runner.instrument(order.command, root, folder)
            env = instrumented.env
            if order.at is not None:
                env = probe.in_copy(env, self._root, folder, only=order.only, changed=order.changed)
            patience = Patience(
                order.timeout,
                order.silence,
                progress=partial(_last_written, folder),
                is_done=lambda: is_done(runner, root, folder),
            )
            watch = Watch(folder, order.limits, Mark(order.marker, str(self._root)), order.on_news or _unheard)
            rounds = Rounds(order, watch, partial(runner.read, root, folder), probe.limited(env, order.limits.least))

            async def run_once(env: Mapping[str, str], seconds: float) -> Finished:
                return await run_shell(
                    instrumented.command,
                    cwd=root,
                    project=self._root,
                    marker=order.marker,
                    patience=replace(patience, timeout=seconds),
                    env=env,
                    output_cap=OUTPUT_KEPT,
                    on_output=order.on_output,
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
            trouble=trouble_of(reading, results, finished),
            why=f"it {cut}" if cut else reading.why or None,
            output=finished.output,
            reach=reading.reach,
            executable=reading.executable,
            endless={result.key: watch.endless[result.key] for result in results if _is_endless(result, watch)},
        )


def is_done(runner: Runner, root: Path, folder: Path) -> bool:
    """Whether the tests have come to their end. Behind a wrapper, more may follow what one framework has completed."""
    return runner is not WRAPPED and runner.read(root, folder).complete


def trouble_of(reading: Reading, results: tuple[TestResult, ...], finished: Finished) -> RunTrouble | None:
    """Why the results can not be complete, or None."""
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


def _unfinished(reading: Reading, cut: str | None, watch: Watch) -> tuple[TestResult, ...]:
    """Tests that began and never ended have failed."""
    why = f"still running when the test run {cut}" if cut else "the test process ended while this test was running"
    unfinished = (
        TestResult(test_name=name, suite=suite, status="failed", error_message=why)
        for suite, name in map(split_key, reading.running)
    )
    return tuple(_told(result, watch) for result in unfinished)


def _told(result: TestResult, watch: Watch) -> TestResult:
    """With its own words where it was ended because it did not end."""
    if not _is_endless(result, watch):
        return result
    return result.evolve(error_message=endless_words(watch.endless[result.key]))


def _is_endless(result: TestResult, watch: Watch) -> bool:
    return result.status == "failed" and result.key in watch.endless


def _unheard(words: str) -> None:
    """Nobody listens."""


def _last_written(folder: Path) -> float:
    """When the framework last wrote what it has done; 0 before it does."""
    with os.scandir(folder) as entries, suppress(FileNotFoundError):  # one of them may just be replaced
        return max((entry.stat().st_mtime for entry in entries), default=0.0)
    return 0.0
