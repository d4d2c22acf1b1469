"""What is heard of an agent, made fit to be kept and shown: chunks put together, secrets masked, floods cut."""

from collections.abc import Callable
from typing import Protocol

from loopwright.domain.conversation import Said, Thought, ToolUsed, Trouble
from loopwright.domain.secrets import Secrets
from loopwright.domain.transcript import Asked, Heard, TurnEnded, event_of, fields_of

BURST_SECONDS = 1.0
BURST = 4096
"""Characters of a text that are put together before they are passed on."""
TURN = 1_000_000
"""Characters of a turn that are kept, of whatever is said and done in it."""
OUTPUT, WORDS, PATHS = 4000, 1000, 50
"""Of a tool call: characters of its output and of its words, and how many paths."""
EACH = 200
"""Characters that an event counts for beside its words."""

Text = Said | Thought


class Timer(Protocol):
    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]
"""Calls back after so many seconds, in the same thread."""


class Hearing:
    """Passes events on to `tell`, in order. What is under way is passed on by `flush`, which the end calls too."""

    def __init__(self, tell: Callable[[Heard], None], secrets: Secrets, later: Later | None = None) -> None:
        self._tell, self._secrets, self._later = tell, secrets, later
        self._kind: type[Text] = Said
        self._text = ""
        self._timer: Timer | None = None
        self._tools: dict[str, ToolUsed] = {}
        self._room = TURN
        self._left_out = 0

    def hear(self, event: Heard) -> None:
        match event:
            case Said() | Thought():
                self._gather(type(event), event.text)
            case ToolUsed():
                self._use(event)
            case Asked() | TurnEnded():
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

    def _use(self, event: ToolUsed) -> None:
        """Each change of a call once; what it prints meanwhile is no change."""
        last = self._tools.get(event.id)
        event = self._clipped(event)
        if last is not None and last.evolve(output="") == event.evolve(output=""):
            return
        if self._fits(EACH + len(event.title) + len(event.command or "") + len(event.output)):
            self._tools[event.id] = event
            self._pass_on(event)

    def _clipped(self, event: ToolUsed) -> ToolUsed:
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
            self._tell(Trouble(text=f"… {self._left_out:,} more characters of this turn are left out"))
        self._room, self._left_out = TURN, 0
        self._tools.clear()

    def _pass_on(self, event: Heard) -> None:
        self.flush()
        fields = {name: self._secrets.masked_json(value) for name, value in fields_of(event).items()}
        try:
            self._tell(event_of(fields))
        except ValueError:  # a secret that is also one of the words that a field can hold
            self._tell(
                Trouble(text=f"a line of the kind {event.kind} is left out: it can not be told without a secret")
            )

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None
