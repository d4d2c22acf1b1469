"""A running loop without a terminal: lines for a log, or NDJSON for a program."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from loopwright.cli.output import write
from loopwright.cli.scene import Scene
from loopwright.cli.telling import TurnLines
from loopwright.cli.text import last_line, local, short
from loopwright.domain.events import Entry
from loopwright.domain.loop import LoopState
from loopwright.domain.transcript import fields_of
from loopwright.domain.wording import event_words
from loopwright.engine.bus import Note

CELLS = 160
QUIET_SECONDS, MOST_QUIET_SECONDS = 5.0, 60.0
"""How long a log may say nothing while a program prints; twice as long each time, so that hours stay readable."""

SILENT = frozenset({
    "running", "lease_taken", "permission_asked", "permission_taken", "session", "session_left",
})  # fmt: skip
"""Commits that say nothing to a person, or what is said anyhow."""

UNTOLD = frozenset({"action", "result", "output", "able", "turn"})
"""Notes that a program is not told: the commits say the same, or they are there to play a loop again."""


def event_line(entry: Entry) -> str:
    return f"{local(entry.ts, '%H:%M:%S')} {short(event_words(entry), CELLS)}"


def _about(entry: Entry, state: LoopState) -> str:
    """What the task is that begins."""
    task = state.engine.task(str(entry.event.data.get("task"))) if entry.event.type == "action_started" else None
    return f": {short(task.description, CELLS // 2)}" if task else ""


class LineView:
    """`12:03:04 DEVELOP …`, one line for whatever happens."""

    def __init__(self) -> None:
        self._spoke = time.monotonic()
        self._quiet = QUIET_SECONDS
        self._turn = TurnLines()

    def look(self, scene: Scene, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.event.type not in SILENT:
                self._quiet = QUIET_SECONDS
                self._say(f"{event_line(entry)}{_about(entry, scene.state)}")

    def note(self, note: Note, at: datetime) -> None:
        if note.kind == "output":
            if time.monotonic() - self._spoke > self._quiet and (last := last_line(note.text)):
                self._quiet = min(2 * self._quiet, MOST_QUIET_SECONDS)
                self._say(f"{at.astimezone():%H:%M:%S}   … {short(last, CELLS)}")
            return
        for words in self._turn.lines(note, time.monotonic()):
            self._say(f"{at.astimezone():%H:%M:%S}   {short(words, CELLS)}")

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _say(self, line: str) -> None:
        print(line, flush=True)
        self._spoke = time.monotonic()


class NdjsonView:
    """One object a line: every committed event, and what is said and done between them."""

    def look(self, scene: Scene, entries: Sequence[Entry]) -> None:
        for entry in entries:
            write(event_object(entry))

    def note(self, note: Note, at: datetime) -> None:
        if note.kind not in UNTOLD:
            fields = fields_of(note.event) if note.event else {"kind": note.kind, "text": note.text}
            write({"type": "note", "ts": at.isoformat(timespec="milliseconds"), **fields})

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()


def event_object(entry: Entry) -> dict[str, object]:
    return {
        "type": entry.event.type, "seq": entry.seq, "ts": entry.ts, "actor": entry.actor, "data": entry.event.data,
    }  # fmt: skip


def rest_object(state: LoopState, exit_code: int) -> dict[str, object]:
    """The last line: how it came to rest, and the whole state."""
    return {
        "type": "rest", "success": exit_code == 0, "exit_code": exit_code, "loop_id": state.loop_id,
        "status": state.status, "outcome": state.engine.outcome, "data": state,
    }  # fmt: skip
