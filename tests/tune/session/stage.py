"""A stage for whole tuning sessions: real store, real folders, real detectors and fixes, agents that do as told."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.agents.task_agent import TaskAgent
from loopwright.core.ports import Agent, AgentEnvironment, Processes, ResultCache, Rule, Store
from loopwright.core.protocol import AgentOutput, Capabilities, Message, Usage
from loopwright.core.record import JournalEvent
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.state import Budget, RunSettings
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.files import Rewrite
from loopwright.workflows.tuning import commands
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.runner import NoResultCache, TuningRunner
from loopwright.workflows.tuning.service import TuningService
from tests.fakes import CountingLauncher, FakeClock, NoProcesses

HEAD = "---\nname: notes\ndescription: Writes notes of a meeting from its recording.\n---\n\n# Notes\n\n"
SICK: dict[str, str] = {
    "SKILL.md": (
        f"{HEAD}Write the notes of a meeting.\n\n## Phases\n\n"
        "1. Read [how to listen](first/01-listen.md) and follow it.\n2. Read [how to write](second/02-write.md).\n\n"
        "All of them: [01](phases/01-listen.md), [02](phases/02-write.md).\n"
    ),
    "phases/01-listen.md": "# Listen\n\nListen to the recording and list who says what.\n",
    "phases/02-write.md": "# Write\n\nWrite the notes in their own words. Follow [the style](../specs/style.md).\n",
}
"""Two files that are there in another folder, and one that is missing: nobody but an agent can write that."""
MENDED = {**SICK, "SKILL.md": SICK["SKILL.md"].replace("first/", "phases/").replace("second/", "phases/")}
STYLE = "# Style\n\nShort sentences, in the order in which things were said.\n"

Play = Callable[[Path, Message], AgentOutput | str | None]
"""What an agent does in its copy of the skill; None: it hangs until it is cancelled."""


def lay_out(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def texts(root: Path) -> dict[str, str]:
    """All that lies in the folder."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in found}


class Writer(TaskAgent):
    """One play a turn; without one it has nothing to say."""

    name = "writer"
    capabilities = Capabilities(plans=True, writes_code=True)

    def __init__(self, stage: "TuneStage", folder: Path) -> None:
        super().__init__()
        self._stage, self._folder = stage, folder

    async def play(self, id: str, message: Message) -> AgentOutput:
        self._stage.orders.append(message)
        play = self._stage.plays.pop(0) if self._stage.plays else None
        came = play(self._folder, message) if play else "I have nothing to add."
        if came is None:
            await asyncio.get_running_loop().create_future()
        if isinstance(came, AgentOutput):
            return came.evolve(agent_id=id)
        return AgentOutput(agent_id=id, running=False, text=came or "", usage=Usage(tokens=100))


class Folders(SkillFolders):
    """The real ones, with somebody who comes in between: `before` and `after` each call that changes the skill."""

    def __init__(self, stage: "TuneStage") -> None:
        super().__init__()
        self._stage = stage

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        return self._between("apply", lambda: super(Folders, self).apply(root, change, backup))

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        return self._between("roll_back", lambda: super(Folders, self).roll_back(root, backup))

    def _between(self, what: str, call: Callable[[], Mapping[str, str | None]]) -> Mapping[str, str | None]:
        self._stage.meddle(f"before {what}")
        came = call()
        self._stage.meddle(f"after {what}")
        return came


@dataclass
class TuneStage:
    """`plays`: what the agent does, turn by turn; `orders`: what it was told. `meddle`: see Folders."""

    project: Path
    store: Store[TuningState]
    plays: list[Play] = field(default_factory=list)
    orders: list[Message] = field(default_factory=list)
    notes: list[RunNote] = field(default_factory=list)
    meddle: Callable[[str], None] = lambda what: None
    clock: FakeClock = field(default_factory=FakeClock)
    launcher: CountingLauncher = field(default_factory=CountingLauncher)
    processes: Processes = field(default_factory=NoProcesses)
    answers: ResultCache = field(default_factory=NoResultCache)

    def __post_init__(self) -> None:
        self.folders = Folders(self)
        self.service = TuningService(
            self.store, _NoWorkspace(self.project), self.clock, self.launcher, self.processes, "test",  # type: ignore[arg-type]  # nothing of it but its root is asked for
            skills=self.folders,
        )  # fmt: skip

    def skill(self, files: Mapping[str, str] = SICK, name: str = "notes") -> Path:
        """A fresh skill in the project."""
        root = self.project / "skills" / name
        lay_out(root, files)
        return root

    def create(self, root: Path, *, tokens: int | None = None, **given: object) -> str:
        """`given` as the service takes it; by default its mechanical fixes are applied."""
        if given.get("agent"):
            given["level"] = "agent"
        wanted = {
            "level": "mechanical", "settings": RunSettings(mode="auto", agent="writer", action_timeout=30),
            "budget": Budget(max_tokens=tokens), **given,
        }  # fmt: skip
        path = str(root.relative_to(self.project))
        return self.service.create(path, root, **wanted).tuning_id  # type: ignore[arg-type]  # as the service takes it

    async def drive(self, id: str, *, take_up: Rule[TuningState] = lambda state: state) -> TuningState:
        """It hangs nowhere for long."""
        async with asyncio.timeout(20):
            return await self.runner().drive(id, take_up=take_up, bus=EventBus(self.notes.append, self._hear))

    def runner(self) -> TuningRunner:
        return TuningRunner(
            project=str(self.project),
            store=self.store,
            skills=self.folders,
            clock=self.clock,
            processes=self.processes,
            agents=self._agent,
            answers=self.answers,
        )

    async def tuned(self, root: Path, **given: object) -> TuningState:
        """A whole session."""
        return await self.drive(self.create(root, **given))  # type: ignore[arg-type]  # as `create` takes it

    def stop(self, id: str) -> None:
        """As another process does it."""
        at = self.clock.now().isoformat(timespec="milliseconds")
        self.store.update(id, lambda state: commands.stop(state, at), actor="test", event=JournalEvent(type="stopped"))

    def document(self, id: str, name: str) -> str:
        return (self.store.progress_path(id) / name).read_text()

    def steps(self) -> list[str]:
        return [note.text for note in self.notes if note.kind == "action"]

    def _agent(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        assert at is not None
        return Writer(self, at)

    def _hear(self, note: RunNote) -> None:
        self.meddle(f"{note.kind} {note.text}")


@dataclass
class _NoWorkspace:
    """Sessions take nothing from a project but its place."""

    root: Path


MakeStage = Callable[..., TuneStage]
