"""One too many or one too few: bounds, indices, counts, ranges."""

import ast
from collections.abc import Iterator

from .place import Edit, Place


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield from _neighbours(place, node, node.value)
        elif isinstance(node, ast.BinOp):
            yield from _without_one(place, node)
        elif isinstance(node, ast.Call) and _called(node) == "range":
            yield from _range(place, node)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp)) and place.loads(node):
            yield from _plus_or_minus(place, node)


def _neighbours(place: Place, node: ast.Constant, value: int) -> Iterator[Edit]:
    """The next number; not a 0 that nothing would come of, and none that stands beside it already."""
    around = place.source.parents[node]
    added = isinstance(around, (ast.BinOp, ast.AugAssign)) and isinstance(around.op, (ast.Add, ast.Sub))
    equal = isinstance(around, ast.Compare) and isinstance(around.ops[0], (ast.Eq, ast.NotEq))
    beside = [place.text(one) for one in around.elts] if isinstance(around, (ast.List, ast.Tuple, ast.Set)) else []
    for other in (value + 1, value - 1):
        if (other or not added) and str(other) not in beside:
            yield place.swap(node, str(other), 1.7 if equal else 1.1)


def _plus_or_minus(place: Place, node: ast.expr) -> Iterator[Edit]:
    """`e` as `e + 1` and `e - 1`: likelier where a number is wanted."""
    parent = place.source.parents[node]
    if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and node is parent.func):
        return
    counted = isinstance(parent, (ast.Slice, ast.Compare, ast.BinOp)) or _bounds(parent) or _index(place, parent, node)
    cost = 1.5 if counted else 2.0 if isinstance(parent, ast.Call) and isinstance(node, ast.Name) else 2.6
    if any(isinstance(above, ast.Subscript) and not place.loads(above) for above in place.source.ancestors(node)):
        cost += 0.6  # a wrong place to store is rarer than a wrong one to read
    text = place.text(node)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
        text = f"({text})"
    yield place.swap(node, f"{text} + 1", cost)
    yield place.swap(node, f"{text} - 1", cost)


def _bounds(parent: ast.AST) -> bool:
    return isinstance(parent, ast.Call) and _called(parent) in ("range", "islice")


def _index(place: Place, parent: ast.AST, node: ast.expr) -> bool:
    """An index, or one of several: `a[i]`, `a[i, j]`."""
    if isinstance(parent, ast.Tuple):
        return _index(place, place.source.parents[parent], parent)
    return isinstance(parent, ast.Subscript) and node is parent.slice


def _without_one(place: Place, node: ast.BinOp) -> Iterator[Edit]:
    if isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant) and node.right.value == 1:
        yield place.swap(node, place.text(node.left), 1.2)


def _range(place: Place, node: ast.Call) -> Iterator[Edit]:
    if len(node.args) == 1:
        only = place.text(node.args[0])
        yield place.swap(node.args[0], f"1, {only}", 1.6)
        yield place.swap(node.args[0], f"1, {only} + 1", 1.8)
    elif len(node.args) == 2:
        start, end = place.source.span(node.args[0])[0], place.source.span(node.args[1])[1]
        stop = place.text(node.args[1])
        yield Edit(start, end, stop, 1.8, f"count from 0 to `{stop}`")


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
