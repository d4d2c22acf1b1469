"""A stage for whole loops: real store, real git, scripted agent, judged tests."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.agents.task_agent import CommandAgent
from loopwright.core.ports import Agent, AgentEnvironment, Processes, Prompter, Store
from loopwright.core.prompts import Prompts
from loopwright.core.protocol import Capabilities, Usage
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.runner import no_price
from loopwright.core.state import Budget, RunSettings
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.messages import loop_prompts
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.service import LoopService
from loopwright.workspace.checkpoints import GitWorkspace
from tests.fakes import CountingLauncher, FakeClock, Judge, JudgedTests, NoDebugger, NoProcesses

ABLE = Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)


def said(action: str, status: str = "success", message: str = "done", **updates: object) -> str:
    """A reply as the contract wants it."""
    return (
        f"ACTION_RESULT:\n- action: {action}\n- status: {status}\n- message: {message}\n"
        f"- state_updates: {json.dumps(updates)}\n\nFILES_UPDATED:\n\nNEXT_ACTION_NEEDED: VALIDATE\n"
    )


def app_is_good(project: Path) -> dict[str, str]:
    """One test, which passes once app.txt says good."""
    return {"app": "passed" if (project / "app.txt").read_text() == "good" else "failed"}


def app_is_as_expected(project: Path) -> dict[str, str]:
    """A framework without digests: every file of `tests` is a test, and passes once app.txt says that, too."""
    said_there = (project / "app.txt").read_text()
    expected = sorted((project / "tests").glob("*.txt"))
    return {path.stem: "passed" if path.read_text() in said_there else "failed" for path in expected}


def as_git(folder: Path) -> None:
    """A git of its own with nothing in it, as most projects are in one; tests/workspace knows those that are not."""
    for inner in ("objects", "refs"):
        (folder / ".git" / inner).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


@dataclass
class Stage:
    """`answers` are what the scripted agent will say; `tests` judges the project by its files."""

    project: Path
    store: Store[LoopState]
    judge: Judge = app_is_good
    answers: list[ScriptedTurn] = field(default_factory=list)
    capabilities: Capabilities = ABLE
    clock: FakeClock = field(default_factory=FakeClock)
    notes: list[RunNote] = field(default_factory=list)
    launcher: CountingLauncher = field(default_factory=CountingLauncher)
    prompts: Prompts = field(default_factory=loop_prompts)
    price: Callable[[Usage], float | None] = no_price
    processes: Processes = field(default_factory=NoProcesses)

    def __post_init__(self) -> None:
        self.tests = JudgedTests(self.project, self.judge)
        self.workspace = GitWorkspace(self.project, self.project.parent / "private")
        self.service = LoopService(self.store, self.workspace, self.clock, self.launcher, self.processes, "test")
        self.agent = ScriptedAgent(
            AgentScript(capabilities=self.capabilities, answers=tuple(self.answers)), self.project
        )

    def make_agent(self, name: str, around: AgentEnvironment) -> Agent:
        return CommandAgent(self.project, around.loop_id) if name == "bash" else self.agent

    def create(
        self,
        text: str = "Make app.txt good",
        *,
        max_iterations: int = 10,
        budget: Budget | None = None,
        **settings: object,
    ) -> str:
        """`settings` are those of RunSettings."""
        given = RunSettings.model_validate({"mode": "auto", "agent": "scripted", "proof": "mend", **settings})
        return self.service.create(text, max_iterations=max_iterations, settings=given, budget=budget).loop_id

    async def drive(
        self,
        loop_id: str,
        person: Prompter | None = None,
        on_note: Callable[[RunNote], None] | None = None,
        *,
        from_afar: bool = False,
    ) -> LoopState:
        observers = [self.notes.append, *([on_note] if on_note else [])]
        runner = LoopRunner(
            project=str(self.project),
            store=self.store,
            workspace=self.workspace,
            tests=self.tests,
            clock=self.clock,
            processes=self.processes,
            agents=self.make_agent,
            debugger=lambda id, bus: NoDebugger(),
            prompts=self.prompts,
            price=self.price,
        )
        return await runner.drive(
            loop_id, take_up=take_up, bus=EventBus(*observers), person=person, from_afar=from_afar
        )

    def pause_after(self, note: RunNote, loop_id: str, text: str) -> None:
        """An observer that pauses the loop when it hears `text`."""
        if note.text == text:
            self.service.pause(loop_id)

    def actions(self, loop_id: str) -> list[str]:
        """Every action of the loop, in order, from the journal."""
        finished = (e for e in self.store.events(loop_id) if e.event.type == "action_finished")
        return [str(e.event.data["action"]) for e in finished]


MakeStage = Callable[..., Stage]
