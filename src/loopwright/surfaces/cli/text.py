"""Small things about text on a terminal. Pure."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self

from loopwright.core.text import clean_line as clean

if TYPE_CHECKING:
    from loopwright.core.record import JournalEntry
    from loopwright.core.run_events import RunNote

LABEL = "  {:<11} {}"
"""A fact on a line of its own: what it is, and what is so."""
MINUTE, HOUR, DAY = 60, 3600, 86400


def last_line(text: str) -> str:
    """The last line with anything on it, clean: several may have been printed since the last look."""
    return next((line for line in map(clean, reversed(text.splitlines())) if line), "")


def clean_lines(text: str) -> str:
    """As `clean`, but lines and tabs stay."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")


def measure_width(text: str) -> int:
    """Terminal cells that the text takes."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def shorten_text(text: str, cells: int) -> str:
    """The text in at most that many cells; what was cut shows as an ellipsis."""
    line = clean(text)
    if measure_width(line) <= cells:
        return line
    kept, room = [], cells - 1
    for character in line:
        room -= measure_width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def cut_line(line: str, cells: int) -> str:
    """As `short`, for a line whose spaces are columns."""
    if measure_width(line) <= cells:
        return line
    return next(line[:n] + "…" for n in range(len(line) - 1, -1, -1) if measure_width(line[:n]) < cells)


def fold_line(line: str, cells: int) -> list[str]:
    """The line in pieces of at most that many cells, broken at spaces; the further ones are set in.

    A word that is longer than a line stays whole, so that a path or a command can be copied.
    """
    if measure_width(line) <= cells:
        return [line]
    words = line.strip().split(" ")
    indent = " " * (len(line) - len(line.lstrip()))
    pieces = [indent + words[0]]
    for word in words[1:]:
        if measure_width(pieces[-1]) + 1 + measure_width(word) <= cells:
            pieces[-1] += f" {word}"
        else:
            pieces.append(f"{indent}    {word}")
    return [piece.rstrip() for piece in pieces]


def align_columns(rows: Sequence[Sequence[str]], gap: str = "  ") -> list[str]:
    """Left-aligned columns, as wide as their widest cell."""
    widths = [max(measure_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    padded = ([cell + " " * (w - measure_width(cell)) for cell, w in zip(row, widths, strict=True)] for row in rows)
    return [gap.join(row).rstrip() for row in padded]


def format_time(timestamp: str, form: str = "%Y-%m-%d %H:%M") -> str:
    """A stored time in the reader's own zone."""
    return datetime.fromisoformat(timestamp).astimezone().strftime(form)


def format_duration(seconds: float) -> str:
    """`7 s`, `4 min`, `3 h`, `2 days`: about how long."""
    if seconds < MINUTE:
        return f"{max(seconds, 0):.0f} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min"
    if seconds < 2 * DAY:
        return f"{seconds // HOUR:.0f} h"
    return f"{seconds // DAY:.0f} days"


def format_stopwatch(seconds: float) -> str:
    """`0:07`, `1:02:03`."""
    whole = int(max(seconds, 0))
    hours, rest = divmod(whole, HOUR)
    return f"{hours}:{rest // MINUTE:02}:{rest % MINUTE:02}" if hours else f"{rest // MINUTE}:{rest % MINUTE:02}"


def format_age(timestamp: str, now: datetime) -> str:
    return format_duration((now - datetime.fromisoformat(timestamp)).total_seconds())


def colour_diff(diff: str) -> str:
    """A unified diff with added lines in green, removed ones in red, and the rest as it is."""
    colours = {"+": 32, "-": 31, "@": 36}
    lines = ((colours.get(line[:1]), line) for line in diff.split("\n"))
    return "\n".join(f"\x1b[{colour}m{line}\x1b[0m" if colour else line for colour, line in lines)


Style = Literal["head", "completed", "in_progress", "pending", "fact", "doing", "output"]


class StyledLine(NamedTuple):
    text: str
    kind: Style


class RunPicture(Protocol):
    """How it stands at one moment, and what was heard of it since. Frozen: every change is another picture."""

    def after(self, last: Self) -> Self:
        """The same, with what was heard before it."""
        ...

    def aged(self, seconds: float) -> Self:
        """The same so much later."""
        ...

    def noted(self, note: "RunNote") -> Self:
        """The same with what is heard now."""
        ...

    def lines(self, cells: int) -> list[StyledLine]:
        """Each at most so many cells wide."""
        ...

    def about(self, entry: "JournalEntry") -> str:
        """What a line for this entry has to say beside its own words, or nothing."""
        ...
