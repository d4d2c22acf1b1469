"""Text on a terminal: cleaned, cut, wrapped, in columns, in colours. Pure."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, TypeVar

from loopwright.core.text import clean_line as clean
from loopwright.core.text import plural

LABEL = "  {:<11} {}"
"""A fact on a line of its own: what it is, and what is so."""
MINUTE, HOUR, DAY = 60, 3600, 86400
SHOWN = 8
"""Items of a list before the rest is only counted."""
DAMAGED = "damaged"
"""Stands where a status would, for what cannot be read."""

T = TypeVar("T")


def last_line(text: str) -> str:
    """The last line with anything on it, clean: several may have been printed since the last look."""
    return next((line for line in map(clean, reversed(text.splitlines())) if line), "")


def clean_lines(text: str) -> str:
    """As `clean`, but lines and tabs stay."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")


def measure_width(text: str) -> int:
    """Terminal cells that the text takes."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def fit_text(text: str, cells: int) -> str:
    """As much of the beginning as takes at most that many cells."""
    for end, char in enumerate(text):
        cells -= measure_width(char)
        if cells < 0:
            return text[:end]
    return text


def cut_line(line: str, cells: int) -> str:
    """The line in at most that many cells; what was cut shows as an ellipsis. Spaces are columns, and stay."""
    return line if measure_width(line) <= cells else f"{fit_text(line, cells - 1)}…"


def shorten_text(text: str, cells: int) -> str:
    """As `cut_line`, cleaned before."""
    return cut_line(clean(text), cells)


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


def list_some(items: Sequence[T], words: Callable[[T], str], *, most: int = SHOWN) -> list[str]:
    """The first items in words, and how many more there are."""
    more = [f"… and {len(items) - most:,} more"] if len(items) > most else []
    return [words(item) for item in items[:most]] + more


def align_columns(rows: Sequence[Sequence[str]], gap: str = "  ") -> list[str]:
    """Left-aligned columns, as wide as their widest cell."""
    widths = [max(measure_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    padded = ([cell + " " * (w - measure_width(cell)) for cell, w in zip(row, widths, strict=True)] for row in rows)
    return [gap.join(row).rstrip() for row in padded]


class TableWords(NamedTuple):
    """What a list of runs is called (`name`), its `head`, a run's `facts` in a line by these headings, and `none`."""

    name: str
    head: tuple[str, ...]
    facts: str
    none: str


def draw_table(words: TableWords, rows: Sequence[Sequence[str]], total: int, cells: int) -> list[str]:
    """One line each, or on narrow terminals a few. `total`: how many there are beside those that are damaged."""
    head, titles = words.head, words.head[-1]
    if measure_width(align_columns([head, *[(*row[:-1], titles) for row in rows]])[0]) > cells:
        lines = [line for row in rows for line in _stack(words, row, cells)]
    else:
        lines = [cut_line(line, cells) for line in align_columns([head, *rows])]
    found = sum(row[1] != DAMAGED for row in rows)
    if total > found:
        lines.append(f"{found:,} of {plural(total, words.name)}; see --limit and --offset")
    return lines


def _stack(words: TableWords, row: Sequence[str], cells: int) -> list[str]:
    """The id, below it what is known."""
    id, status, *_, title = row
    facts = status if status == DAMAGED else words.facts.format_map(dict(zip(words.head, row, strict=True)))
    return [id, *fold_line(f"  {facts}", cells), *fold_line(f"  {title}", cells)]


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


def format_size(size: int) -> str:
    """`512 KB`, `3.4 MB`, `1.2 GB`: about how much room files take."""
    units = ((1 << 30, "GB"), (1 << 20, "MB"))
    return next((f"{size / one:.1f} {name}" for one, name in units if size >= one), f"{size / 1024:.0f} KB")


def format_stopwatch(seconds: float) -> str:
    """`0:07`, `1:02:03`."""
    whole = int(max(seconds, 0))
    hours, rest = divmod(whole, HOUR)
    return f"{hours}:{rest // MINUTE:02}:{rest % MINUTE:02}" if hours else f"{rest // MINUTE}:{rest % MINUTE:02}"


_DIGITS = "".join(map(chr, range(0xE000, 0xE010)))
"""Of private use: no text has them that was cleaned."""
_MARK = re.compile(f"[{_DIGITS}]{{8}}( *)")


def mark_age(timestamp: str) -> str:
    """What stands for the age in a text that is printed at another time; see `fill_ages`."""
    seconds = int(datetime.fromisoformat(timestamp).timestamp())
    return "".join(_DIGITS[int(digit, 16)] for digit in f"{min(max(seconds, 0), (1 << 32) - 1):08x}")


