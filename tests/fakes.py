"""Fakes of the ports that tests of the engine steer: time, tests, debugger, person."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import ClassVar

from loopwright.core.errors import Invalid
from loopwright.core.ports import Difference, FileLayer, JobResult, TestOrder
from loopwright.core.state import MenuEntry, RunSettings
from loopwright.evidence.debugging import DebugRequest, Diagnosis, SearchFindings
from loopwright.evidence.proof import Mutation, MutationOrder
from loopwright.evidence.testing import TestResult, TestRun
from loopwright.store.disk import Disk
from loopwright.workflows.loop.model import LoopState


class FakeClock:
    """Every look at the time takes a second; sleeping takes no time at all."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 22, 10, 0, 0, tzinfo=timezone(timedelta(hours=8)))
        self._tokens = 0

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def monotonic(self) -> float:
        return self.now().timestamp()

    def token(self) -> str:
        self._tokens += 1
        return f"{self._tokens:08x}" * 4

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        await asyncio.sleep(0)


class UnsyncedDisk(Disk):
    """Waits for no disk: what is lost with the power no test of a whole run can see; tests/store looks at the order."""

    def sync(self, fd: int) -> None:
        pass

    def sync_folder(self, path: str) -> None:
        pass


Judge = Callable[[Path], dict[str, str]]
"""The project's folder → test name → passed, failed or skipped."""


@dataclass
class JudgedTests:
    """A test runner whose results follow from the files as a function says; counts its runs."""

    __test__: ClassVar[bool] = False

    project: Path
    judge: Judge
    command: str | None = "judge"
    coverage: float | None = None
    runs: int = 0
    before: Callable[[], None] = field(default=lambda: None)

    def detect(self) -> str | None:
        return self.command

    def check(self, command: str, parallel: int | None = None) -> None:
        if command != self.command:
            raise Invalid(f"no such program: {command}")

    def interpreter(self, command: str) -> str | None:
        return None

    def pythons(self, command: str | None) -> Sequence[str]:
        return ()

    def difference(self, file: str, before: bytes | None, after: bytes | None) -> Difference:
        return "none" if before == after else "more"

    async def run(self, order: TestOrder) -> TestRun:
        if not order.sealed:
            self.runs += 1
            self.before()
        verdicts = self.judge(order.at or self.project)
        results = tuple(
            TestResult.model_validate({"test_name": name, "suite": "suite", "status": status})
            for name, status in verdicts.items()
        )
        failed = "failed" in verdicts.values()
        return TestRun(
            command=order.command, runner="judge", results=results, exit_code=1 if failed else 0,
            trouble=None if results else "no_tests",
        )  # fmt: skip

    async def run_program(self, argv: Sequence[str], order: TestOrder) -> tuple[int | None, str]:
        return 0, ""

    async def run_layered(self, order: TestOrder, layer: FileLayer) -> TestRun | None:
        return None


class NoDebugger:
    """A debugger for projects that cannot be traced."""

    def supports(self, test_command: str | None) -> bool:
        return False

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        raise AssertionError("not supported")

    async def search(self, request: DebugRequest) -> SearchFindings:
        raise AssertionError("not supported")

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        raise AssertionError("not supported")


class ListedPerson:
    """Chooses and answers from lists; keeps what it was shown."""

    def __init__(self, choices: Sequence[str] = (), answers: Sequence[str] = ()) -> None:
        self.choices = list(choices)
        self.answers = list(answers)
        self.menus: list[tuple[MenuEntry, ...]] = []
        self.questions: list[str] = []
        self.shown: list[LoopState] = []

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.questions.append(question)
        return self.answers.pop(0)

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        self.menus.append(tuple(menu))
        return self.choices.pop(0)

    async def show(self, state: LoopState) -> None:
        self.shown.append(state)


class NoProcesses:
    """Nothing was left behind."""

    @asynccontextmanager
    async def owning(self, loop_id: str) -> AsyncIterator[tuple[int, ...]]:
        yield ()

    @contextmanager
    def alone(self, mark: str, busy: str) -> Iterator[None]:
        yield

    def sweep(self, loop_id: str) -> tuple[int, ...]:
        return ()

    def withheld(self) -> tuple[str, ...]:
        return ()

    @contextmanager
    def confined(self, loop_id: str, settings: RunSettings) -> Iterator[None]:
        yield

    def within(self, loop_id: str) -> bool:
        return False

    def forget(self, loop_id: str) -> None:
        """They have kept nothing."""

    def end_runner(self, pid: int) -> None:
        raise AssertionError(f"nothing to end: {pid}")


class CountingLauncher:
    """Launches nothing, and remembers for whom it was asked."""

    def __init__(self) -> None:
        self.launched: list[str] = []
        self.jobs: list[tuple[str, ...]] = []
        self.done = JobResult(1, {})

    def argv(self, loop_id: str) -> Sequence[str]:
        raise AssertionError(f"nobody waits for {loop_id}")

    def launch(self, loop_id: str) -> int:
        self.launched.append(loop_id)
        return 1

    async def job(self, arguments: Sequence[str], seconds: float) -> JobResult:
        self.jobs.append(tuple(arguments))
        return self.done
