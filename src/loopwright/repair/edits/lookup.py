"""How a dictionary is asked: `[]` against `get`, a default, `setdefault`, membership first."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_DEFAULTS = ("0", "[]", "None", '""', "{}", "set()", "1", "False")


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            yield from _subscript(place, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            yield from _asked(place, node, node.func)
    if isinstance(place.stmt, ast.AugAssign) and isinstance(place.stmt.target, ast.Subscript):
        yield from _counted(place, place.stmt, place.stmt.target)


def _subscript(place: Place, node: ast.Subscript) -> Iterator[Edit]:
    holder, key = place.text(node.value), place.text(node.slice)
    if isinstance(node.ctx, ast.Load):
        yield place.swap(node, f"{holder}.get({key})", 2.0)
        for n, default in enumerate([*_DEFAULTS, key, *place.scope.locals[:4]]):
            yield place.swap(node, f"{holder}.get({key}, {default})", 2.1 + 0.05 * n)
            if default in ("[]", "{}", "set()"):
                yield place.swap(node, f"{holder}.setdefault({key}, {default})", 2.1)


def _asked(place: Place, node: ast.Call, function: ast.Attribute) -> Iterator[Edit]:
    if not 1 <= len(node.args) <= 2:
        return
    holder, key = place.text(function.value), place.text(node.args[0])
    yield place.swap(node, f"{holder}[{key}]", 2.0)
    for n, default in enumerate([*_DEFAULTS, key, *place.scope.locals[:6]]):
        yield place.swap(node, f"{holder}.{function.attr}({key}, {default})", 1.8 + 0.05 * n)


def _counted(place: Place, node: ast.AugAssign, target: ast.Subscript) -> Iterator[Edit]:
    """`d[k] += v` for a key that may not be there yet."""
    holder, key, value = place.text(target.value), place.text(target.slice), place.text(node.value)
    start, end = place.source.span(node)
    if isinstance(node.op, ast.Add):
        for empty in ("0", "[]", '""'):
            text = f"{holder}[{key}] = {holder}.get({key}, {empty}) + {value}"
            yield Edit(start, end, text, 2.0, f"start at {empty} for a new key")
