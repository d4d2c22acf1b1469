"""A plain value where something is computed in vain, or a default that is no longer made when the function is."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_VALUES = ("None", '""', "0", "False", "True", "[]", "{}", "1")


def edits(place: Place) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS):
        arguments = place.stmt.args
        for default in [*arguments.defaults, *filter(None, arguments.kw_defaults)]:
            yield from _instead(place, default, 2.4)
        return
    for node in place.nodes:
        if isinstance(node, ast.IfExp):
            yield from _instead(place, node.body, 2.4)
            yield from _instead(place, node.orelse, 2.4)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            yield from _instead(place, node.values[-1], 2.5)
    if isinstance(place.stmt, ast.Assign) and isinstance(place.stmt.value, (ast.Compare, ast.BoolOp)):
        yield from _instead(place, place.stmt.value, 2.6)


def _instead(place: Place, node: ast.expr, cost: float) -> Iterator[Edit]:
    for n, value in enumerate(_VALUES):
        if value != place.text(node):
            yield place.swap(node, value, cost + 0.05 * n)
