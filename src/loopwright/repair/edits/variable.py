"""Another variable: a name in reach, an attribute of self, another target of an assignment."""

import ast
import builtins
from collections.abc import Iterator

from .place import Edit, Place

TWINS = {
    "min": ("max",), "max": ("min",), "any": ("all",), "all": ("any",), "sum": ("len", "max"), "len": ("sum", "max"),
    "int": ("float", "round"), "float": ("int",), "list": ("set", "tuple"), "set": ("list", "frozenset"),
    "sorted": ("reversed", "list"), "reversed": ("sorted",), "floor": ("ceil", "round"), "ceil": ("floor", "round"),
    "round": ("int", "abs"), "str": ("repr",), "dict": ("list",), "tuple": ("list",), "defaultdict": ("dict",),
    "deepcopy": ("copy",), "copy": ("deepcopy",), "zip": ("enumerate",),
}  # fmt: skip
"""Functions that are taken for one another."""


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Name):
            yield from _read(place, node) if isinstance(node.ctx, ast.Load) else _target(place, node)
        elif isinstance(node, ast.Attribute) and (not place.loads(node) or _is_own(place, node)):
            yield from _own(place, node)
        elif isinstance(node, (ast.Call, ast.Subscript)):
            yield from _known(place, node) if place.loads(node) else _stored(place, node)


def _known(place: Place, node: ast.expr) -> Iterator[Edit]:
    """A name for what is computed or looked up in vain: it was known already."""
    if isinstance(place.source.parents[node], (ast.BinOp, ast.Compare, ast.Call, ast.Return, ast.Assign)):
        for n, name in enumerate(place.scope.locals[:10]):
            yield place.swap(node, name, 2.7 + 0.04 * n)


def _stored(place: Place, node: ast.expr) -> Iterator[Edit]:
    """Another item to store into: one that the function reads or stores elsewhere."""
    root = place.func or place.source.tree
    items = [place.text(one) for one in ast.walk(root) if isinstance(one, ast.Subscript)]
    for n, text in enumerate([text for text in dict.fromkeys(items) if text != place.text(node)][:10]):
        yield place.swap(node, text, 2.4 + 0.05 * n)


def _is_own(place: Place, node: ast.Attribute) -> bool:
    return place.text(node) in place.scope.own_attributes


def _read(place: Place, node: ast.Name) -> Iterator[Edit]:
    called = _is_called(place, node)
    for name in TWINS.get(node.id, ()):
        if hasattr(builtins, name) or name in place.scope.globals:
            yield place.swap(node, name, 1.4)
    names = [*place.scope.globals] if called else [*place.scope.locals]
    others = [*place.scope.own_attributes, *([] if called else place.scope.globals)]
    for n, name in enumerate(name for name in names if name != node.id):
        yield place.swap(node, name, 1.7 + 0.03 * n)
    for n, name in enumerate(others):
        if name != node.id and not isinstance(place.source.parents[node], ast.Attribute):
            yield place.swap(node, name, 2.5 + 0.03 * n)


def _is_called(place: Place, node: ast.expr) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _own(place: Place, node: ast.Attribute) -> Iterator[Edit]:
    if _is_called(place, node):
        return
    for n, name in enumerate(place.scope.own_attributes):
        if name != place.text(node):
            yield place.swap(node, name, 1.8 + 0.03 * n)
    for name in place.scope.locals:
        if place.loads(node):
            yield place.swap(node, name, 2.5)


def _target(place: Place, node: ast.Name) -> Iterator[Edit]:
    if not isinstance(place.stmt, (ast.Assign, ast.AugAssign)):
        return
    for name in place.scope.locals:
        if name != node.id:
            yield place.swap(node, name, 2.6)
    for name in place.scope.own_attributes:
        yield place.swap(node, name, 2.6 if name.endswith(f".{node.id}") else 3.4)
