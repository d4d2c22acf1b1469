"""A call around an expression that was forgotten, or one too many; twice as much of it, or half."""

import ast
from collections.abc import Iterator

from .changing import changed
from .place import Edit, Place

_AROUND = {"int": 2.6, "float": 2.8, "str": 2.6, "len": 2.6, "abs": 2.4, "list": 2.6, "sorted": 2.4, "set": 2.8,
           "tuple": 3.0, "dict": 2.9, "bool": 3.0, "sum": 3.0, "reversed": 3.0, "any": 3.2, "all": 3.2, "max": 3.2,
           "min": 3.2, "round": 2.6, "enumerate": 3.0, "iter": 3.2}  # fmt: skip
_BEHIND = {".strip()": 2.4, ".lower()": 2.4, ".copy()": 2.6, ".upper()": 3.0, ".items()": 2.6, ".values()": 2.8,
           ".rstrip()": 3.0, ".split()": 2.8, ".title()": 3.2, ".casefold()": 3.2}  # fmt: skip
_SHAPED = {"max(0, {})": 2.6, "max({}, 0)": 3.2, "round({}, 2)": 2.5, "max(1, {})": 3.2, "min({}, 1)": 3.2,
           "{}[:]": 3.2, "({} or [])": 3.0, "({} or 0)": 3.0, '({} or "")': 3.0, "({} or {{}})": 3.2,
           "-{}": 2.4, "1 - {}": 3.0, "{} ** 2": 3.0, "{} ** 3": 3.2, "{} / 2": 2.8, "{} // 2": 2.9, "{} * 2": 2.8,
           "{} % 10": 3.2}  # fmt: skip
_SCALED = {"2 * {}": 2.3, "{} // 2": 2.4}
"""Of what is compared, added or counted to."""

_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict)


def edits(place: Place) -> Iterator[Edit]:
    match place.stmt:
        case ast.For(iter=ast.Name() | ast.Attribute() as container) if _changes(place, place.stmt, container):
            yield place.swap(container, f"list({place.text(container)})", 1.5)
    for node in place.nodes:
        if isinstance(node, ast.Call):
            yield from _unwrapped(place, node)
        if isinstance(node, ast.Attribute) and place.loads(node) and not _called(place, node):
            yield place.swap(node, f"{place.text(node)}()", 1.8)
        if place.loads(node) and not isinstance(node, (ast.Constant, ast.Starred, ast.Slice, ast.JoinedStr)):
            yield from _wrapped(place, node)


def _called(place: Place, node: ast.expr) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _changes(place: Place, loop: ast.For, container: ast.expr) -> bool:
    """Whether the loop changes what it goes through."""
    name = place.text(container)
    return any(place.text(one) == name for statement in loop.body for one in changed(statement))


def _is_measured(parent: ast.AST) -> bool:
    added = isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub))
    return added or isinstance(parent, (ast.Compare, ast.Slice))


def _unwrapped(place: Place, node: ast.Call) -> Iterator[Edit]:
    for argument in node.args[:3]:
        if not isinstance(argument, ast.Starred):
            yield place.swap(node, place.text(argument), 2.2)
    if isinstance(node.func, ast.Attribute):
        yield place.swap(node, place.text(node.func.value), 2.4)
    if not node.args and not node.keywords:
        yield place.swap(node, place.text(node.func), 2.6)


def _wrapped(place: Place, node: ast.expr) -> Iterator[Edit]:
    if _called(place, node) or isinstance(place.source.parents[node], (ast.FormattedValue, ast.Attribute)):
        return
    text = place.text(node)
    tight = text if isinstance(node, _ATOMS) else f"({text})"
    for name, cost in _AROUND.items():
        yield place.swap(node, f"{name}({text})", cost)
    for suffix, cost in _BEHIND.items():
        yield place.swap(node, tight + suffix, cost)
    for shape, cost in _SHAPED.items():
        yield place.swap(node, shape.format(text if "(" in shape and not shape.startswith("(") else tight), cost)
    if _is_measured(place.source.parents[node]):
        for shape, cost in _SCALED.items():
            yield place.swap(node, shape.format(tight), cost)
    for name in place.scope.locals[:6]:
        if name != text:
            yield place.swap(node, f"min({text}, {name})", 3.2)
            yield place.swap(node, f"max({text}, {name})", 3.2)
            yield place.swap(node, f"{tight} + {name}", 3.0)
            yield place.swap(node, f"{tight} - {name}", 3.0)
            yield place.swap(node, f"{tight} * {name}", 3.1)
    for before, after in place.scope.comprehensions:
        yield place.swap(node, f"{before}{text}{after}", 2.6)
    for function in place.scope.globals:
        if function in place.pool.signatures and len(place.pool.signatures[function].args.args) == 1:
            yield place.swap(node, f"{function}({text})", 2.8)
    for method, signature in place.pool.signatures.items():
        if f"self.{method}" in place.scope.own_attributes and len(signature.args.args) == 2:
            yield place.swap(node, f"self.{method}({text})", 2.9)
    if isinstance(node, ast.Call) and isinstance(place.func, ast.AsyncFunctionDef):
        yield place.swap(node, f"await {text}", 1.5)
