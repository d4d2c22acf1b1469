"""A running loop without a terminal: lines for a log, or NDJSON for a program."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Self

from loopwright.cli.output import write
from loopwright.cli.scene import Scene, said
from loopwright.cli.text import clean, local, short
from loopwright.domain.events import Entry
from loopwright.domain.loop import LoopState
from loopwright.engine.bus import Note

CELLS = 160
QUIET_SECONDS = 5.0
"""How long a log may say nothing while a program prints."""

SILENT = frozenset({"running", "lease_taken"})
"""Commits that say nothing to a person."""


def event_words(entry: Entry) -> str:
    """An event for people: what happened, and by whom where it was not the runner."""
    data = entry.event.data
    match entry.event.type:
        case "action_started":
            task = data.get("task")
            return f"{data.get('action')}{f' {task}' if task else ''}"
        case "action_finished":
            reasons = data.get("reasons")
            why = f" ({'; '.join(map(str, reasons))})" if isinstance(reasons, list) and reasons else ""
            return f"{data.get('action')}: {data.get('result')}{why}"
        case type:
            about = " ".join(f"{name}={value}" for name, value in data.items())
            by = "" if entry.actor == "runner" else f" by {entry.actor}"
            return f"{type.replace('_', ' ')}{f' {about}' if about else ''}{by}"


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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def look(self, scene: Scene, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.event.type not in SILENT:
                self._say(f"{event_line(entry)}{_about(entry, scene.state)}")

    def note(self, note: Note) -> None:
        at = datetime.now().astimezone()
        if note.kind in ("activity", "agent") and (words := said(note.text)):
            self._say(f"{at:%H:%M:%S}   {short(words, CELLS)}")
        elif note.kind == "output" and clean(note.text) and time.monotonic() - self._spoke > QUIET_SECONDS:
            self._say(f"{at:%H:%M:%S}   … {short(note.text, CELLS)}")

    @contextmanager
    def aside(self) -> Iterator[None]:
        yield

    def _say(self, line: str) -> None:
        print(line, flush=True)
        self._spoke = time.monotonic()


class NdjsonView:
    """One object a line: every committed event, and what is said between them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def look(self, scene: Scene, entries: Sequence[Entry]) -> None:
        for entry in entries:
            write(event_object(entry))

    def note(self, note: Note) -> None:
        if note.kind in ("activity", "agent"):
            write({"type": "note", "kind": note.kind, "text": note.text})

    @contextmanager
    def aside(self) -> Iterator[None]:
        yield


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
