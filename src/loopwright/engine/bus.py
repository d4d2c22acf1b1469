"""Notes about what a run does now: to observers in this process, and to its transcript. None holds a secret."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from loopwright.domain.secrets import Secrets
from loopwright.domain.transcript import Heard, told
from loopwright.engine.hearing import Hearing, Later

NoteKind = Literal[
    "action", "activity", "output", "agent", "result",
    "able", "message", "turn",
    "session", "said", "thought", "plan", "tool", "permission", "discovery", "usage", "trouble",
]  # fmt: skip
"""What the engine says, what it records of its dealings with an agent, and what is heard of the agent itself."""


@dataclass(frozen=True)
class Note:
    """`output` is a line a program printed; it is shown, never kept. `event`: what was heard, where `text` tells it.

    `role`: who it is about, where several work side by side.
    """

    kind: NoteKind
    text: str
    event: Heard | None = None
    role: str | None = None


Observer = Callable[[Note], None]


class Bus:
    """Hands each note to every observer, in order, in the caller's thread.

    Without `later` the parts of a text are handed on once they are many, or something else happens. `role` stands on
    every note: whoever works beside others has a bus of its own, with the same observers.
    """

    def __init__(
        self,
        *observers: Observer,
        secrets: Secrets | None = None,
        later: Later | None = None,
        role: str | None = None,
    ) -> None:
        self.observers, self.role = observers, role
        self.secrets = secrets or Secrets()
        self._hearing = Hearing(self._tell, self.secrets, later)

    def publish(self, kind: NoteKind, text: str) -> None:
        if kind != "output":
            self._hearing.flush()
        self._hand(Note(kind, self.masked(text), role=self.role))

    def hear(self, event: Heard) -> None:
        """What an agent does, told as a note; see Hearing for what becomes of it on the way."""
        self._hearing.hear(event)

    def masked(self, text: str) -> str:
        """The text without its secrets."""
        return self.secrets.masked(text)

    def close(self) -> None:
        """Hands on what was gathered; nothing is heard after it."""
        self._hearing.close()

    def also(self, observer: Observer, secrets: Secrets, later: Later | None, role: str | None = None) -> "Bus":
        """A bus with one more observer, for the time that a runner drives, or for one `role` in it."""
        return Bus(*self.observers, observer, secrets=secrets, later=later, role=role or self.role)

    def _tell(self, event: Heard) -> None:
        self._hand(Note(event.kind, told(event), event, self.role))

    def _hand(self, note: Note) -> None:
        for observer in self.observers:
            observer(note)
