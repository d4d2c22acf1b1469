"""Empty is not absent: `or` against `is None`, truth against presence."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
            yield from _fallback(place, node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, _NAMED):
            yield place.swap(node, f"{place.text(node.operand)} is None", 1.5)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and _is_none(node.comparators[0]):
            yield from _truth(place, node)
    for test in _asked(place):
        yield place.swap(test, f"{place.text(test)} is not None", 1.5)


def _fallback(place: Place, node: ast.BoolOp) -> Iterator[Edit]:
    """`a or b` as a default: 0, "" and [] are values, too."""
    first, second = (place.text(value) for value in node.values)
    if isinstance(node.values[0], (*_NAMED, ast.Call)):
        yield place.swap(node, f"{first} if {first} is not None else {second}", 1.6)
        yield place.swap(node, f"{second} if {first} is None else {first}", 1.9)


def _truth(place: Place, node: ast.Compare) -> Iterator[Edit]:
    """The other way round: what is empty counts as absent."""
    left = place.text(node.left)
    if isinstance(node.left, (*_NAMED, ast.Call)):
        yield place.swap(node, left if isinstance(node.ops[0], (ast.IsNot, ast.NotEq)) else f"not {left}", 1.7)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _asked(place: Place) -> Iterator[ast.expr]:
    """Names that are asked for their truth."""
    if isinstance(place.stmt, (ast.If, ast.While, ast.Assert)):
        yield from _parts(place.stmt.test)
    for node in place.nodes:
        if isinstance(node, ast.IfExp):
            yield from _parts(node.test)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            yield from (part for generator in node.generators for test in generator.ifs for part in _parts(test))


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    yield from (part for part in parts if isinstance(part, _NAMED))
