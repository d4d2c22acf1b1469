"""Values shared by accident: mutable defaults of parameters, containers on a class instead of its instances."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS, Function
from .place import Edit, Place

_MUTABLE = (ast.List, ast.Dict, ast.Set)


def edits(place: Place) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS):
        yield from _parameters(place, place.stmt)
    elif isinstance(place.stmt, (ast.Assign, ast.AnnAssign)) and place.stmt.value is not None:
        yield from _class_level(place, place.stmt, place.stmt.value)


def _parameters(place: Place, function: Function) -> Iterator[Edit]:
    plain = [*function.args.posonlyargs, *function.args.args]
    pairs = [*zip(plain[len(plain) - len(function.args.defaults) :], function.args.defaults, strict=True),
             *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)]  # fmt: skip
    for parameter, default in pairs:
        if default is None:
            continue
        if isinstance(default, (*_MUTABLE, ast.Call)):
            yield _made_inside(place, function, parameter.arg, default)


def _made_inside(place: Place, function: Function, name: str, default: ast.expr) -> Edit:
    """`None` in the header, and the value made where the body begins (behind a docstring)."""
    start, after = place.source.span(default)
    first = function.body[0]
    docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1
    begin = function.body[1] if docstring else first
    at = place.source.line_span(begin.lineno, begin.lineno)[0]
    indent, newline = place.source.indent(begin.lineno), place.source.newline
    made = f"{indent}if {name} is None:{newline}{indent}    {name} = {place.text(default)}{newline}"
    text = "None" + place.source.text[after:at] + made
    return Edit(start, at, text, 1.6, f"make a new `{place.text(default)}` for `{name}` in each call")


def _class_level(place: Place, node: ast.Assign | ast.AnnAssign, value: ast.expr) -> Iterator[Edit]:
    """`items = []` in a class body becomes `self.items = []` in its `__init__`."""
    owner = place.source.parents[node]
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    fresh = isinstance(value, (*_MUTABLE, ast.Call))
    if not isinstance(owner, ast.ClassDef) or not isinstance(target, ast.Name) or not fresh:
        return
    made = f"self.{target.id} = {place.text(value)}"
    start, end = place.source.line_span(node.lineno, node.end_lineno or node.lineno)
    init = next((one for one in owner.body if isinstance(one, FUNCTIONS) and one.name == "__init__"), None)
    newline, indent = place.source.newline, place.indent
    if init is None:
        gap = "" if node.lineno > 1 and not place.source.lines[node.lineno - 2].strip() else newline
        text = f"{gap}{indent}def __init__(self):{newline}{indent}    {made}{newline}"
        yield Edit(start, end, text, 2.0, f"give each instance its own `{target.id}`")
    elif init.lineno > node.lineno:
        body = init.body[0]
        at = place.source.line_span(body.lineno, body.lineno)[0]
        text = place.source.text[end:at] + place.source.indent(body.lineno) + made + newline
        yield Edit(start, at, text, 2.0, f"give each instance its own `{target.id}`")
