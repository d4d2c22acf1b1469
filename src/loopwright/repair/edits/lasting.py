"""What has to happen in any case: what follows in a block goes into a `finally`."""

import ast
from collections.abc import Iterator
from itertools import takewhile

from .place import Edit, Place

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Pass)
_MOST = 6
"""Statements behind it that may belong to the end."""


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, (*_LEAVING, ast.Try)):
        return
    at = next((n for n, one in enumerate(place.block) if one is place.stmt), len(place.block))
    rest = list(takewhile(lambda one: not isinstance(one, _LEAVING), place.block[at + 1 :]))
    if not rest or len(rest) > _MOST:
        return
    start, middle = place.source.line_span(place.stmt.lineno, place.stmt.end_lineno or place.stmt.lineno)
    end = place.source.line_span(rest[-1].lineno, rest[-1].end_lineno or rest[-1].lineno)[1]
    text, newline, indent = place.source.text, place.source.newline, place.indent
    held = _deeper(text[start:middle]) + f"{indent}finally:{newline}" + _deeper(text[middle:end])
    gives = any(isinstance(node, (ast.Yield, ast.Await)) for node in ast.walk(place.stmt))
    undone = at > 0 and bool(_given(place, place.block[at - 1]) & _given(place, rest[0]))
    cost = 1.9 if gives or undone else 3.0
    yield Edit(start, end, f"{indent}try:{newline}{held}", cost, "do what follows in any case, with `finally`")


def _given(place: Place, statement: ast.stmt) -> set[str]:
    """What a plain statement gives a value."""
    match statement:
        case ast.Assign(targets=targets):
            return {place.text(one) for one in targets}
        case ast.AugAssign(target=target):
            return {place.text(target)}
    return set()


def _deeper(text: str) -> str:
    return "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))
