"""Following a loop or a cycle: what was committed since the last look, and where it is shown."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from loopwright.cli.kinds import AnyKind
from loopwright.cli.picture import Picture
from loopwright.domain.events import Entry
from loopwright.engine.bus import Note
from loopwright.engine.runs import Runs
from loopwright.engine.transcript import Kept, read_line
from loopwright.store.tail import Tail


class View(Protocol):
    """Where something that runs is shown."""

    def look(self, picture: Picture, entries: Sequence[Entry]) -> None:
        """The latest state, and what was committed since the last look."""
        ...

    def note(self, note: Note, at: datetime) -> None:
        """What the runner does right now, or did at that time."""
        ...

    def aside(self) -> AbstractContextManager[None]:
        """While somebody else has the terminal."""
        ...


class Story:
    """Tells one run to one view. History before the start is known to the picture, but not told again."""

    def __init__(self, kind: AnyKind, service: Runs[Any], id: str, view: View) -> None:  # Any: as in AnyKind
        self._kind, self._service, self._id, self._view = kind, service, id, view
        self._began = time.monotonic()
        before = service.events(id)
        self._history = kind.remembered(before)
        self._seq = before[-1].seq if before else 0

    def look(self, upto: int | None = None) -> Any:
        """Shows what is new, up to that number of the journal, and returns the latest state."""
        known = self._service.events(self._id, self._seq)
        entries = tuple(entry for entry in known if upto is None or entry.seq <= upto)
        state = self._service.read(self._id)
        if entries:
            self._history += self._kind.remembered(entries)
            self._seq = entries[-1].seq
        self._view.look(self._kind.picture(state, self._history, time.monotonic() - self._began), entries)
        return state

    def note(self, note: Note) -> None:
        """Passes a note of this moment on, after what was committed before it."""
        if note.event is None and note.kind != "output":
            self.look()
        self._view.note(note, self._service.clock.now())

    def catch_up(self, *notes: Tail) -> Any:
        """Shows what another process has done since the last look, in the order in which it was done.

        What is committed after this look at the journal is left for the next one: a note that came before it may not
        be in the transcript yet.
        """
        latest = self._service.events(self._id, self._seq)
        found = [kept for tail in notes for kept in filter(None, map(read_note, tail.lines()))]
        for kept in sorted(found, key=lambda kept: kept.at) if len(notes) > 1 else found:
            if kept.after:
                self.look(kept.after)
            self._view.note(kept.note, kept.at)
        return self.look(latest[-1].seq if latest else self._seq)


def read_note(line: str) -> Kept | None:
    """A note from a line of the transcript, or None for one that was torn or is of another version."""
    try:
        return read_line(line)
    except (ValueError, TypeError):
        return None
