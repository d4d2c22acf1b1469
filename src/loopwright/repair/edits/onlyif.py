"""A statement that is right only sometimes: a condition around it."""

import ast
import textwrap
from collections.abc import Iterator
from itertools import combinations

from .place import Edit, Place

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Delete)
_NAMES = 8


def edits(place: Place) -> Iterator[Edit]:
    if not isinstance(place.stmt, _SIMPLE) or not place.alone or place.func is None:
        return
    start, end = place.source.line_span(place.stmt.lineno, place.stmt.end_lineno or place.stmt.lineno)
    text = place.source.text[start:end]
    text = text if text.endswith(("\n", "\r")) else text + place.source.newline
    inner = textwrap.indent(text, "    ")
    for cost, condition in _conditions(place):
        head = f"{place.indent}if {condition}:{place.source.newline}"
        yield Edit(start, end, head + inner, cost, f"do it only if `{condition}`")


def _conditions(place: Place) -> Iterator[tuple[float, str]]:
    """About what the statement sets, then about what it reads, then what is asked elsewhere."""
    stored = [place.text(one) for one in _targets(place.stmt)]
    for name in stored[:1]:
        yield from ((2.3 + 0.05 * n, text) for n, text in enumerate((f"not {name}", f"{name} is None")))
    read = [place.text(n) for n in place.nodes if isinstance(n, (ast.Name, ast.Attribute)) and place.loads(n)]
    own = [one for one in read if one in place.scope.own_attributes]
    for n, name in enumerate([*place.near, *own][:_NAMES]):
        yield 2.5 + 0.05 * n, name
        yield 2.6 + 0.05 * n, f"not {name}"
        yield 2.6 + 0.05 * n, f"{name} is not None"
    for n, (one, other) in enumerate(combinations(place.near[:4], 2)):
        yield from ((2.8 + 0.05 * n, f"{one} {sign} {other}") for sign in ("==", "!=", "<", ">"))
    for n, condition in enumerate(place.scope.conditions[:_NAMES]):
        yield 2.8 + 0.05 * n, condition
        yield 3.0 + 0.05 * n, f"not ({condition})" if " " in condition else f"not {condition}"


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []
