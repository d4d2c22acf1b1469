"""By what things are compared: another `key`, one that was forgotten, or one that turns the order round."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_COMPARING = ("sorted", "min", "max", "sort")
_KEYS = ("len", "str.lower", "abs", "str", "int", "lambda one: one[0]", "lambda one: one[1]", "lambda one: one[-1]",
         "lambda one: -one", "lambda one: (len(one), one)", "lambda one: (-len(one), one)",
         "lambda one: (len(set(one)), one)", "lambda one: (-len(set(one)), one)")  # fmt: skip
_NAMES = 6


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Call) and _compares(node):
            yield from _keyed(place, node)
        elif isinstance(node, ast.Lambda) and _is_key(place, node):
            yield from _turned(place, node)
    if isinstance(place.stmt, (ast.Return, ast.Assign)) and isinstance(place.stmt.value, (ast.Name, ast.ListComp)):
        held = place.text(place.stmt.value)
        for n, key in enumerate(_keys(place)):
            yield place.swap(place.stmt.value, f"sorted({held}, key={key})", 2.9 + 0.03 * n)
    for node in place.nodes:
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and isinstance(place.source.parents[node], ast.Call):
            for n, key in enumerate(_keys(place)):
                yield place.swap(node, f"sorted({place.text(node)}, key={key})", 2.9 + 0.03 * n)


def _compares(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return name in _COMPARING


def _keyed(place: Place, node: ast.Call) -> Iterator[Edit]:
    given = next((word for word in node.keywords if word.arg == "key"), None)
    end = place.source.span(node)[1] - 1
    joint = ", " if node.args or node.keywords else ""
    for n, key in enumerate(_keys(place)):
        if given is None:
            yield Edit(end, end, f"{joint}key={key}", 2.2 + 0.03 * n, f"compare by `{key}`")
        elif place.text(given.value) != key:
            yield place.swap(given.value, key, 2.2 + 0.03 * n)


def _keys(place: Place) -> list[str]:
    """What can be asked of each thing: a place in a local table, an attribute, a function of the file."""
    tables = [name for name in place.scope.locals if _is_table(place, name)]
    looked = [f"lambda one: {name}[one]" for name in tables[:3]]
    other = [f"lambda one: {name}.get(one, 0)" for name in place.scope.locals[:3] if name not in tables]
    asked = [f"lambda one: one.{name}" for name, _ in place.pool.attributes.most_common(_NAMES)]
    return [*looked, *_KEYS, *place.scope.of_one[:4], *other, *asked]


def _is_table(place: Place, name: str) -> bool:
    root = place.func or place.source.tree
    return any(
        isinstance(node, ast.Assign) and isinstance(node.value, (ast.Dict, ast.DictComp))
        and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
        for node in ast.walk(root)
    )  # fmt: skip


def _is_key(place: Place, node: ast.Lambda) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.keyword) and parent.arg == "key"


def _turned(place: Place, node: ast.Lambda) -> Iterator[Edit]:
    """Parts of the key turned round, left out, or with the thing itself to decide between equals."""
    body, argument = node.body, node.args.args[0].arg if node.args.args else ""
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    for part in parts:
        text = place.text(part)
        tight = text if isinstance(part, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
            yield place.swap(part, place.text(part.operand), 1.8)
        else:
            yield place.swap(part, f"-{tight}", 1.8)
    if isinstance(body, ast.Tuple):
        for n in range(len(parts)):
            yield place.left_out(parts, n, 2.2, f"do not compare by `{place.text(parts[n])}`")
    elif argument:
        yield place.swap(body, f"({place.text(body)}, {argument})", 2.0)
        yield place.swap(body, f"({argument}, {place.text(body)})", 2.4)
