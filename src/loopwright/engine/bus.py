"""Notes about what a loop does now: to observers in this process, and to the loop's transcript."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

NoteKind = Literal["action", "activity", "output", "agent", "result"]


@dataclass(frozen=True)
class Note:
    """`output` is a line a program printed; it is shown, never kept."""

    kind: NoteKind
    text: str


Observer = Callable[[Note], None]


class Bus:
    """Hands each note to every observer, in order, in the caller's thread."""

    def __init__(self, *observers: Observer) -> None:
        self.observers = observers

    def publish(self, kind: NoteKind, text: str) -> None:
        for observer in self.observers:
            observer(Note(kind, text))
