"""Notes about what a run does now: to observers in this process, and to its transcript. None holds a secret."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from loopwright.core.transcript import (
    AgentMessage,
    AgentText,
    AgentThought,
    ToolUse,
    TranscriptEvent,
    TroubleNote,
    TurnEnd,
    describe_event,
    event_of,
    fields_of,
)
from loopwright.policy.secrets import SecretFilter, SecretStream

BURST_SECONDS = 1.0
BURST = 4096
"""Characters of a text that are put together before they are passed on."""
TURN = 1_000_000
"""Characters of a turn that are kept, of whatever is said and done in it."""
OUTPUT, WORDS, PATHS = 4000, 1000, 50
"""Of a tool call: characters of its output and of its words, and how many paths."""
EACH = 200
"""Characters that an event counts for beside its words."""

Text = AgentText | AgentThought


class Timer(Protocol):
    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]
"""Calls back after so many seconds, in the same thread."""


class OutputFilter:
    """Passes events on to `tell`, in order. What is under way is passed on by `flush`, which the end calls too."""

    def __init__(
        self, tell: Callable[[TranscriptEvent], None], secrets: SecretFilter, later: Later | None = None
    ) -> None:
        self._tell, self._secrets, self._later = tell, secrets, later
        self._kind: type[Text] = AgentText
        self._text = ""
        self._timer: Timer | None = None
        self._tools: dict[str, ToolUse] = {}
        self._room = TURN
        self._left_out = 0

    def hear(self, event: TranscriptEvent) -> None:
        match event:
            case AgentText() | AgentThought():
                self._gather(type(event), event.text)
            case ToolUse():
                self._use(event)
            case AgentMessage() | TurnEnd():
                self._end_turn()
                self._pass_on(event)
            case _:
                if self._fits(len(str(event))):
                    self._pass_on(event)

    def flush(self) -> None:
        """Passes on what has been gathered so far, to its end."""
        self._stop_timer()
        text, self._text = self._text, ""
        if text:
            self._tell(self._kind(text=self._secrets.masked(text)))

    def close(self) -> None:
        self._end_turn()

    def _gather(self, kind: type[Text], text: str) -> None:
        if kind is not self._kind:
            self.flush()
            self._kind = kind
        if not self._fits(len(text)):
            return
        self._text += text
        if len(self._text) >= BURST:
            self._spill()
        elif self._text and self._timer is None and self._later is not None:
            self._timer = self._later(BURST_SECONDS, self._spill)

    def _spill(self) -> None:
        """Passes on what can be, though more is to come."""
        self._stop_timer()
        text, self._text = self._secrets.streamed(self._text)
        if text:
            self._tell(self._kind(text=text))

    def _use(self, event: ToolUse) -> None:
        """Each change of a call once; what it prints meanwhile is no change."""
        last = self._tools.get(event.id)
        event = self._clipped(event)
        if last is not None and last.evolve(output="") == event.evolve(output=""):
            return
        if self._fits(EACH + len(event.title) + len(event.command or "") + len(event.output)):
            self._tools[event.id] = event
            self._pass_on(event)

    def _clipped(self, event: ToolUse) -> ToolUse:
        return event.evolve(
            id=event.id[:WORDS],
            title=event.title[:WORDS],
            paths=tuple(path[:WORDS] for path in event.paths[:PATHS]),
            command=self._clip(event.command, OUTPUT) if event.command else event.command,
            output=self._clip(event.output, OUTPUT) if event.output else event.output,
        )

    def _clip(self, text: str, most: int) -> str:
        """The beginning; a secret that is cut in two is masked or left out."""
        if len(text) <= most:
            return text
        return f"{self._secrets.streamed(text[: 4 * most]).text[:most]}…"

    def _fits(self, size: int) -> bool:
        """Whether the turn has room for so much more; what has none is counted."""
        if size > self._room or self._left_out:
            self._left_out += size
            return False
        self._room -= size
        return True

    def _end_turn(self) -> None:
        self.flush()
        if self._left_out:
            self._tell(TroubleNote(text=f"… {self._left_out:,} more characters of this turn were dropped"))
        self._room, self._left_out = TURN, 0
        self._tools.clear()

    def _pass_on(self, event: TranscriptEvent) -> None:
        self.flush()
        fields = {name: self._secrets.masked_json(value) for name, value in fields_of(event).items()}
        try:
            self._tell(event_of(fields))
        except ValueError:  # a secret that is also one of the words that a field can hold
            self._tell(
                TroubleNote(text=f"a line of kind {event.kind} was dropped: it cannot be written without a secret")
            )

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None


NoteKind = Literal[
    "action", "activity", "output", "agent", "result",
    "able", "message", "turn",
    "session", "said", "thought", "plan", "tool", "permission", "discovery", "usage", "trouble",
]  # fmt: skip
"""What the engine says, what it records of its dealings with an agent, and what is heard of the agent itself."""


@dataclass(frozen=True)
class RunNote:
    """`output` is a line a program printed; it is shown, never kept. `event`: what was heard, where `text` tells it.

    `role`: who it is about, where several work side by side.
    """

    kind: NoteKind
    text: str
    event: TranscriptEvent | None = None
    role: str | None = None


Observer = Callable[[RunNote], None]


class EventBus:
    """Hands each note to every observer, in order, in the caller's thread.

    Without `later` the parts of a text are handed on once they are many, or something else happens. `role` stands on
    every note: whoever works beside others has a bus of its own, with the same observers.
    """

    def __init__(
        self,
        *observers: Observer,
        secrets: SecretFilter | None = None,
        later: Later | None = None,
        role: str | None = None,
    ) -> None:
        self.observers, self.role = observers, role
        self.secrets = secrets or SecretFilter()
        self._hearing = OutputFilter(self._tell, self.secrets, later)
        self._printed = SecretStream(self.secrets, lambda text: self._hand(RunNote("output", text, role=self.role)))

    def publish(self, kind: NoteKind, text: str) -> None:
        if kind == "output":
            self._printed.feed(text)
            return
        self._printed.finish()
        self._hearing.flush()
        self._hand(RunNote(kind, self.masked(text), role=self.role))

    def hear(self, event: TranscriptEvent) -> None:
        """What an agent does, told as a note; see Hearing for what becomes of it on the way."""
        self._hearing.hear(event)

    def masked(self, text: str) -> str:
        """The text without its secrets."""
        return self.secrets.masked(text)

    def close(self) -> None:
        """Hands on what was gathered; nothing is heard after it."""
        self._printed.finish()
        self._hearing.close()

    def also(
        self, observer: Observer, secrets: SecretFilter, later: Later | None, role: str | None = None
    ) -> "EventBus":
        """A bus with one more observer, for the time that a runner drives, or for one `role` in it."""
        return EventBus(*self.observers, observer, secrets=secrets, later=later, role=role or self.role)

    def _tell(self, event: TranscriptEvent) -> None:
        self._hand(RunNote(event.kind, describe_event(event), event, self.role))

    def _hand(self, note: RunNote) -> None:
        for observer in self.observers:
            observer(note)