def fill_ages(text: str, now: datetime) -> str:
    """The text with the ages in their places; where columns follow, as wide as what stood for them."""

    def fill(mark: re.Match[str]) -> str:
        seconds = int("".join(f"{_DIGITS.index(digit):x}" for digit in mark[0][:8]), 16)
        age = format_duration(now.timestamp() - seconds)
        return f"{age:<8}{mark[1]}" if len(mark[1]) > 1 else f"{age}{mark[1]}"

    return _MARK.sub(fill, text)


def colour_diff(diff: str) -> str:
    """A unified diff with added lines in green, removed ones in red, and the rest as it is."""
    colours = {"+": 32, "-": 31, "@": 36}
    lines = ((colours.get(line[:1]), line) for line in diff.split("\n"))
    return "\n".join(f"\x1b[{colour}m{line}\x1b[0m" if colour else line for colour, line in lines)


Style = Literal["critical", "high", "medium", "low", "hint", "strong", "faint", "good"]
Paint = Callable[[Style, str], str]
_CODES: dict[Style, str] = {
    "critical": "1;31",
    "high": "31",
    "medium": "33",
    "low": "36",
    "hint": "2",
    "strong": "1",
    "faint": "2",
    "good": "32",
}

NARROWEST = 24
"""Cells that a text gets, however narrow the terminal is."""
_CLOSING = frozenset("，。、；：？！）」』】》”’…,.;:?!)]}")
"""What does not begin a line."""
_OPENING = frozenset("（「『【《“‘([{")


class Layout(NamedTuple):
    """`cells` of a line; `paint` puts a style around a text that is on one line."""

    cells: int
    paint: Paint


def paint_plain(style: Style, text: str) -> str:
    return text


def paint_coloured(style: Style, text: str) -> str:
    """For terminals that show colours; nothing else about it differs."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def wrap_text(text: str, cells: int) -> list[str]:
    """In lines of at most that many cells, broken at spaces and between Chinese or Japanese characters.

    A word that is longer than a line stays whole, so that a path can be copied.
    """
    lines, line = [], ""
    for piece in _pieces(clean(text)):
        if line and measure_width(line) + measure_width(piece.rstrip()) > max(cells, NARROWEST):
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str) -> Iterator[str]:
    """What may not be broken, each with the space behind it."""
    piece = ""
    for index, char in enumerate(text):
        if piece and _may_break(text[index - 1], char):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def _may_break(before: str, char: str) -> bool:
    if char == " " or char in _CLOSING or before in _OPENING:
        return False
    return before == " " or _wide(before) or _wide(char)


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def label_text(label: str, text: str, look: Layout, indent: int) -> list[str]:
    """A text behind its label, with the further lines below each other."""
    margin = " " * indent
    room = look.cells - indent
    first, *rest = wrap_text(text, room)
    head = look.paint("faint", f"{label:<{indent}}")
    return [f"{head}{first}", *(f"{margin}{line}" for line in rest)]


def layout_source(line: int, excerpt: str, marked: tuple[int, int], style: Style, look: Layout) -> list[str]:
    """The line of the source with its number, and below it what is meant."""
    begin, end = marked
    gutter = f"{line:>5} | "
    before, meant, after = (_shown(part) for part in (excerpt[:begin], excerpt[begin:end], excerpt[end:]))
    before, meant, after = _window(before, meant, after, max(NARROWEST, look.cells) - len(gutter))
    faint = look.paint("faint", gutter)
    under = " " * measure_width(before) + "^" * max(1, measure_width(meant))
    lines = [f"{faint}{before}{look.paint('strong', meant)}{after}".rstrip()]
    if before or meant or after:
        lines.append(f"{look.paint('faint', ' ' * (len(gutter) - 2) + '| ')}{_painted(under, style, look)}")
    return lines


def _painted(under: str, style: Style, look: Layout) -> str:
    carets = under.lstrip(" ")
    return " " * (len(under) - len(carets)) + look.paint(style, carets)


def _shown(text: str) -> str:
    """Character by character, so that nothing moves: a tab is a space, what cannot be seen is left out."""
    return clean_lines(text.replace("\r", " ")).replace("\t", " ").replace("\n", " ")


def _window(before: str, meant: str, after: str, cells: int) -> tuple[str, str, str]:
    """As much of the line as fits, with what is meant in it."""
    if measure_width(before) + measure_width(meant) + measure_width(after) <= cells:
        return before, meant, after
    lead = max(cells - measure_width(meant) - bool(after), cells // 4)
    if measure_width(before) > lead:
        before = "…" + fit_text(before[::-1], lead - 1)[::-1]
    room = cells - measure_width(before)
    if measure_width(meant) + bool(after) > room:
        return before, cut_line(meant, room) if room > 0 else "", ""
    room -= measure_width(meant)
    return before, meant, cut_line(after, room) if room > 0 else ""
