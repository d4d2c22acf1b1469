"""Recording what passes between the engine and its agents: every message, and what each turn came to."""

import hashlib
import json
from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Generic, NamedTuple, get_args

from pydantic import JsonValue

from loopwright.core.errors import AgentError, StoreError
from loopwright.core.ports import Agent, Clock, Store
from loopwright.core.protocol import ActionReport, AgentOutput, Message
from loopwright.core.record import JournalEntry
from loopwright.core.run import R
from loopwright.core.run_events import EventBus, NoteKind, RunNote
from loopwright.core.state import Checkpoint
from loopwright.core.text import json_line
from loopwright.core.transcript import (
    TRANSCRIPT,
    AgentAbilities,
    AgentMessage,
    TurnEnd,
    TurnFailure,
    event_of,
    fields_of,
)
from loopwright.evidence.debugging import SearchFindings


class TurnRecorder:
    """Tells the bus of every message, and of what its turn came to.

    What an agent reports goes on without its secrets, and so does its trouble.
    `project`: where the agents work.
    """

    def __init__(self, bus: EventBus, project: str) -> None:
        self._bus, self._project = bus, project

    def meet(self, name: str, agent: Agent) -> None:
        """An agent that was made."""
        self._bus.hear(AgentAbilities(agent=name, capabilities=agent.capabilities))

    def send(self, name: str, message: Message, *, first: bool) -> None:
        """A message, before its agent gets it. `first`: it opens a session."""
        brief, text = (message.brief, message.text) if first else ("", message.short or message.text)
        text = f"{text}\n\n{message.told}" if message.told else text
        told = AgentMessage(
            agent=name, action=message.action, policy=message.policy, text=text, first=first, brief=brief
        )
        self._bus.hear(told)

    @contextmanager
    def watch(self, name: str, message: Message) -> Iterator[None]:
        """Around a turn with all that is tried in it."""
        try:
            yield
        except CancelledError:
            self._record(name, message, error=TurnFailure(kind="cancelled"))
            raise
        except AgentError as error:
            words = self._bus.masked(str(error))
            until = error.until.isoformat() if error.until else None
            self._record(name, message, error=TurnFailure(kind=error.kind, message=words, until=until))
            raise AgentError(error.kind, words, until=error.until) from error

    def mask(self, report: ActionReport) -> ActionReport:
        """Its words; names of files have to stay what they are."""
        masked = self._bus.secrets.masked_json
        return report.evolve(
            message=self._bus.masked(report.message),
            state_updates=masked(report.state_updates),
            options=tuple(self._bus.masked(option) for option in report.options),
        )

    def end(self, name: str, message: Message, output: AgentOutput, report: ActionReport | None) -> None:
        """What the turn came to."""
        findings = _lean(output.findings) if output.findings else None
        text = "" if report else output.text
        self._record(name, message, output=output.evolve(text=text, report=report, findings=findings))

    def _record(
        self, name: str, message: Message, output: AgentOutput | None = None, error: TurnFailure | None = None
    ) -> None:
        digest = digest_of(message, self._project)
        self._bus.hear(TurnEnd(agent=name, action=message.action, digest=digest, output=output, error=error))


def digest_of(message: Message, project: str) -> str:
    """16 hex digits for the order, wherever the project lies."""
    return hashlib.sha256(message.text.replace(project, ".").encode(errors="replace")).hexdigest()[:16]


def _lean(findings: SearchFindings) -> SearchFindings:
    """Without whole files: they are in the checkpoints, and may hold secrets."""
    patch = findings.patch.evolve(old_text="", new_text="") if findings.patch else None
    return findings.evolve(patch=patch, rivals=())


_SPOKEN = frozenset({"action", "activity", "agent", "result"})
"""Kinds of notes that have nothing but their words."""


