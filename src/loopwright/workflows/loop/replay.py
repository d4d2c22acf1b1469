"""A recorded course: what a loop did, what others did to it meanwhile, and whether another course came to the same."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.core.errors import AgentError, Conflict, Corrupt, Invalid, NotFound
from loopwright.core.names import FINISHED
from loopwright.core.ports import Clock, Rule, Store, Workspace
from loopwright.core.protocol import AgentOutput, Capabilities, Message
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.recording import TranscriptLine, digest_of, read_line
from loopwright.core.run_events import EventBus, Observer, RunNote
from loopwright.core.state import DevelopTask, MenuEntry
from loopwright.core.threads import run_in_thread
from loopwright.core.transcript import FORM, TRANSCRIPT, AgentAbilities, TurnEnd, TurnFailure
from loopwright.evidence.debugging import DebugRequest, SearchFindings
from loopwright.workflows.loop.commands import reopen, take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.selector import CHOSEN
from loopwright.workflows.outside_changes import with_limits

OTHERS = (
    "title",
    "description",
    "max_iterations",
    "status",
    "completed_at",
    "failure_reason",
    "tags",
    "priority",
    "notes",
)
OTHERS_IN_ENGINE = (
    "outcome",
    "waiting",
    "answer",
    "interrupt",
    "parked",
    "settings",
    "tasks",
    "allow_test_changes",
)
"""What commands change of a loop, in its own fields and under `engine`."""


@dataclass(frozen=True)
class RecordedAction:
    """One action. `commit`: the project after it, where that is another one than before.

    `broken_off`: its runner died in it. `tasks` are ids of tasks that came of it, `spent` the loop's seconds after it.
    """

    action: str
    at: str
    turns: tuple[TurnEnd, ...] = ()
    commit: str | None = None
    broken_off: bool = False
    tasks: tuple[str, ...] = ()
    spent: float = 0

    @property
    def measures(self) -> bool:
        """The engine itself has written what changed: a patch that was found by measuring."""
        return any(turn.output is not None and turn.output.findings is not None for turn in self.turns)


@dataclass(frozen=True)
class ReplayMoment:
    """A point of a course: how many actions had begun, and how many of these were over."""

    begun: int
    over: int

    def reached(self, now: "ReplayMoment") -> bool:
        return now.begun >= self.begun and now.over >= self.over


@dataclass(frozen=True)
class ExternalChange:
    """What somebody changed of the loop from outside; `type` as the journal calls it."""

    when: ReplayMoment
    type: str
    before: LoopState
    after: LoopState


@dataclass(frozen=True)
class LoopRecording:
    """`first` is the loop before its first action, `start` the commit of the project at that time.

    `over`: how many of the actions came to an end. `by_menu`: a person chose them.
    """

    first: LoopState
    last: LoopState
    start: str
    acts: tuple[RecordedAction, ...]
    changes: tuple[ExternalChange, ...]
    agents: Mapping[str, Capabilities]
    over: int
    by_menu: bool = False

    def able(self, agent: str) -> Capabilities:
        """What the agent of that name could be asked for. Corrupt where nobody has recorded it, but AgentError where
        others may take over, or it was to review: it was not there.
        """
        states = (self.first, *(change.after for change in self.changes))
        is_spare = any(s.engine.settings.fallback or s.engine.settings.review == agent for s in states)
        if agent not in self.agents and is_spare:
            raise AgentError("refused", f"{agent} was not there")
        if agent not in self.agents:
            raise Corrupt(f"{TRANSCRIPT} has no line of the kind able for {agent}: lines are missing")
        return self.agents[agent]


@dataclass(frozen=True)
class CourseDifference:
    what: str
    recorded: str
    replayed: str


def apply_external_change(state: LoopState, change: ExternalChange) -> LoopState:
    """The state with the same change made to it."""
    before, after = change.before, change.after
    if before.status in FINISHED and after.status == "running" and state.status in FINISHED:
        state = reopen(with_limits(state, after))
    own = {name: getattr(after, name) for name in OTHERS if getattr(before, name) != getattr(after, name)}
    inner = {
        name: getattr(after.engine, name)
        for name in OTHERS_IN_ENGINE
        if getattr(before.engine, name) != getattr(after.engine, name)
    }
    return state.evolve(**own, engine=with_limits(state, after).engine.evolve(**inner))


def reset_loop(state: LoopState) -> LoopState:
    """The loop as it was created: nothing has run yet."""
    engine = state.engine.evolve(rev=0, digest="", journal_bytes=0, epoch=0, sessions={}, asked=(), menu=None)
    return state.evolve(status="created", engine=engine)


def refill_findings(findings: SearchFindings, order: DebugRequest | None, texts: tuple[str, str]) -> SearchFindings:
    """Findings for a replay: `texts` are the patched file before and after, and commits are those of this course."""
    patch = findings.patch and findings.patch.evolve(old_text=texts[0], new_text=texts[1])
    own = {h.id: h.evidence or {} for h in order.hypotheses} if order else {}
    hypotheses = tuple(
        h.evolve(evidence={**h.evidence, **{k: own[h.id][k] for k in ("before", "after") if k in own[h.id]}})
        if h.evidence and h.id in own
        else h
        for h in findings.hypotheses
    )
    return findings.evolve(patch=patch, hypotheses=hypotheses)


def compare_states(
    recorded: LoopState, then: Sequence[str], replayed: LoopState, now: Sequence[str]
) -> tuple[CourseDifference, ...]:
    """What matters of two courses, where it is not the same; `then` and `now` are their actions."""
    pairs = zip(_matters(recorded, then).items(), _matters(replayed, now).values(), strict=True)
    return tuple(CourseDifference(what, a, b) for (what, a), b in pairs if a != b)


def _matters(state: LoopState, actions: Sequence[str]) -> dict[str, str]:
    skill = state.skill_state
    tests = skill.validate_ if skill else None
    return {
        "actions": " ".join(actions),
        "status": state.status,
        "outcome": state.engine.outcome or "none",
        "iterations": str(state.current_iteration),
        "waiting": "for an answer" if state.engine.waiting else "no",
        "tasks": "; ".join(_task(task) for task in (skill.develop.tasks if skill else ())) or "none",
        "hypotheses": ", ".join(f"{h.id} {h.status}" for h in (skill.debug.hypotheses if skill else ())) or "none",
        "validation": f"{'passed' if tests.passed else 'not passed'}, {len(tests.test_results)} tests"
        if tests
        else "none",
        "failing tests": ", ".join(tests.failed_tests if tests else ()) or "none",
    }


def _task(task: DevelopTask) -> str:
    files = f" ({', '.join(task.files_changed)})" if task.files_changed else ""
    return f"{task.description}: {task.status}{files}"


ENDS = frozenset({"action_finished", "taken_over"})
OWN = frozenset(
    {
        "lease_taken",
        "budget_held",
        "handed_over",
        "session",
        "session_left",
        "summarised",
        "recovered",
        "attempt_kept",
        "attempts_settled",
    }
)
"""What a runner commits beside its actions; a replay does the same by itself."""

OWN_TALK = ("permission", "menu", "question", "message")
"""How the types begin of what a runner asks, and of its answers: a replay asks nobody."""


def read_recording(store: Store[LoopState], loop_id: str) -> LoopRecording:
    """NotFound, Invalid or Conflict where there is nothing to play; Corrupt names the line that is damaged."""
    last = store.read(loop_id)
    if store.holder(loop_id) is not None:
        raise Conflict(f"{loop_id} is running; wait until it ends or pauses: loopwright watch {loop_id}")
    entries = store.events(loop_id)
    begins = next((e.seq for e in entries if e.event.type == "action_started"), None)
    if begins is None:
        raise Invalid(f"{loop_id} has not done anything yet; there is nothing to replay")
    if any(e.event.type == "rewound" for e in entries):
        raise Invalid(f"{loop_id} was rewound; a rewound loop cannot be replayed")
    if any(e.event.type == "rival_taken" for e in entries):
        raise Invalid(f"in {loop_id} a rival replaced a patch; such a loop cannot be replayed")
    kept = tuple(_lines(store, loop_id))
    course = tuple(e for e in entries if e.seq >= begins)
    acts = tuple(_acts(store, last, course, kept))
    return LoopRecording(
        first=store.read_at(loop_id, begins - 1),
        last=last,
        start=_start(store, last, course),
        acts=acts,
        changes=tuple(_changes(store, loop_id, course)),
        agents=_agents(kept),
        over=sum(e.event.type in ENDS for e in course),
        by_menu=any(e.event.data.get("row") == CHOSEN or e.event.type == "exited" for e in course),
    )


def _lines(store: Store[LoopState], loop_id: str) -> Iterator[TranscriptLine]:
    path = store.progress_path(loop_id) / TRANSCRIPT
    if not path.exists():
        raise NotFound(f"{loop_id} has no {TRANSCRIPT}: without it there is nothing to replay")
    for n, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            kept = read_line(line.decode())
        except ValueError as error:
            raise Corrupt(f"{TRANSCRIPT}, line {n}: cannot be read: {error}") from error
        event = kept.note.event
        if isinstance(event, TurnEnd) and event.form != FORM:
            raise Corrupt(f"{TRANSCRIPT}, line {n}: recorded by another version (form {event.form}, not {FORM})")
        yield kept


def _agents(kept: Sequence[TranscriptLine]) -> dict[str, Capabilities]:
    told = (k.note.event for k in kept)
    return {event.agent: event.capabilities for event in told if isinstance(event, AgentAbilities)}


def _start(store: Store[LoopState], last: LoopState, course: Sequence[JournalEntry]) -> str:
    """The project before anything was done to it: what the first test run saw, else the first checkpoint."""
    known = last.engine.checkpoints
    if not known or known[0].n != 1:
        raise Invalid(f"{last.loop_id} has no first checkpoint (any more); there is nothing to start from")
    ended = next(e.seq for e in course if e.event.type in ENDS)
    baseline = store.read_at(last.loop_id, ended).engine.baseline
    return baseline.commit if baseline and baseline.commit else known[0].commit


def _acts(
    store: Store[LoopState], last: LoopState, course: Sequence[JournalEntry], kept: Sequence[TranscriptLine]
) -> Iterator[RecordedAction]:
    commits = {checkpoint.rev: checkpoint.commit for checkpoint in last.engine.checkpoints}
    begun: JournalEntry | None = None
    tasks = frozenset(task.task_id for task in store.read_at(last.loop_id, course[0].seq).engine.tasks)
    for entry in course:
        if entry.event.type == "action_started":
            begun = entry
        elif entry.event.type in ENDS and begun is not None:
            state = store.read_at(last.loop_id, entry.seq)
            ids = tuple(task.task_id for task in state.engine.tasks)
            yield replace(
                _act(begun, entry.seq, kept),
                commit=commits.get(entry.seq),
                spent=state.engine.budget.spent_seconds,
                broken_off=entry.event.type == "taken_over",
                tasks=tuple(id for id in ids if id not in tasks),
            )
            tasks |= frozenset(ids)
            begun = None
    if begun is not None:
        yield replace(_act(begun, last.engine.rev + 1, kept), broken_off=True)


def _act(begun: JournalEntry, ended: int, kept: Sequence[TranscriptLine]) -> RecordedAction:
    events = (k.note.event for k in kept if begun.seq <= k.after < ended)
    turns = tuple(event for event in events if isinstance(event, TurnEnd))
    return RecordedAction(action=str(begun.event.data["action"]), at=begun.ts, turns=turns)


def _changes(store: Store[LoopState], loop_id: str, course: Sequence[JournalEntry]) -> Iterator[ExternalChange]:
    """What was committed beside the actions: by people and other programs, and when a runner took the loop up."""
    begun = over = 0
    for entry in course:
        type = entry.event.type
        begun += type == "action_started"
        over += type in ENDS
        own = type in OWN or type.startswith(OWN_TALK) or (type == "resumed" and entry.actor == "runner")
        if type != "action_started" and type not in ENDS and not own:
            before, after = (store.read_at(loop_id, seq) for seq in (entry.seq - 1, entry.seq))
            yield ExternalChange(ReplayMoment(begun, over), type, before, after)


class ReplayClock:
    """The time as it was, and the chances as they fell; it never waits."""

    def __init__(self, real: Clock) -> None:
        self._real, self._now = real, datetime.fromisoformat("1970-01-01T00:00:00+00:00")
        self._tokens: list[str] = []

    def set(self, at: str, ids: Sequence[str]) -> None:
        """An action begins; `ids` end with the digits that were drawn in it."""
        self._now = max(self._now, datetime.fromisoformat(at))
        self._tokens = [id.rpartition("-")[2] * 4 for id in ids]

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def monotonic(self) -> float:
        return self._real.monotonic()

    def token(self) -> str:
        return self._tokens.pop(0) if self._tokens else self._real.token()

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        await asyncio.sleep(0)


@dataclass(frozen=True)
class ReplayResult:
    """How it went. `strayed`: why it was given up; `reworded` counts orders that were not worded as recorded."""

    state: LoopState
    actions: tuple[str, ...]
    strayed: str | None
    reworded: int


class LoopReplay:
    """One replay. `source` holds the recorded snapshots, `runner` works in a copy of the project.

    Observes the runner: what came from outside comes again at the same point of the course.
    """

    def __init__(self, recording: LoopRecording, source: Workspace, clock: ReplayClock) -> None:
        self._recording, self._source, self._clock = recording, source, clock
        self._changes = list(recording.changes)
        self._applied = recording.start
        self._seq = self._begun = self._over = self._reworded = 0
        self._turns: list[TurnEnd] = []
        self._failure: TurnFailure | None = None
        self._strayed: str | None = None
        self._driving: asyncio.Future[LoopState] | None = None
        self._runner: LoopRunner

    @property
    def _act(self) -> RecordedAction:
        return self._recording.acts[self._begun - 1]

    async def play(self, runner: LoopRunner, *observers: Observer) -> ReplayResult:
        """In a copy of the project as it began, until the course is over or leaves the recorded one."""
        self._runner = runner
        id, store = self._recording.first.loop_id, runner.store
        store.create(reset_loop(self._recording.first), actor="runner")
        rule: Rule[LoopState] = take_up
        while True:
            at = self._begun, self._over
            await self._drive(rule, *observers)
            self._catch_up()
            state = store.read(id)
            done = self._begun >= len(self._recording.acts) and self._over >= self._recording.over
            if done or self._strayed or state.status != "running" or at == (self._begun, self._over):
                return ReplayResult(state, actions_of(store.events(id)), self._strayed, self._reworded)
            rule = lambda state: state  # noqa: E731

    async def answer(self, name: str, message: Message) -> AgentOutput | TurnFailure:
        """The next turn of the action under way; a failure stands for whatever is asked after it."""
        act = self._act
        if not act.measures:
            await run_in_thread(self._become, act.commit)
        if not self._turns:
            return self._failure or self._stray(f"{act.action} asked {name} more often than the transcript does")
        turn = self._turns.pop(0)
        if turn.agent != name:
            return self._stray(f"{act.action} asked {name}, where the transcript has an answer of {turn.agent}")
        self._reworded += turn.digest != digest_of(message, self._runner.project)
        self._failure = turn.error
        if turn.error or turn.output is None:
            return turn.error or self._stray(f"the transcript holds no answer of {name} to {act.action}")
        return await run_in_thread(self._refilled, turn.output, message, act)

    def _refilled(self, output: AgentOutput, message: Message, act: RecordedAction) -> AgentOutput:
        findings = output.findings
        if findings is None:
            return output
        texts = ("", "")
        if findings.patch and act.commit:
            file = findings.patch.file
            with TemporaryDirectory() as folder:
                self._source.export(act.commit, Path(folder), paths=[file])
                texts = (_text(Path(self._runner.project) / file), _text(Path(folder) / file))
        return output.evolve(findings=refill_findings(findings, message.debug, texts))

    async def _drive(self, rule: Rule[LoopState], *observers: Observer) -> None:
        """Until the loop rests, or this has cancelled it where a runner had died."""
        bus = EventBus(*observers, self._heard)
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

    def _heard(self, note: RunNote) -> None:
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
        while self._changes and self._changes[0].when.reached(ReplayMoment(self._begun, self._over)):
            change = self._changes.pop(0)
            self._commit(change.type, lambda state: apply_external_change(state, change))  # noqa: B023

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
        self._runner.store.update(id, rule, actor="external", event=JournalEvent(type=type))

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

    def __init__(self, replay: LoopReplay) -> None:
        self._replay = replay

    async def ask(self, question: str, options: Sequence[str]) -> str:
        return options[0] if options else ""

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        wanted = (self._replay.next_action() or "exit").lower()
        return next((e.name for e in menu if e.name == wanted and not e.blocked), "exit")

    async def show(self, state: LoopState) -> None:
        """Nobody looks."""


def actions_of(entries: Sequence[JournalEntry]) -> tuple[str, ...]:
    """The actions that came to an end, in order."""
    return tuple(str(e.event.data["action"]) for e in entries if e.event.type in ENDS)


def _spent(state: LoopState, seconds: float) -> LoopState:
    return state.evolve(engine=state.engine.evolve(budget=state.engine.budget.evolve(spent_seconds=seconds)))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def compare_courses(
    recording: LoopRecording,
    then: Sequence[JournalEntry],
    replayed: ReplayResult,
    source: Workspace,
    here: Workspace,
    beside: Workspace,
) -> tuple[CourseDifference, ...]:
    """What is not as it was. `then` is the recorded journal, `here` the copy, `beside` an empty folder."""
    files = _other_files(recording, source, here, beside)
    found = compare_states(recording.last, actions_of(then), replayed.state, replayed.actions)
    return (*found, CourseDifference("files", ", ".join(files), "other or none")) if files else found


def _other_files(recording: LoopRecording, source: Workspace, here: Workspace, beside: Workspace) -> tuple[str, ...]:
    """Files that are not as they were in the end."""
    known = recording.last.engine.checkpoints
    source.export(known[-1].commit, beside.root)
    without = recording.last.engine.run_writes
    if here.tree(without) == beside.tree(without):
        return ()
    there = (path for path in beside.root.rglob("*") if path.is_file())
    names = (path.relative_to(beside.root) for path in there)
    other = {str(name) for name in names if not _same(beside.root / name, here.root / name)}
    return tuple(sorted(other - set(without))) or ("some that were not there",)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()
