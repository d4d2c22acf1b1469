"""A term too few: something in reach is added to a value, taken from it, or multiplied with it."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_NEAR = 8
"""Names tried; those of the function come before those of its object."""


def edits(place: Place) -> Iterator[Edit]:
    for node in _values(place):
        text = place.text(node)
        if "\n" in text:
            continue
        grouped = f"({text})" if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda)) else text
        factor = f"({text})" if isinstance(node, ast.BinOp) else grouped
        names = [name for name in (*place.scope.locals, *place.scope.own_attributes) if name != text][:_NEAR]
        for n, name in enumerate(names):
            far = 0.05 * n
            yield place.swap(node, f"{grouped} + {name}", 2.9 + far)
            yield place.swap(node, f"{grouped} - {name}", 2.9 + far)
            yield place.swap(node, f"{name} + {grouped}", 3.0 + far)
            yield place.swap(node, f"{factor} * {name}", 3.3 + far)


def _values(place: Place) -> Iterator[ast.expr]:
    """What the statement stores, gives back or hands on."""
    if isinstance(place.stmt, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)) and place.stmt.value is not None:
        yield place.stmt.value
    for node in place.nodes:
        if isinstance(node, ast.Call):
            yield from (argument for argument in node.args if not isinstance(argument, ast.Starred))
