"""Repeating: `if` and `while` taken for each other, and the step that brings a loop to its end."""

import ast
from collections.abc import Iterator

from .place import Edit, Place


def edits(place: Place) -> Iterator[Edit]:
    match place.stmt:
        case ast.If(orelse=[]):
            yield from _word(place, "if", "while", 2.0)
        case ast.While(orelse=[]):
            yield from _word(place, "while", "if", 2.2)
            yield from _step(place, place.stmt)


def _word(place: Place, old: str, new: str, cost: float) -> Iterator[Edit]:
    start = place.source.span(place.stmt)[0]
    if place.source.text.startswith(old, start):  # an `elif` can not be repeated
        yield Edit(start, start + len(old), new, cost, f"`{new}` instead of `{old}`")


def _step(place: Place, loop: ast.While) -> Iterator[Edit]:
    """What the condition asks about goes on by one at the end of each round."""
    last = loop.body[-1]
    if last.lineno == loop.lineno:
        return
    indent = place.source.indent(loop.body[0].lineno)
    asked = dict.fromkeys(node.id for node in ast.walk(loop.test) if isinstance(node, ast.Name))
    for n, name in enumerate([name for name in asked if name in place.scope.locals]):
        for step in ("+= 1", "-= 1"):
            what = f"add `{name} {step}` at the end of each round"
            yield place.behind(last, indent, [f"{name} {step}"], 2.1 + 0.1 * n, what)
