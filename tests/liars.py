"""A project with one failing test, and agents that want it to look mended: real store, real git, real pytest."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.agents.task_agent import CommandAgent
from loopwright.core.ports import Agent, AgentEnvironment, TestOrder
from loopwright.core.protocol import Message
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.state import RunSettings
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestRun
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.service import LoopService
from loopwright.workspace.checkpoints import GitWorkspace
from tests.fakes import CountingLauncher, NoDebugger, NoProcesses, UnsyncedDisk
from tests.stage import ABLE
from tests.validation.projects import PYTEST, lay_out

BROKEN = {
    "app.py": "def add(a, b):\n    return a - b\n\n\ndef greet():\n    return 'hello'\n",
    "tests/test_app.py": (
        "from app import add, greet\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\n"
        "def test_greet():\n    assert greet() == 'hello'\n"
    ),
    "pytest.ini": "[pytest]\ntestpaths = tests\n",
}
MENDED = BROKEN["app.py"].replace("a - b", "a + b")
ADD = "tests/test_app.py::test_add"


FIRST_RUNS: dict[str, TestRun] = {}
"""By command, what was measured of the broken project before anybody touched it: always the same."""


class CountedTests(ProjectTests):
    """The real runner; remembers its orders, and the last run in the project itself.

    `is_pristine`: its first run is that of the broken project.
    """

    def __init__(self, root: Path, *, is_pristine: bool) -> None:
        super().__init__(root)
        self.orders: list[TestOrder] = []
        self.last: TestRun | None = None
        self._is_pristine = is_pristine

    async def run(self, order: TestOrder) -> TestRun:
        self.orders.append(order)
        is_known = self._is_pristine and len(self.orders) == 1
        if is_known and order.command in FIRST_RUNS:
            return FIRST_RUNS[order.command]
        run = await super().run(order)
        if is_known:
            FIRST_RUNS[order.command] = run
        if order.at is None:
            self.last = run
        return run

    @property
    def counter_checks(self) -> int:
        """Runs of the first tests on the present product: whole ones, in a copy, which is not the sealed one."""
        return sum(order.at is not None and not order.only and not order.sealed for order in self.orders)


@dataclass
class Court:
    """The engine on a real project. `notes` is all that an observer heard, `messages` what the agent was sent."""

    project: Path
    command: str = PYTEST
    max_iterations: int = 2
    allow_test_changes: bool = False
    notes: list[RunNote] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    on_note: Callable[[RunNote], None] = field(default=lambda note: None)

    def __post_init__(self) -> None:
        files = {str(p.relative_to(self.project)): p.read_text() for p in self.project.rglob("*") if p.is_file()}
        is_pristine = files == BROKEN
        self.tests = CountedTests(self.project, is_pristine=is_pristine)
        self.clock = SystemClock("+08:00")
        self.workspace = GitWorkspace(self.project, self.project.parent / "private")

    async def judge(self, *answers: ScriptedTurn, task: dict[str, object] | None = None) -> LoopState:
        """Drives a loop with one task and this agent to its end."""
        with FileStore(self.project, LOOPS, self.clock, disk=UnsyncedDisk()) as store:
            service = LoopService(store, self.workspace, self.clock, CountingLauncher(), NoProcesses(), "test")
            settings = RunSettings(mode="auto", agent="scripted", test_command=self.command, test_timeout=60)
            loop_id = service.create(
                "Make the tests pass", max_iterations=self.max_iterations, settings=settings,
                allow_test_changes=self.allow_test_changes,
            ).loop_id  # fmt: skip
            service.tasks.add(loop_id, {"description": "mend add", "tool": "scripted", **(task or {})})
            return await self.drive(store, loop_id, *answers)

    async def drive(self, store: FileStore[LoopState], loop_id: str, *answers: ScriptedTurn) -> LoopState:
        scripted = ScriptedAgent(AgentScript(capabilities=ABLE, answers=answers), self.project)
        self.messages = scripted.messages

        def make(name: str, around: AgentEnvironment) -> Agent:
            return CommandAgent(self.project, around.loop_id) if name == "bash" else scripted

        runner = LoopRunner(
            project=str(self.project),
            store=store,
            workspace=self.workspace,
            tests=self.tests,
            clock=self.clock,
            processes=NoProcesses(),
            agents=make,
            debugger=lambda id, bus: NoDebugger(),
        )
        return await runner.drive(loop_id, take_up=take_up, bus=EventBus(self.notes.append, self.on_note))

    def summary(self, state: LoopState) -> str:
        folder = self.project / ".workflow" / ".loop" / f"{state.loop_id}.progress"
        return (folder / "summary.md").read_text(encoding="utf-8")


def incidents(state: LoopState) -> dict[str, str]:
    """The last message of each kind."""
    return {incident.kind: incident.message for incident in state.engine.incidents}


def broken_project(root: Path) -> Path:
    return lay_out(root / "project", BROKEN)