class Transcript(Generic[R]):
    """Keeps every note but program output, a line each: {ts, after, kind, text, …}. Best effort: appended, not synced.

    `after` is the number of the last commit before it, so that a reader can put both in order; `role` stands in lines
    that are about one. A line that cannot be written does not hold up the run; the next that can be says how many are
    missing. `name` is that of its file among the progress files.
    """

    def __init__(self, store: Store[R], clock: Clock, id: str, name: str = TRANSCRIPT) -> None:
        self._store, self._clock, self._id, self._name = store, clock, id, name
        self._lost = 0

    def __call__(self, note: RunNote) -> None:
        if note.kind == "output":
            return
        lines = [self._line(note)]
        if self._lost:
            lines.insert(
                0,
                self._line(
                    RunNote("trouble", f"{self._lost} lines before this one could not be written", role=note.role)
                ),
            )
        try:
            self._store.append_progress(self._id, self._name, lines)
            self._lost = 0
        except StoreError:  # told with the next line
            self._lost += 1

    def _line(self, note: RunNote) -> bytes:
        at = self._clock.now().isoformat(timespec="milliseconds")
        fields = fields_of(note.event) if note.event else {"kind": note.kind, "text": note.text}
        role = {"role": note.role} if note.role else {}
        line = {"ts": at, "after": self._store.read(self._id).engine.rev, **role, **fields}
        return json_line(line).encode()


class TranscriptLine(NamedTuple):
    """A note from the transcript. `after`: the journal's number it was said after, 0 where that is not known."""

    note: RunNote
    at: datetime
    after: int


def read_line(line: str) -> TranscriptLine:
    """ValueError says what is wrong with it: torn, damaged, or of another version."""
    raw: dict[str, JsonValue] = json.loads(line)
    if not isinstance(raw, dict):
        raise ValueError("not an object")
    try:
        kind: NoteKind = next(kind for kind in get_args(NoteKind) if kind == raw["kind"])
        text, at, after = str(raw["text"]), datetime.fromisoformat(str(raw["ts"])), int(str(raw.get("after", 0)))
    except KeyError as missing:
        raise ValueError(f"{missing} is missing") from missing
    except StopIteration:
        raise ValueError(f"no kind {raw['kind']!r} is known") from None
    own = {name: value for name, value in raw.items() if name not in ("ts", "after", "role")}
    role = str(raw["role"]) if raw.get("role") else None
    return TranscriptLine(RunNote(kind, text, None if kind in _SPOKEN else event_of(own), role), at, after)


Span = tuple[int, int]
"""Numbers of the commits that began and ended an action."""


def earlier_messages(
    store: Store[R], id: str, agent: str, *, until: int, name: str = TRANSCRIPT, role: str | None = None
) -> tuple[AgentMessage, ...]:
    """The messages that `agent` was sent before the commit `until`, in order.

    Those of actions that were interrupted or rewound are left out: they are sent again. `name` is that of the
    transcript among the progress files, `role` the one whose steps count, in a run that has roles.
    """
    lines = [line for line in _lines(store, id, name) if line.after < until]
    spans = [
        span
        for span in _spans(store.events(id), role, store.read(id).engine.checkpoints)
        if not any(_is_cancelled(line) for line in lines if _within(line, span))
    ]
    events = (line.note.event for line in lines if any(_within(line, span) for span in spans))
    return tuple(event for event in events if isinstance(event, AgentMessage) and event.agent == agent)


def _lines(store: Store[R], id: str, name: str) -> Iterator[TranscriptLine]:
    """Those that can be read: the last may be torn."""
    path = store.progress_path(id) / name
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            yield read_line(line.decode())
        except ValueError:
            continue


def _spans(course: Sequence[JournalEntry], role: str | None, checkpoints: Sequence[Checkpoint]) -> list[Span]:
    """The actions that came to an end, and were not rewound since."""
    revs = {checkpoint.n: checkpoint.rev for checkpoint in checkpoints}
    spans: list[Span] = []
    begun: dict[tuple[object, object], int] = {}
    for entry in course:
        data, key = entry.event.data, (entry.event.data.get("step"), entry.event.data.get("task"))
        match entry.event.type:
            case "action_started" | "step_started" if data.get("role") == role:
                begun[key] = entry.seq
            case "action_finished" | "step_finished" if key in begun:
                spans.append((begun.pop(key), entry.seq))
            case "taken_over":
                begun.clear()
            case "rewound":
                then = next((rev for n, rev in revs.items() if n == data.get("to")), entry.seq)
                spans = [span for span in spans if span[1] <= then]
    return spans


def _within(line: TranscriptLine, span: Span) -> bool:
    return span[0] <= line.after < span[1]


def _is_cancelled(line: TranscriptLine) -> bool:
    event = line.note.event
    return isinstance(event, TurnEnd) and event.error is not None and event.error.kind == "cancelled"
