"""Another comparison: the boundary, the direction, equality, identity, membership."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from .place import Edit, Place

OTHERS: dict[str, dict[str, float]] = {
    "<": {"<=": 1.0, ">": 1.6, ">=": 2.0, "!=": 3.0},
    "<=": {"<": 1.0, ">=": 1.6, ">": 2.0, "==": 3.0},
    ">": {">=": 1.0, "<": 1.6, "<=": 2.0, "!=": 3.0},
    ">=": {">": 1.0, "<=": 1.6, "<": 2.0, "==": 3.0},
    "==": {"!=": 1.5, ">=": 1.9, "<=": 1.9, ">": 2.1, "<": 2.1, "in": 3.0, "is": 3.5},
    "!=": {"==": 1.5, "<": 2.5, ">": 2.5, "not in": 3.0},
    "is": {"==": 1.2, "is not": 1.5},
    "is not": {"!=": 1.2, "is": 1.5},
    "in": {"not in": 1.5, "==": 3.0},
    "not in": {"in": 1.5, "!=": 3.0},
}
"""What a comparison may have been meant to be, with the cost of believing so."""

_AROUND = ("set", "sorted", "len", "str", "abs", "list")
_TOKEN = re.compile(r"not\s+in|is\s+not|[<>=!]=|[<>]|\bis\b|\bin\b")


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Compare):
            yield from _in_compare(place, node)


def _in_compare(place: Place, node: ast.Compare) -> Iterator[Edit]:
    sides = [node.left, *node.comparators]
    for left, right in pairwise(sides):
        start, end = place.gap(left, right)
        token = _TOKEN.search(place.source.text, start, end)
        if token is None:
            continue
        old = " ".join(token.group().split())
        for new, cost in OTHERS[old].items():
            yield Edit(token.start(), token.end(), new, cost, f"compare with `{new}` instead of `{old}`")
        if len(sides) == 2 and old in ("in", "not in"):
            yield place.exchange(left, right, 1.7)
        elif len(sides) == 2 and old in ("==", "!="):
            yield from _both(place, node, left, right)


def _both(place: Place, node: ast.Compare, left: ast.expr, right: ast.expr) -> Iterator[Edit]:
    """The same call around both sides: equal as sets, as sorted lists, as texts."""
    between = place.source.text[slice(*place.gap(left, right))]
    for name in _AROUND:
        yield place.swap(node, f"{name}({place.text(left)}){between}{name}({place.text(right)})", 2.6)
