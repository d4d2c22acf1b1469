"""A missing statement, copied from one like it and adapted by one name."""

import ast
import re
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\()")
_MOST = 12


def edits(place: Place) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS) or not place.alone or place.func is None:
        return
    if isinstance(place.stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        for cost, line in _lines(place):
            yield place.before([line], cost)
        return
    for cost, line in _lines(place):
        yield place.after([line], cost)
    if isinstance(place.stmt, ast.For) and isinstance(place.stmt.target, ast.Name):
        yield from _last_round(place, place.stmt.target.id, place.stmt)


def _last_round(place: Place, name: str, loop: ast.For) -> Iterator[Edit]:
    """What the loop does for each, done behind it for the last one."""
    over = loop.iter.value if isinstance(loop.iter, ast.Subscript) else loop.iter
    for n, node in enumerate([one for one in loop.body if isinstance(one, _SIMPLE)][:_MOST]):
        line = re.sub(rf"\b{name}\b", lambda _: f"{place.text(over)}[-1]", place.text(node))
        if "\n" not in line:
            yield place.after([line], 2.8 + 0.05 * n)


def _lines(place: Place) -> Iterator[tuple[float, str]]:
    """The function's simple statements as they are, then with one name exchanged, then those of the class."""
    near = [line for line in _simple(place, place.func) if line != place.text(place.stmt)]
    for n, line in enumerate(near[:_MOST]):
        yield 3.0 + 0.05 * n, line
    for n, line in enumerate([line for line in _opposites(place) if line not in near][:_MOST]):
        yield 2.6 + 0.05 * n, line
    for n, line in enumerate([place.text(place.stmt), *near][:_MOST]):
        if "\n" not in line:
            for other in _adapted(place, line):
                yield 3.1 + 0.05 * n, other
    owner = place.source.owner(place.stmt)
    for n, line in enumerate([line for line in _simple(place, owner) if line not in near][: 2 * _MOST]):
        yield 3.3 + 0.04 * n, line
    if place.func is not None and place.func.name == "__init__":
        for name in place.scope.locals:
            yield 2.2, f"self.{name} = {name}"


def _simple(place: Place, root: ast.AST | None) -> list[str]:
    if root is None:
        return []
    return place.scope.remembered(("simple", root), lambda: _found(place, root))


def _found(place: Place, root: ast.AST) -> list[str]:
    found = [place.text(node) for node in ast.walk(root) if isinstance(node, _SIMPLE) and not _docstring(node)]
    return [line for line in dict.fromkeys(found) if "\n" not in line]


def _opposites(place: Place) -> Iterator[str]:
    """What the function or class adds somewhere, taken away here; and the other way round."""
    for line in [*_simple(place, place.func), *_simple(place, place.source.owner(place.stmt))]:
        if " += " in line:
            yield line.replace(" += ", " -= ")
        elif " -= " in line:
            yield line.replace(" -= ", " += ")


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _adapted(place: Place, line: str) -> Iterator[str]:
    used = dict.fromkeys(_NAME.findall(line))
    for old in used:
        if old in place.scope.locals:
            for new in place.scope.locals[:8]:
                if new != old:
                    yield re.sub(rf"(?<![\w.]){old}\b", new, line)
                    yield re.sub(rf"\b{old}\b", new, line)
