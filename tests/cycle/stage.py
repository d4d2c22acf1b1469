"""A stage for whole cycles: real store, git and work trees, roles that play what they are told, judged tests."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.agents.task_agent import TaskAgent
from loopwright.core.cycle_names import Role
from loopwright.core.ports import Agent, AgentEnvironment, Processes, Prompter, Store, Surveyor, TestRunner
from loopwright.core.protocol import AgentOutput, Capabilities, Message
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.state import Budget, RunSettings
from loopwright.core.survey import ProjectSurvey
from loopwright.workflows.cycle.commands import take_up
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.runner import CycleRunner
from loopwright.workflows.cycle.service import CycleService
from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.worktrees import GitWorktrees
from tests.fakes import CountingLauncher, FakeClock, Judge, JudgedTests, NoDebugger, NoProcesses

ABLE = Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)

GOAL = "Make app.txt say good, as suite::app wants it"
"""It names the test that shows that it is reached."""


def said(role: str, status: str = "success", summary: str = "did its part", **lists: Sequence[str]) -> str:
    """A report as the contract wants it."""
    lines = [f"PHASE_RESULT:\n- phase: {role}\n- status: {status}\n- summary: {summary}"]
    for name in ("files_written", "issues", "blockers", "decisions"):
        lines.append(f"- {name}:{'' if lists.get(name) else ' none'}")
        lines += [f"  - {one}" for one in lists.get(name, ())]
    return "\n".join(lines) + "\n"


def planned(*tasks: dict[str, object]) -> str:
    return json.dumps({"tasks": list(tasks)})


@dataclass
class Turn:
    """One message as its role gets it: `place` is the project as the agent sees it, `folder` its own."""

    message: Message
    place: Path
    role: str

    @property
    def folder(self) -> Path:
        return Path(self.message.folder)

    def write(self, name: str, text: str) -> None:
        """Into the role's own folder."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def change(self, name: str, text: str) -> None:
        """In the project."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


Play = Callable[[Turn], Awaitable[AgentOutput | str]]


async def analyses(turn: Turn) -> str:
    turn.write("requirements.md", f"# Requirements\n\n1. app.txt says good\n\n{turn.message.text[-400:]}\n")
    turn.write("edge-cases.md", "- an empty file\n- a file that is not there\n")
    return said("ra")


async def explores(turn: Turn) -> str:
    turn.write(
        "exploration.md", "# Exploration\n\n## Integration points\n\n- app.txt\n\n## Risks\n\n- nobody knows why\n"
    )
    turn.write("architecture.md", "# Architecture\n\nOne file.\n")
    return said("ep")


async def plans(turn: Turn) -> str:
    turn.write("plan.json", planned({"id": "TASK-001", "description": "Make app.txt say good", "files": ["app.txt"]}))
    return said("ep")


async def implements(turn: Turn) -> str:
    turn.change("app.txt", "good")
    return said("cd", files_written=["app.txt"])


async def judges(turn: Turn) -> str:
    turn.write("summary.md", "# Judgement\n\nEverything that was asked for is there.\n")
    return said("vas")


USUAL: dict[str, Play] = {
    "ra.analyse": analyses, "ep.explore": explores, "ep.plan": plans, "cd.implement": implements,
    "vas.validate": judges,
}  # fmt: skip


class Cast:
    """What the roles play: for each step a list of plays, a turn each; then, and without one, the usual."""

    def __init__(self, plays: dict[str, list[Play]] | None = None) -> None:
        self.plays = defaultdict(list, {step: list(own) for step, own in (plays or {}).items()})
        self.turns: list[Turn] = []
        self.at_work = 0
        self.most_at_work = 0

    def steps(self) -> list[str]:
        """The orders that were given, in their order."""
        return [turn.message.action for turn in self.turns]

    async def play(self, turn: Turn) -> AgentOutput | str:
        self.turns.append(turn)
        step = turn.message.action
        play = self.plays[step].pop(0) if self.plays[step] else USUAL[step]
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        try:
            return await play(turn)
        finally:
            self.at_work -= 1


class Player(TaskAgent):
    """One agent in one place; its sessions have names, so that going on with one can be seen."""

    name = "player"
    capabilities = ABLE

    def __init__(self, cast: Cast, place: Path) -> None:
        super().__init__()
        self._cast, self._place = cast, place

    async def play(self, id: str, message: Message) -> AgentOutput:
        role = Path(message.folder).name
        came = await self._cast.play(Turn(message, self._place, role))
        output = came if isinstance(came, AgentOutput) else AgentOutput(agent_id=id, running=False, text=came)
        return output.evolve(agent_id=id, session=message.session or f"session of {role}")


class NoSurvey:
    """Nobody asks for one: every role has a model."""

    def survey(self) -> ProjectSurvey:
        raise AssertionError("no role works from templates here")


def app_is_good(project: Path) -> dict[str, str]:
    """One test, which passes once app.txt says good."""
    file = project / "app.txt"
    return {"app": "passed" if file.exists() and file.read_text() == "good" else "failed"}


@dataclass
class CycleStage:
    """`cast` is what the agents play; `judge` says what the tests say of the project's files."""

    project: Path
    store: Store[CycleState]
    cast: Cast = field(default_factory=Cast)
    judge: Judge = app_is_good
    clock: FakeClock = field(default_factory=FakeClock)
    notes: list[RunNote] = field(default_factory=list)
    launcher: CountingLauncher = field(default_factory=CountingLauncher)
    processes: Processes = field(default_factory=NoProcesses)
    surveyor: Surveyor = field(default_factory=NoSurvey)

    def __post_init__(self) -> None:
        private = self.project.parent / "private"
        self.tests = JudgedTests(self.project, self.judge)
        self.workspace = GitWorkspace(self.project, private)
        self.worktrees = GitWorktrees(self.project, private)
        self.service = CycleService(
            self.store, self.workspace, self.clock, self.launcher, self.processes, "test", worktrees=self.worktrees
        )

    def create(
        self, text: str = GOAL, *, title: str | None = None, max_iterations: int = 5,
        parallel: int = 2, roles: dict[Role, str] | None = None, budget: Budget | None = None, **settings: object,
    ) -> str:  # fmt: skip
        """`settings` are those of RunSettings."""
        given = RunSettings.model_validate({"mode": "auto", "agent": "player", **settings})
        return self.service.create(
            text, title=title, max_iterations=max_iterations, parallel=parallel, settings=given, roles=roles or {},
            budget=budget,
        ).cycle_id  # fmt: skip

    def make_agent(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        return Player(self.cast, at or self.project)

    async def drive(
        self, cycle_id: str, person: Prompter | None = None, on_note: Callable[[RunNote], None] | None = None,
        tests: TestRunner | None = None,
    ) -> CycleState:  # fmt: skip
        """It hangs nowhere for long. `tests`: real ones, in the place of the judged."""
        observers = [self.notes.append, *([on_note] if on_note else [])]
        runner = CycleRunner(
            project=str(self.project),
            store=self.store,
            workspace=self.workspace,
            worktrees=self.worktrees,
            surveyor=self.surveyor,
            tests=tests or self.tests,
            clock=self.clock,
            processes=self.processes,
            agents=self.make_agent,
            debugger=lambda id, bus, folder: NoDebugger(),
        )
        at = self.clock.now().isoformat(timespec="milliseconds")
        async with asyncio.timeout(60):
            return await runner.drive(
                cycle_id, take_up=lambda s: take_up(s, at), bus=EventBus(*observers), person=person
            )

    def document(self, cycle_id: str, name: str) -> str:
        return (self.store.progress_path(cycle_id) / name).read_text(encoding="utf-8")


MakeCycleStage = Callable[..., CycleStage]
