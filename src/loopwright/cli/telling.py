"""What of an agent's turn is told in lines, so that a log stays readable. Pure but for the time it is given."""

from collections.abc import Iterator

from loopwright.cli.scene import REPORTS, said
from loopwright.cli.text import clean
from loopwright.domain.conversation import ToolUsed
from loopwright.domain.transcript import TurnEnded, told_usage
from loopwright.domain.words import plural
from loopwright.engine.bus import Note

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

    def lines(self, note: Note, now: float) -> Iterator[str]:
        """`now` in seconds since an arbitrary start."""
        match note.kind:
            case "activity":
                yield from filter(None, [said(note.text)])
            case "agent":
                words = said(note.text)
                if words and words != self._said:
                    yield words
            case "said":
                yield from self._part(note.text, now)
            case "tool" if isinstance(note.event, ToolUsed) and note.event.status in ("completed", "failed"):
                self._tools += 1
                if self._tools <= TOOLS:
                    yield clean(note.text)
            case "session" | "permission" | "discovery" | "trouble":
                yield clean(note.text)
            case "turn" if isinstance(note.event, TurnEnded):
                yield from self._end(note.event)
            case "message":
                self._said_at, self._said, self._reports, self._tools = None, "", False, 0
            case _:
                pass

    def _part(self, text: str, now: float) -> Iterator[str]:
        """A part of what is said, unless one was told just now; nothing of the report, in which the engine reads."""
        words = "" if self._reports else said(text)
        self._reports = self._reports or any(name in text for name in REPORTS)
        if words and (self._said_at is None or now - self._said_at >= SAID_SECONDS):
            self._said_at, self._said = now, words
            yield words

    def _end(self, event: TurnEnded) -> Iterator[str]:
        if self._tools > TOOLS:
            yield f"… and {plural(self._tools - TOOLS, 'more tool call')}"
        usage = event.output.usage if event.output else None
        if usage and (usage.tokens is not None or usage.cost is not None):
            yield f"used {told_usage(usage)}"
