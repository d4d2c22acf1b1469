"""Once against until it holds no more: `if` and `while` taken for each other."""

import ast
from collections.abc import Iterator

from .place import Edit, Place


def edits(place: Place) -> Iterator[Edit]:
    match place.stmt:
        case ast.If(orelse=[]):
            yield from _word(place, "if", "while", 2.0)
        case ast.While(orelse=[]):
            yield from _word(place, "while", "if", 2.2)


def _word(place: Place, old: str, new: str, cost: float) -> Iterator[Edit]:
    start = place.source.span(place.stmt)[0]
    if place.source.text.startswith(old, start):  # an `elif` can not be repeated
        yield Edit(start, start + len(old), new, cost, f"`{new}` instead of `{old}`")
