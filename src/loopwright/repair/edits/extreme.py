"""The larger or smaller of two: what was kept and what is new, or the same attribute or item of another object."""

import ast
from collections.abc import Iterator

from .place import Edit, Place


def edits(place: Place) -> Iterator[Edit]:
    match place.stmt:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(value, ast.Constant):
            for function in ("max", "min"):
                yield place.swap(value, f"{function}({name}, {place.text(value)})", 2.1)
    for node in place.nodes:
        if not isinstance(node, (ast.Attribute, ast.Subscript)) or not place.loads(node):
            continue
        if not isinstance(node.value, ast.Name) or _is_called(place, node):
            continue
        text, rest = place.text(node), place.text(node)[len(node.value.id) :]
        for n, name in enumerate([name for name in place.scope.locals if name != node.value.id][:6]):
            other = name + rest
            yield place.swap(node, f"max({text}, {other})", 2.5 + 0.08 * n)
            yield place.swap(node, f"min({text}, {other})", 2.5 + 0.08 * n)
            yield place.swap(node, other, 2.4 + 0.08 * n)


def _is_called(place: Place, node: ast.expr) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node
