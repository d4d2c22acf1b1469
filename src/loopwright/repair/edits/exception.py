"""Another exception: caught or raised."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_KIN = (
    ("KeyError", "IndexError", "LookupError", "AttributeError"), ("ValueError", "TypeError", "KeyError"),
    ("ZeroDivisionError", "ArithmeticError", "OverflowError"), ("ImportError", "ModuleNotFoundError"),
    ("FileNotFoundError", "OSError", "PermissionError"), ("RuntimeError", "ValueError", "NotImplementedError"),
    ("StopIteration", "IndexError"), ("UnicodeDecodeError", "ValueError"), ("TimeoutError", "OSError"),
)  # fmt: skip


def edits(place: Place) -> Iterator[Edit]:
    if isinstance(place.stmt, ast.Try):
        for handler in place.stmt.handlers:
            if handler.type is not None:
                yield from _caught(place, handler.type)
    elif isinstance(place.stmt, ast.Raise) and place.stmt.exc is not None:
        raised = place.stmt.exc.func if isinstance(place.stmt.exc, ast.Call) else place.stmt.exc
        yield from _named(place, raised)


def _caught(place: Place, caught: ast.expr) -> Iterator[Edit]:
    if isinstance(caught, ast.Tuple):
        return
    old = place.text(caught)
    for edit in _named(place, caught):
        yield edit
        yield place.swap(caught, f"({old}, {edit.text})", edit.cost + 0.3)


def _named(place: Place, node: ast.expr) -> Iterator[Edit]:
    old = place.text(node)
    facts = place.pool.facts
    kin = [name for group in _KIN if old in group for name in group]
    for n, name in enumerate(dict.fromkeys([*facts.raises, *facts.errors, *kin, *place.pool.exceptions])):
        if name != old:
            yield place.swap(node, name, 1.8 + 0.05 * n)
