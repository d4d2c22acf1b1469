"""A statement that comes too late or too early: some places further up or down in its block."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_FAR = 5


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, (*FUNCTIONS, ast.ClassDef, ast.Return)):
        return
    at = next((n for n, one in enumerate(place.block) if one is place.stmt), -1)
    start, end = _lines(place, place.stmt)
    text, own = place.source.text, place.source.text[start:end]
    if at < 0 or not own.endswith(("\n", "\r")):
        return
    for far in range(2, _FAR + 1):  # the next place is the layout family's
        if at + far < len(place.block):
            behind = _lines(place, place.block[at + far])[1]
            if text[:behind].endswith(("\n", "\r")):
                yield Edit(start, behind, text[end:behind] + own, 2.4 + 0.1 * far, f"do it {far} statements later")
        if at - far >= 0:
            before = _lines(place, place.block[at - far])[0]
            yield Edit(before, end, own + text[before:start], 2.4 + 0.1 * far, f"do it {far} statements sooner")


def _lines(place: Place, statement: ast.stmt) -> tuple[int, int]:
    first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
    return place.source.line_span(first, statement.end_lineno or statement.lineno)
