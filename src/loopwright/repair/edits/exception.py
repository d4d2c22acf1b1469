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
        yield from _one_more(place, caught)
        return
    old = place.text(caught)
    for edit in _named(place, caught):
        yield edit
        yield place.swap(caught, f"({old}, {edit.text})", edit.cost + 0.3)


def _one_more(place: Place, caught: ast.Tuple) -> Iterator[Edit]:
    inside = [place.text(one) for one in caught.elts]
    kin = [name for group in _KIN if set(group) & set(inside) for name in group]
    for n, name in enumerate(dict.fromkeys([*place.pool.facts.errors, *kin, *place.pool.exceptions])):
        if name not in inside:
            yield place.swap(caught, f"({', '.join([*inside, name])})", 1.9 + 0.05 * n, f"catch {name}, too")


def _named(place: Place, node: ast.expr) -> Iterator[Edit]:
    old = place.text(node)
    facts = place.pool.facts
    kin = [name for group in _KIN if old in group for name in group]
    for n, name in enumerate(dict.fromkeys([*facts.raises, *facts.errors, *kin, *place.pool.exceptions])):
        if name != old:
            yield place.swap(node, name, 1.8 + 0.05 * n)
