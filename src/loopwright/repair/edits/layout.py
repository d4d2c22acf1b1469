"""A statement in the wrong place: inside the loop instead of behind it, in the wrong order, or one too many."""

import ast
import textwrap
from collections.abc import Iterator

from ..source import FUNCTIONS, block_of
from .place import Edit, Place

_STEP = "    "
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.AsyncFor, ast.AsyncWith)


def edits(place: Place) -> Iterator[Edit]:
    if (
        not place.alone
        or isinstance(place.stmt, (*FUNCTIONS, ast.ClassDef))
        or place.source.function(place.stmt) is None
    ):
        return
    yield from _out(place)
    yield from _in(place)
    yield from _swapped(place)
    yield from _deleted(place)
    yield from _chained(place)


def _chained(place: Place) -> Iterator[Edit]:
    """`if` behind an `if` becomes its `elif`."""
    at = next(n for n, one in enumerate(place.block) if one is place.stmt)
    before = place.block[at - 1] if at else None
    if isinstance(place.stmt, ast.If) and isinstance(before, ast.If) and not before.orelse:
        start = place.source.span(place.stmt)[0]
        yield Edit(start, start, "el", 2.0, "`elif` instead of `if`")


def _lines(place: Place, first: ast.stmt, last: ast.stmt) -> tuple[int, int]:
    return place.source.line_span(first.lineno, last.end_lineno or last.lineno)


def _shifted(text: str, old: str, new: str) -> str:
    return "".join(new + line[len(old) :] if line.startswith(old) else line for line in text.splitlines(keepends=True))


def _out(place: Place) -> Iterator[Edit]:
    """The last statement of a block goes behind the block; the first goes in front of it."""
    parent = place.source.parents[place.stmt]
    if not isinstance(parent, _BLOCKS) or len(place.block) < 2:
        return
    outer = place.source.indent(parent.lineno)
    start, end = _lines(place, place.stmt, place.stmt)
    text = _shifted(place.source.text[start:end], place.indent, outer)
    if place.stmt is place.block[-1]:
        whole = _lines(place, parent, parent)[1]
        rest = place.source.text[end:whole]
        yield Edit(start, whole, rest + _ended(place, text), 1.7, "move it out of the block, behind it")
    if place.stmt is place.block[0] and place.block is parent.body:
        before = _lines(place, parent, parent)[0]
        yield Edit(before, end, text + place.source.text[before:start], 2.0, "move it out of the block, in front of it")


def _ended(place: Place, text: str) -> str:
    return text if text.endswith(("\n", "\r")) else text + place.source.newline


def _in(place: Place) -> Iterator[Edit]:
    """A statement behind (or in front of) a block goes into it."""
    at = next(n for n, one in enumerate(place.block) if one is place.stmt)
    start, end = _lines(place, place.stmt, place.stmt)
    text = place.source.text[start:end]
    if at and isinstance(place.block[at - 1], _BLOCKS):
        block = place.block[at - 1]
        inner = _deepest_last(place, block)
        for holder in inner:
            new = _shifted(_ended(place, text), place.indent, place.source.indent(holder.lineno))
            top = _lines(place, holder, holder)[1]
            yield Edit(top, end, new + place.source.text[top:start], 2.0, "move it into the block in front of it")
    if at + 1 < len(place.block) and isinstance(place.block[at + 1], _BLOCKS):
        first = place.block[at + 1].body[0]  # type: ignore[attr-defined]  # a block has one
        new = _shifted(text, place.indent, place.source.indent(first.lineno))
        into = place.source.line_span(first.lineno, first.lineno)[0]
        yield Edit(start, into, place.source.text[end:into] + new, 2.0, "move it into the block behind it")


def _deepest_last(place: Place, block: ast.stmt) -> list[ast.stmt]:
    """Last statements of the blocks that end where `block` ends, outermost first."""
    found: list[ast.stmt] = []
    while isinstance(block, _BLOCKS):
        last = (getattr(block, "orelse", None) or block.body)[-1]
        found.append(last)
        block = last
    return found


def _swapped(place: Place) -> Iterator[Edit]:
    block = block_of(place.source, place.stmt)
    at = next(n for n, one in enumerate(block) if one is place.stmt)
    if at + 1 < len(block):
        (a, b), (c, d) = _lines(place, place.stmt, place.stmt), _lines(place, block[at + 1], block[at + 1])
        text = place.source.text
        yield Edit(a, d, _ended(place, text[c:d]) + text[b:c] + text[a:b], 2.2, "exchange it with the next statement")


def _deleted(place: Place) -> Iterator[Edit]:
    start, end = _lines(place, place.stmt, place.stmt)
    if len(place.block) > 1:
        counted = isinstance(place.stmt, ast.AugAssign)
        yield Edit(start, end, "", 2.4 if counted else 3.2, "leave the statement out")
    if isinstance(place.stmt, ast.If) and not place.stmt.orelse:
        first, last = place.stmt.body[0], place.stmt.body[-1]
        inner = place.source.text[slice(*_lines(place, first, last))]
        body = textwrap.indent(textwrap.dedent(inner), place.indent)
        yield Edit(start, end, body, 3.0, "do it without the condition")
