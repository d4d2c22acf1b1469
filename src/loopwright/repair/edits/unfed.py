"""A container that is asked and never filled; a value that one turn of a loop does not hand on to the next."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_FILLS = ("add", "append", "update", "extend", "insert", "appendleft", "setdefault", "push")
_MAKES = {"set": "add", "list": "append", "deque": "append"}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_MOST = 8


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    for n, line in enumerate(_fillings(place)):
        yield place.before([line], 2.3 + 0.06 * n)
        if not isinstance(place.stmt, _LEAVING):
            yield place.after([line], 2.3 + 0.06 * n)
    if not isinstance(place.stmt, _LEAVING) and isinstance(place.source.parents[place.stmt], _LOOPS):
        for n, line in enumerate(_handed_on(place)):
            yield place.after([line], 2.8 + 0.04 * n)


def _fillings(place: Place) -> Iterator[str]:
    for name, method in _empty(place):
        for value in [one for one in place.scope.locals if one != name][:_MOST]:
            yield f"{name}.{method}({value})"


def _empty(place: Place) -> Iterator[tuple[str, str]]:
    """Names of containers that begin empty, in this function or one around it, and that nothing fills."""
    outer = [one for one in (place.func, *place.source.ancestors(place.stmt)) if isinstance(one, FUNCTIONS)]
    whole = outer[-1]
    for node in ast.walk(whole):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            method = _method(node.value)
            if method and not _is_filled(whole, node.targets[0].id):
                yield node.targets[0].id, method


def _method(value: ast.expr) -> str:
    match value:
        case ast.List(elts=[]):
            return "append"
        case ast.Call(func=ast.Name(id=name), args=[]):
            return _MAKES.get(name, "")
    return ""


def _is_filled(root: ast.AST, name: str) -> bool:
    for node in ast.walk(root):
        if isinstance(node, ast.Attribute) and node.attr in _FILLS and _is(node.value, name):
            return True
        if isinstance(node, ast.AugAssign) and _is(node.target, name):
            return True
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and _is(node.value, name):
            return True
    return False


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _handed_on(place: Place) -> Iterator[str]:
    """`before = now` for names that the function gives values to."""
    names = [node for node in ast.walk(place.func or place.stmt) if isinstance(node, ast.Name)]
    for name in list(dict.fromkeys(node.id for node in names if isinstance(node.ctx, ast.Store)))[:_MOST]:
        for value in place.scope.locals[:_MOST]:
            if value != name:
                yield f"{name} = {value}"
