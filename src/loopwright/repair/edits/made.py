"""What comes in is brought into shape first: a parameter, or what was just assigned, through a known function."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS, Function
from .place import Edit, Place

_KNOWN = ("int", "str", "list", "float", "tuple", "dict", "set", "sorted")
_METHODS = ("strip()", "lower()", "copy()", "encode()", "decode()", "upper()")
_MARK = "\ufeff"
"""What some editors write in front of a text."""

_MOST = 10
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    if place.stmt in place.func.body[:2]:
        for name in [one for one in place.scope.parameters if one not in ("self", "cls")][:4]:
            if _is_read_again(place.func, name):
                yield place.before([f"{name} = list({name})"], 2.4)
            for cost, line in _shaped(place, name):
                yield place.before([line], cost)
    if isinstance(place.stmt, ast.Assign) and isinstance(place.stmt.targets[0], ast.Name):
        for cost, line in _shaped(place, place.stmt.targets[0].id):
            yield place.after([line], cost + 0.2)


def _is_read_again(function: Function, name: str) -> bool:
    """Whether the function goes through it, or looks in it, in a loop or several times: an iterator is used up then."""
    return sum(_readings(function, name, 1)) > 1


def _readings(node: ast.AST, name: str, times: int) -> Iterator[int]:
    match node:
        case ast.For(iter=ast.Name(id=read)) | ast.comprehension(iter=ast.Name(id=read)) if read == name:
            yield times
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=read)]) if read == name:
            yield times
    inside = 2 * times if isinstance(node, (ast.For, ast.While, ast.comprehension, *_COMPREHENSIONS)) else times
    for child in ast.iter_child_nodes(node):
        yield from _readings(child, name, inside)


def _shaped(place: Place, name: str) -> Iterator[tuple[float, str]]:
    helpers = place.scope.of_one
    for n, helper in enumerate(helpers[:_MOST]):
        yield 2.5 + 0.05 * n, f"{name} = {helper}({name})"
    if any(isinstance(one, str) and _MARK in one for one in place.pool.facts.literals):
        yield 1.0, f'{name} = {name}.removeprefix("\\ufeff")'
    for n, helper in enumerate(_KNOWN):
        yield 2.8 + 0.04 * n, f"{name} = {helper}({name})"
    for n, method in enumerate(_METHODS):
        yield 2.8 + 0.04 * n, f"{name} = {name}.{method}"
