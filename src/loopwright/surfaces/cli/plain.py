"""Something that runs, without a terminal: lines for a log, or NDJSON for a program."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import partial

from loopwright.core.record import JournalEntry
from loopwright.core.run import Run
from loopwright.core.run_events import RunNote
from loopwright.core.text import clean_line, plural
from loopwright.core.transcript import ToolUse, TurnEnd, describe_usage, fields_of
from loopwright.core.wording import event_words
from loopwright.surfaces.cli.output import print_json
from loopwright.surfaces.cli.run_scene import REPORTS, RunPicture, strip_report
from loopwright.surfaces.cli.text import format_time, last_line, shorten_text

SAID_SECONDS = 5.0
"""How often, at most, a part of what an agent says is told while it says it; its answer is told at the end."""
TOOLS = 50
"""Tool calls of a turn that are told one by one."""


class TurnLines:
    """The lines that a note is worth; none for most."""

    def __init__(self) -> None:
        self._said_at: float | None = None
        self._said = ""
        self._reports = False
        self._tools = 0

    def lines(self, note: RunNote, now: float) -> Iterator[str]:
        """`now` in seconds since an arbitrary start."""
        match note.kind:
            case "activity":
                yield from filter(None, [strip_report(note.text)])
            case "agent":
                words = strip_report(note.text)
                if words and words != self._said:
                    yield words
            case "said":
                yield from self._part(note.text, now)
            case "tool" if isinstance(note.event, ToolUse) and note.event.status in ("completed", "failed"):
                self._tools += 1
                if self._tools <= TOOLS:
                    yield clean_line(note.text)
            case "session" | "permission" | "discovery" | "trouble":
                yield clean_line(note.text)
            case "turn" if isinstance(note.event, TurnEnd):
                yield from self._end(note.event)
            case "message":
                self._said_at, self._said, self._reports, self._tools = None, "", False, 0
            case _:
                pass

    def _part(self, text: str, now: float) -> Iterator[str]:
        """A part of what is said, unless one was told just now; nothing of the report, in which the engine reads."""
        words = "" if self._reports else strip_report(text)
        self._reports = self._reports or any(name in text for name in REPORTS)
        if words and (self._said_at is None or now - self._said_at >= SAID_SECONDS):
            self._said_at, self._said = now, words
            yield words

    def _end(self, event: TurnEnd) -> Iterator[str]:
        if self._tools > TOOLS:
            yield f"… and {plural(self._tools - TOOLS, 'more tool call')}"
        usage = event.output.usage if event.output else None
        if usage and (usage.tokens is not None or usage.cost is not None):
            yield f"used {describe_usage(usage)}"


CELLS = 160
QUIET_SECONDS, MOST_QUIET_SECONDS = 5.0, 60.0
"""How long a log may say nothing while a program prints; twice as long each time, so that hours stay readable."""

SILENT = frozenset(
    {
        "running",
        "lease_taken",
        "permission_asked",
        "permission_taken",
        "session",
        "session_left",
    }
)
"""Commits that say nothing to a person, or what is said anyhow."""

UNTOLD = frozenset({"action", "result", "output", "able", "turn"})
"""Notes that a program is not told: the commits say the same, or they are there to play a loop again."""


TELL = partial(print, flush=True)


def event_line(entry: JournalEntry) -> str:
    return f"{format_time(entry.ts, '%H:%M:%S')} {shorten_text(event_words(entry), CELLS)}"


class LineView:
    """`12:03:04 DEVELOP …`, one line for whatever happens; `tell` takes each."""

    draws = False

    def __init__(self, tell: Callable[[str], None] = TELL) -> None:
        self._tell = tell
        self._spoke = time.monotonic()
        self._quiet = QUIET_SECONDS
        self._turns: dict[str | None, TurnLines] = defaultdict(TurnLines)
        """By role: several may be at work at once."""

    def look(self, picture: RunPicture, entries: Sequence[JournalEntry]) -> None:
        for entry in entries:
            if entry.event.type not in SILENT:
                self._quiet = QUIET_SECONDS
                self._say(f"{event_line(entry)}{picture.about(entry)}")

    def note(self, note: RunNote, at: datetime) -> None:
        begin = f"{at.astimezone():%H:%M:%S}   {f'{note.role}: ' if note.role else ''}"
        if note.kind == "output":
            if time.monotonic() - self._spoke > self._quiet and (last := last_line(note.text)):
                self._quiet = min(2 * self._quiet, MOST_QUIET_SECONDS)
                self._say(f"{begin}… {shorten_text(last, CELLS)}")
            return
        for words in self._turns[note.role].lines(note, time.monotonic()):
            self._say(f"{begin}{shorten_text(words, CELLS)}")

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _say(self, line: str) -> None:
        self._tell(line)
        self._spoke = time.monotonic()


class NdjsonView:
    """One object a line: every committed event, and what is said and done between them."""

    draws = False

    def look(self, picture: RunPicture, entries: Sequence[JournalEntry]) -> None:
        for entry in entries:
            print_json(event_object(entry))

    def note(self, note: RunNote, at: datetime) -> None:
        if note.kind not in UNTOLD:
            fields = fields_of(note.event) if note.event else {"kind": note.kind, "text": note.text}
            role = {"role": note.role} if note.role else {}
            print_json({"type": "note", "ts": at.isoformat(timespec="milliseconds"), **role, **fields})

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()


def event_object(entry: JournalEntry) -> dict[str, object]:
    return {
        "type": entry.event.type,
        "seq": entry.seq,
        "ts": entry.ts,
        "actor": entry.actor,
        "data": entry.event.data,
    }


def rest_object(state: Run, exit_code: int, **id: str) -> dict[str, object]:
    """The last line: how it came to rest, and the whole state. `id`: its id, under the name that its kind gives it."""
    return {
        "type": "rest",
        "success": exit_code == 0,
        "exit_code": exit_code,
        **id,
        "status": state.status,
        "outcome": state.engine.outcome,
        "data": state,
    }
