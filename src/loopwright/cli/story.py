"""Following a loop: what was committed since the last look, and where it is shown."""

import json
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, get_args

from loopwright.cli.scene import Scene
from loopwright.domain.events import Entry
from loopwright.domain.loop import LoopState
from loopwright.domain.progress import Done
from loopwright.engine.bus import Note, NoteKind
from loopwright.engine.service import LoopService


class View(Protocol):
    """Where a running loop is shown, while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def look(self, scene: Scene, entries: Sequence[Entry]) -> None:
        """The latest state, and what was committed since the last look."""
        ...

    def note(self, note: Note) -> None:
        """What the runner does right now."""
        ...

    def aside(self) -> AbstractContextManager[None]:
        """While somebody else has the terminal."""
        ...


class Story:
    """Tells one loop to one view. History before the start is known to the plan, but not told again."""

    def __init__(self, service: LoopService, loop_id: str, view: View) -> None:
        self._service, self._loop_id, self._view = service, loop_id, view
        self._began = time.monotonic()
        before = service.events(loop_id)
        self._history = finished(before)
        self._seq = before[-1].seq if before else 0

    def look(self) -> LoopState:
        """Shows what is new, and returns the latest state."""
        entries = self._service.events(self._loop_id, self._seq)
        state = self._service.read(self._loop_id)
        if entries:
            self._history += finished(entries)
            self._seq = entries[-1].seq
        self._view.look(Scene(state, self._history, time.monotonic() - self._began), entries)
        return state

    def note(self, note: Note) -> None:
        """Passes a note on, after what was committed before it."""
        if note.kind != "output":
            self.look()
        self._view.note(note)


def finished(entries: Sequence[Entry]) -> tuple[Done, ...]:
    """The actions that ended, as the plan wants them."""
    ended = (entry.event.data for entry in entries if entry.event.type == "action_finished")
    return tuple(Done(str(data.get("action")), str(data.get("result") or "")) for data in ended)


class Tail:
    """The lines that are appended to a file; a line without its end is left for the next look."""

    def __init__(self, path: Path, *, from_end: bool = False) -> None:
        self._path = path
        self._at = path.stat().st_size if from_end and path.exists() else 0

    def lines(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                fresh = file.read()
        except FileNotFoundError:
            return []
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._at += len(whole)
        return whole.decode(errors="replace").splitlines()


def read_note(line: str) -> Note | None:
    """A note from a line of the transcript, or None for one that was torn."""
    try:
        raw = json.loads(line)
        kind: NoteKind = next(kind for kind in get_args(NoteKind) if kind == raw["kind"])
        return Note(kind, str(raw["text"]))
    except (ValueError, KeyError, TypeError, StopIteration):
        return None
