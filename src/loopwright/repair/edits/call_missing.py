"""A call that was forgotten as a whole: of the base class, of a method of the same object, of a helper."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS, Function
from .place import Edit, Place

_MOST = 10
_NEAR = 4
"""Names that are tried as an argument."""


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    first, leaves = place.stmt is place.func.body[0], isinstance(place.stmt, (ast.Return, ast.Raise))
    for cost, line in _calls(place):
        if first or leaves or isinstance(place.stmt, (ast.For, ast.While, ast.If, ast.With)):
            yield place.before([line], cost)
        if not leaves and not isinstance(place.stmt, (ast.Break, ast.Continue)):
            yield place.after([line], cost)


def _calls(place: Place) -> Iterator[tuple[float, str]]:
    yield from _inherited(place)
    for n, method in enumerate(_methods(place)[:_MOST]):
        yield from _with_arguments(place, f"self.{method.name}", method, 2.7 + 0.05 * n, skip=1)
    helpers = [name for name in place.scope.globals if name in place.pool.signatures and name in place.scope.called]
    for n, name in enumerate(helpers[:_MOST]):
        yield from _with_arguments(place, name, place.pool.signatures[name], 3.1 + 0.05 * n, skip=0)


def _inherited(place: Place) -> Iterator[tuple[float, str]]:
    """`super().method(…)` in a method that replaces one of the project."""
    function, owner = place.func, place.source.owner(place.stmt)
    if function is None or owner is None or not owner.bases or "super()" in place.text(function):
        return
    names = [one.arg for one in [*function.args.posonlyargs, *function.args.args][1:]]
    given = [*names, *(f"{one.arg}={one.arg}" for one in function.args.kwonlyargs)]
    yield 2.2, f"super().{function.name}({', '.join(given)})"
    if names:
        yield 2.6, f"super().{function.name}()"


def _methods(place: Place) -> list[Function]:
    """Of the same object, those that are called for what they do first."""
    owner = place.source.owner(place.stmt)
    if owner is None or "self" not in place.scope.parameters:
        return []
    found = [one for one in owner.body if isinstance(one, FUNCTIONS) and one is not place.func]
    found = [one for one in found if not one.name.startswith("__") and not one.decorator_list]
    return sorted(found, key=lambda one: (_gives_back(one), one.lineno))


def _gives_back(function: Function) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))


def _with_arguments(place: Place, name: str, function: Function, cost: float, skip: int) -> Iterator[tuple[float, str]]:
    arguments = [one.arg for one in [*function.args.posonlyargs, *function.args.args][skip:]]
    needed = arguments[: len(arguments) - len(function.args.defaults)]
    wait = "await " if isinstance(function, ast.AsyncFunctionDef) else ""
    near = place.scope.locals
    if all(one in near for one in needed):
        yield cost - 0.2 * bool(needed), f"{wait}{name}({', '.join(needed)})"
    elif len(needed) == 1:
        for n, value in enumerate([*near[:_NEAR], *place.scope.own_attributes[:_NEAR]]):
            yield cost + 0.5 + 0.05 * n, f"{wait}{name}({value})"
