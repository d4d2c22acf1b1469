"""What code changes in place: containers and attributes."""

import ast
from collections.abc import Iterator

_METHODS = (
    "append", "appendleft", "extend", "insert", "add", "update", "setdefault", "remove", "discard", "pop", "popitem",
    "popleft", "clear", "sort", "reverse",
)  # fmt: skip


def changed(code: ast.AST) -> Iterator[ast.expr]:
    """What is given a value, an item, loses one, or is told to change itself; anywhere inside of this."""
    for node in ast.walk(code):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _METHODS:
                yield value
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                yield value
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield node
