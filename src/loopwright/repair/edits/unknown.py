"""What an error message says is not there: a name that was never imported or set, an attribute, a parameter."""

import ast
import builtins
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module

from ..source import FUNCTIONS, Function
from .place import Edit, Place

_VALUES = ("None", "[]", "0", "{}", '""', "False", "set()", "1", "True", "0.0")
_STOCKED = ("collections", "itertools", "functools", "math", "re", "copy", "datetime", "string", "operator", "typing",
            "random", "heapq", "bisect", "decimal", "fractions", "pathlib", "os", "sys", "json", "time", "contextlib",
            "dataclasses", "enum", "textwrap", "statistics", "abc", "io")  # fmt: skip
"""Modules whose names are used without them when an import is forgotten."""


def edits(place: Place) -> Iterator[Edit]:
    complaints = place.pool.facts.complaints
    undefined, unset = ({name for (name,) in names} for names in (complaints.undefined, complaints.unset))
    for node in place.nodes:
        if isinstance(node, ast.Name) and place.loads(node):
            if node.id in undefined:
                yield from _defined(place, node)
            if node.id in undefined | unset:
                yield from _set_before(place, node.id)
        elif isinstance(node, ast.Attribute) and place.loads(node):
            owners = [owner for owner, name in complaints.lacking if node.attr == name]
            yield from (edit for owner in owners for edit in _begun(place, owner, node.attr))
            yield from _alike(place, node) if owners else ()
        elif isinstance(node, ast.Call):
            yield from _keywords(place, node)
    if isinstance(place.stmt, FUNCTIONS):
        yield from _parameters(place, place.stmt)


def _defined(place: Place, node: ast.Name) -> Iterator[Edit]:
    """A name like it, the attribute of that name, or the import that was forgotten."""
    known = [*place.scope.locals, *place.scope.globals, *vars(builtins)]
    for n, name in enumerate(get_close_matches(node.id, known, n=4, cutoff=0.6)):
        yield place.swap(node, name, 1.2 + 0.05 * n)
    if f"self.{node.id}" in place.scope.own_attributes or "self" in place.scope.parameters:
        yield place.swap(node, f"self.{node.id}", 1.3)
    for n, line in enumerate(_imports(place, node.id)):
        at = _behind_imports(place)
        yield Edit(at, at, line + place.source.newline, 1.2 + 0.05 * n, f"add `{line}`")


def _imports(place: Place, name: str) -> list[str]:
    """As another file of the project imports it, a module of that name, or one that has it."""
    found = [*place.pool.imports.get(name, ())]
    if name in sys.stdlib_module_names:
        found.append(f"import {name}")
    found += [f"from {module} import {name}" for module in _STOCKED if hasattr(import_module(module), name)]
    return list(dict.fromkeys(found))[:4]


def _behind_imports(place: Place) -> int:
    """Where an import is added: behind the last one of the file's head, else behind its docstring."""
    body = place.source.tree.body
    imports = [one for one in body if isinstance(one, (ast.Import, ast.ImportFrom))]
    head: list[ast.stmt] = [*(one for one in body[:1] if isinstance(one, ast.Expr)), *imports]
    return place.source.line_span(1, head[-1].end_lineno or 1)[1] if head else 0


def _set_before(place: Place, name: str) -> Iterator[Edit]:
    """A first value in front of the outermost block that may set it."""
    if place.func is None:
        return
    storing = [one for one in place.func.body if _stores(one, name)] or [
        one for one in place.func.body if place.stmt in ast.walk(one)
    ]
    if storing:
        start = place.source.line_span(storing[0].lineno, storing[0].lineno)[0]
        indent, newline = place.source.indent(storing[0].lineno), place.source.newline
        for n, value in enumerate(_VALUES):
            line = f"{name} = {value}"
            yield Edit(start, start, indent + line + newline, 1.5 + 0.05 * n, f"begin with `{line}`")


def _stores(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(statement))


def _begun(place: Place, owner: str, name: str) -> Iterator[Edit]:
    """A first value of the attribute, where the class sets the others."""
    for node in ast.walk(place.source.tree):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            init = next((one for one in node.body if isinstance(one, FUNCTIONS) and one.name == "__init__"), None)
            last, line = (init.body[-1], f"self.{name} = ") if init else (node.body[0], f"{name} = ")
            at = last if init else node.body[0]
            indent = place.source.indent(at.lineno)
            given = [one.arg for one in init.args.args if one.arg.strip("_") == name.strip("_")] if init else []
            for n, value in enumerate([*given, *_VALUES]):
                new = [line + value]
                yield place.behind(last, indent, new, 1.6 + 0.05 * n, f"begin with `{new[0]}` in {owner}")


def _alike(place: Place, node: ast.Attribute) -> Iterator[Edit]:
    end = place.source.span(node)[1]
    for n, name in enumerate(get_close_matches(node.attr, [*place.pool.attributes], n=4, cutoff=0.6)):
        if name != node.attr:
            yield Edit(end - len(node.attr), end, name, 1.2 + 0.05 * n, f"`.{name}` instead of `.{node.attr}`")


def _keywords(place: Place, node: ast.Call) -> Iterator[Edit]:
    """Another of the function's parameters than the one it does not have."""
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    unexpected = {parameter for _, parameter in place.pool.facts.complaints.unexpected}
    for n, word in enumerate(node.keywords):
        if word.arg not in unexpected:
            continue
        yield place.left_out([*node.args, *node.keywords], len(node.args) + n, 1.5, f"do not pass `{word.arg}`")
        start = place.source.span(word)[0]
        for m, other in enumerate(_names(place.pool.signatures.get(name))):
            what = f"pass it as `{other}` instead of `{word.arg}`"
            yield Edit(start, start + len(word.arg or ""), other, 1.3 + 0.03 * m, what)


def _parameters(place: Place, function: Function) -> Iterator[Edit]:
    """A parameter that is missing, or has no default."""
    complaints = place.pool.facts.complaints
    owner = place.source.owner(function)
    plain = [*function.args.posonlyargs, *function.args.args]
    called = {function.name, owner.name} if owner and function.name == "__init__" else {function.name}
    start = place.source.offset(function.lineno, function.col_offset)
    head = place.source.text.index("(", start) + 1
    is_method = isinstance(place.source.parents[function], ast.ClassDef) and not function.decorator_list
    if is_method and (not plain or plain[0].arg not in ("self", "cls")):
        yield Edit(head, head, "self, " if plain or function.args.kwonlyargs else "self", 1.3, "add `self`")
    for _, name in [one for one in complaints.required if one[0] in called]:
        for parameter in plain[len(plain) - len(function.args.defaults) - 1 :][:1]:
            if parameter.arg == name:
                end = place.source.span(parameter)[1]
                for n, value in enumerate(_VALUES):
                    joint = " = " if parameter.annotation else "="
                    yield Edit(end, end, joint + value, 2.0 + 0.05 * n, f"make `{name}` {value} by default")


def _names(function: Function | None) -> list[str]:
    return [one.arg for one in [*function.args.args, *function.args.kwonlyargs]][:8] if function else []
