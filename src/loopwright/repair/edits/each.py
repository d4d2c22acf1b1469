"""Every element treated alike: a copy that goes one level deeper, a function of the project over all elements."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_BRACKETS = {"set": ("{", "}"), "frozenset": ("{", "}"), "list": ("[", "]"), "tuple": ("[", "]"), "sorted": ("[", "]")}
_INNER = ("set", "list", "dict")
_MOST = 8


def edits(place: Place) -> Iterator[Edit]:
    functions = _functions(place)[:_MOST]
    for node in place.nodes:
        if not isinstance(node, ast.Call) or node.keywords:
            continue
        name = place.text(node.func)
        if len(node.args) == 1 and name in _BRACKETS:
            yield from _applied(place, node, name, functions)
        yield from _deeper(place, node, name)


def _applied(place: Place, node: ast.Call, name: str, functions: list[str]) -> Iterator[Edit]:
    left, right = _BRACKETS[name]
    held = place.text(node.args[0])
    for n, function in enumerate(functions):
        yield place.swap(node, f"{left}{function}(one) for one in {held}{right}", 2.7 + 0.05 * n)


def _deeper(place: Place, node: ast.Call, name: str) -> Iterator[Edit]:
    """`dict(x)`, `list(x)` and `x.copy()` share what is in them."""
    if len(node.args) == 1 and name in ("dict", "copy", "copy.copy", "list"):
        held = place.text(node.args[0])
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
        held = place.text(node.func.value)
    else:
        return
    for n, inner in enumerate(_INNER):
        if name != "list":
            text = f"{{key: {inner}(value) for key, value in {held}.items()}}"
            yield place.swap(node, text, 2.0 + 0.1 * n)
        if name != "dict":
            yield place.swap(node, f"[{inner}(one) for one in {held}]", 2.2 + 0.1 * n)


def _functions(place: Place) -> list[str]:
    """Of one argument, of the object first."""
    one = {name for name, function in place.pool.signatures.items() if _takes_one(function.args)}
    own = [f"self.{name}" for name in one if f"self.{name}" in place.scope.own_attributes]
    return sorted(own) + [name for name in place.scope.globals if name in one]


def _takes_one(args: ast.arguments) -> bool:
    names = [one.arg for one in (*args.posonlyargs, *args.args) if one.arg not in ("self", "cls")]
    return len(names) == 1
