"""The transcript of a run: every note a line, and lines read back."""

import json
from datetime import datetime
from typing import Generic, NamedTuple, get_args

from pydantic import JsonValue

from loopwright.domain.errors import StoreError
from loopwright.domain.json_line import json_line
from loopwright.domain.run import R
from loopwright.domain.transcript import TRANSCRIPT, event_of, fields_of
from loopwright.engine.bus import Note, NoteKind
from loopwright.ports import Clock, Store

_SPOKEN = frozenset({"action", "activity", "agent", "result"})
"""Kinds of notes that have nothing but their words."""


class Transcript(Generic[R]):
    """Keeps every note but program output, a line each: {ts, after, kind, text, …}. Best effort: appended, not synced.

    `after` is the number of the last commit before it, so that a reader can put both in order; `role` stands in lines
    that are about one. A line that can not be written does not hold up the run; the next that can be says how many are
    missing. `name` is that of its file among the progress files.
    """

    def __init__(self, store: Store[R], clock: Clock, id: str, name: str = TRANSCRIPT) -> None:
        self._store, self._clock, self._id, self._name = store, clock, id, name
        self._lost = 0

    def __call__(self, note: Note) -> None:
        if note.kind == "output":
            return
        lines = [self._line(note)]
        if self._lost:
            lines.insert(
                0,
                self._line(Note("trouble", f"{self._lost} lines before this one could not be written", role=note.role)),
            )
        try:
            self._store.append_progress(self._id, self._name, lines)
            self._lost = 0
        except StoreError:  # told with the next line
            self._lost += 1

    def _line(self, note: Note) -> bytes:
        at = self._clock.now().isoformat(timespec="milliseconds")
        fields = fields_of(note.event) if note.event else {"kind": note.kind, "text": note.text}
        role = {"role": note.role} if note.role else {}
        line = {"ts": at, "after": self._store.read(self._id).engine.rev, **role, **fields}
        return json_line(line).encode()


class Kept(NamedTuple):
    """A note from the transcript. `after`: the journal's number it was said after, 0 where that is not known."""

    note: Note
    at: datetime
    after: int


def read_line(line: str) -> Kept:
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
    return Kept(Note(kind, text, None if kind in _SPOKEN else event_of(own), role), at, after)
