"""How findings and hypotheses are laid out on a terminal: colours, fitting lines, the place in the source. Pure."""

import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from loopwright.core.text import clean_line
from loopwright.surfaces.cli.text import measure_width

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
    for piece in _pieces(clean_line(text)):
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
    return "".join(" " if char in "\t\n\r" else char for char in text if char in "\t\n\r" or _is_seen(char))


def _is_seen(char: str) -> bool:
    return unicodedata.category(char)[0] != "C"


def _window(before: str, meant: str, after: str, cells: int) -> tuple[str, str, str]:
    """As much of the line as fits, with what is meant in it."""
    if measure_width(before) + measure_width(meant) + measure_width(after) <= cells:
        return before, meant, after
    lead = max(cells - measure_width(meant) - bool(after), cells // 4)
    if measure_width(before) > lead:
        before = "…" + _last(before, lead - 1)
    room = cells - measure_width(before)
    if measure_width(meant) + bool(after) > room:
        return before, _first(meant, room), ""
    return before, meant, _first(after, room - measure_width(meant))


def _first(text: str, cells: int) -> str:
    """The beginning that fits; what was cut shows as an ellipsis."""
    if measure_width(text) <= cells:
        return text
    kept, room = "", cells - 1
    for char in text:
        room -= measure_width(char)
        if room < 0:
            break
        kept += char
    return f"{kept}…" if cells > 0 else ""


def _last(text: str, cells: int) -> str:
    kept, room = "", cells
    for char in reversed(text):
        room -= measure_width(char)
        if room < 0:
            break
        kept = char + kept
    return kept
