"""Notes about what a loop does now: to observers in this process, and to the loop's transcript."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from loopwright.domain.conversation import AgentEvent
from loopwright.domain.loop import LoopState
from loopwright.ports import Clock, Store

TRANSCRIPT = "transcript.ndjson"

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

    def hear(self, event: AgentEvent) -> None:
        """What an agent does, told as a note."""

    def also(self, observer: Observer) -> "Bus":
        """A bus with one more observer."""
        return Bus(*self.observers, observer)


def transcript(store: Store[LoopState], clock: Clock, loop_id: str) -> Observer:
    """Keeps every note but program output, a line each: {ts, after, kind, text}. Best effort: appended, not synced.

    `after` is the number of the last commit before it, so that a reader can put both in order.
    """

    def keep(note: Note) -> None:
        if note.kind != "output":
            at = clock.now().isoformat(timespec="milliseconds")
            after = store.read(loop_id).engine.rev
            told = {"ts": at, "after": after, "kind": note.kind, "text": note.text}
            line = json.dumps(told, ensure_ascii=False)
            store.append_progress(loop_id, TRANSCRIPT, [line.encode(errors="replace")])

    return keep
