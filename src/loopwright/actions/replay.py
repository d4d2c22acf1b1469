"""Playing a recorded course again: the engine decides and measures anew, the agents answer as they did."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.actions.recording import ENDS
from loopwright.actions.replay_clock import ReplayClock
from loopwright.actions.runner import LoopRunner
from loopwright.domain import replaying
from loopwright.domain.events import Entry, Event
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_commands import take_up
from loopwright.domain.protocol import AgentOutput, Message
from loopwright.domain.replaying import Act, Moment, Recording
from loopwright.domain.transcript import TurnEnded, TurnFailure
from loopwright.engine.bus import Bus, Note, Observer
from loopwright.engine.recorded import digest_of
from loopwright.engine.threads import in_thread
from loopwright.ports import MenuEntry, Rule, Workspace


@dataclass(frozen=True)
class Replayed:
    """How it went. `strayed`: why it was given up; `reworded` counts orders that were not worded as recorded."""

    state: LoopState
    actions: tuple[str, ...]
    strayed: str | None
    reworded: int


class Replay:
    """One replay. `source` holds the recorded snapshots, `runner` works in a copy of the project.

    Observes the runner: what came from outside comes again at the same point of the course.
    """

    def __init__(self, recording: Recording, source: Workspace, clock: ReplayClock) -> None:
        self._recording, self._source, self._clock = recording, source, clock
        self._changes = list(recording.changes)
        self._applied = recording.start
        self._seq = self._begun = self._over = self._reworded = 0
        self._turns: list[TurnEnded] = []
        self._failure: TurnFailure | None = None
        self._strayed: str | None = None
        self._driving: asyncio.Future[LoopState] | None = None
        self._runner: LoopRunner

    @property
    def _act(self) -> Act:
        return self._recording.acts[self._begun - 1]

    async def play(self, runner: LoopRunner, *observers: Observer) -> Replayed:
        """In a copy of the project as it began, until the course is over or leaves the recorded one."""
        self._runner = runner
        id, store = self._recording.first.loop_id, runner.store
        store.create(replaying.as_new(self._recording.first), actor="runner")
        rule: Rule[LoopState] = take_up
        while True:
            at = self._begun, self._over
            await self._drive(rule, *observers)
            self._catch_up()
            state = store.read(id)
            done = self._begun >= len(self._recording.acts) and self._over >= self._recording.over
            if done or self._strayed or state.status != "running" or at == (self._begun, self._over):
                return Replayed(state, actions_of(store.events(id)), self._strayed, self._reworded)
            rule = _as_it_is

    async def answer(self, name: str, message: Message) -> AgentOutput | TurnFailure:
        """The next turn of the action under way; a failure stands for whatever is asked after it."""
        act = self._act
        if not act.measures:
            await in_thread(self._become, act.commit)
        if not self._turns:
            return self._failure or self._stray(f"{act.action} asked {name} more than the transcript holds")
        turn = self._turns.pop(0)
        if turn.agent != name:
            return self._stray(f"{act.action} asked {name}, where the transcript has an answer of {turn.agent}")
        self._reworded += turn.digest != digest_of(message, self._runner.project)
        self._failure = turn.error
        if turn.error or turn.output is None:
            return turn.error or self._stray(f"the transcript holds no answer of {name} to {act.action}")
        return await in_thread(self._refilled, turn.output, message, act)

    def _refilled(self, output: AgentOutput, message: Message, act: Act) -> AgentOutput:
        findings = output.findings
        if findings is None:
            return output
        texts = ("", "")
        if findings.patch and act.commit:
            file = findings.patch.file
            with TemporaryDirectory() as folder:
                self._source.export(act.commit, Path(folder), paths=[file])
                texts = (_text(Path(self._runner.project) / file), _text(Path(folder) / file))
        return output.evolve(findings=replaying.refilled(findings, message.debug, texts))

    async def _drive(self, rule: Rule[LoopState], *observers: Observer) -> None:
        """Until the loop rests, or this has cancelled it where a runner had died."""
        bus = Bus(*observers, self._heard)
        person = _Chooser(self) if self._recording.by_menu else None
        self._driving = asyncio.ensure_future(
            self._runner.drive(self._recording.first.loop_id, take_up=rule, bus=bus, person=person)
        )
        try:
            await asyncio.wait({self._driving})
        finally:
            self._driving.cancel()
            await asyncio.wait({self._driving})
        with suppress(asyncio.CancelledError):
            self._driving.result()

    def _heard(self, note: Note) -> None:
        if note.kind in ("action", "result"):
            self._catch_up()

    def _catch_up(self) -> None:
        """Counts what was committed since the last look, and does what has to be done at this point."""
        id = self._recording.first.loop_id
        for entry in self._runner.store.events(id, self._seq):
            self._seq = entry.seq
            if entry.event.type == "action_started":
                self._begun += 1
                self._enter(str(entry.event.data["action"]))
            elif entry.event.type in ENDS:
                self._over += 1
                self._leave()
        while self._changes and self._changes[0].when.reached(Moment(self._begun, self._over)):
            change = self._changes.pop(0)
            self._commit(change.type, lambda state: replaying.changed_by_others(state, change))  # noqa: B023

    def _enter(self, action: str) -> None:
        if self._begun > len(self._recording.acts):
            self._break_off()
            return
        act = self._act
        if act.action != action:
            self._stray(f"action {self._begun} is {action}, where the recorded loop did {act.action}")
            return
        self._clock.set(act.at, act.tasks)
        self._turns, self._failure = list(act.turns), None
        if act.broken_off or not act.turns:
            self._become(act.commit)
        if act.broken_off:
            self._break_off()

    def _leave(self) -> None:
        """An action has ended: its time is spent as it was then."""
        act = self._act
        if act.measures:
            self._applied = act.commit or self._applied
        if self._recording.last.engine.budget.max_minutes is not None:
            self._commit("edited", lambda state: _spent(state, act.spent))

    def _commit(self, type: str, rule: Rule[LoopState]) -> None:
        id = self._recording.first.loop_id
        self._runner.store.update(id, rule, actor="external", event=Event(type=type))

    def _become(self, commit: str | None) -> None:
        """Makes the copy what the project was at that commit, but for what test runs write by themselves."""
        if commit is None or commit == self._applied:
            return
        left_out = frozenset(self._recording.last.engine.run_writes)
        changes = [c for c in self._source.changes(self._applied, commit) if c.file not in left_out]
        root = Path(self._runner.project)
        for change in changes:
            if change.action == "delete":
                (root / change.file).unlink(missing_ok=True)
        self._source.export(commit, root, paths=[c.file for c in changes if c.action != "delete"])
        self._applied = commit

    def _stray(self, words: str) -> TurnFailure:
        self._strayed = self._strayed or words
        self._break_off()
        return TurnFailure(kind="cancelled")

    def _break_off(self) -> None:
        if self._driving:
            self._driving.cancel()

    def next_action(self) -> str | None:
        """What was done next in the recorded course."""
        acts = self._recording.acts
        return acts[self._begun].action if self._begun < len(acts) else None


class _Chooser:
    """The person of the recorded loop: chooses from the menu what was chosen then."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    async def ask(self, question: str, options: Sequence[str]) -> str:
        return options[0] if options else ""

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        wanted = (self._replay.next_action() or "exit").lower()
        return next((e.name for e in menu if e.name == wanted and not e.blocked), "exit")

    async def show(self, state: LoopState) -> None:
        """Nobody looks."""


def actions_of(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The actions that came to an end, in order."""
    return tuple(str(e.event.data["action"]) for e in entries if e.event.type in ENDS)


def _as_it_is(state: LoopState) -> LoopState:
    return state


def _spent(state: LoopState, seconds: float) -> LoopState:
    return state.evolve(engine=state.engine.evolve(budget=state.engine.budget.evolve(spent_seconds=seconds)))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
