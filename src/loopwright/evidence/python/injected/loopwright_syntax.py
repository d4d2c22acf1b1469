"""What a Python file defines, imports, and does when it is loaded. Standard library, Python 3.8."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_HARMLESS = frozenset({
    "Path", "PurePath", "PurePosixPath", "resolve", "joinpath", "set", "frozenset", "dict", "list", "tuple", "range",
    "str", "int", "float", "bytes", "len", "sorted", "min", "max", "sum", "Decimal", "Fraction", "date", "datetime",
    "timedelta", "namedtuple", "TypeVar", "param", "getLogger", "dedent", "compile", "join", "encode", "format",
    "strip",
})  # fmt: skip
"""What may be called to make a constant, without that being an effect of its own."""

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = (*_Function, ast.ClassDef)


class File(NamedTuple):
    """One parsed file: functions by first line, definitions by name, imports by alias, and what loading it does."""

    functions: dict[int, ast.AST]
    names: dict[str, list[ast.stmt]]
    imports: dict[str, list[tuple[int, str, str]]]
    effects: list[ast.stmt]


def parsed(file: str) -> File:
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return File({}, {}, {}, [])
    parsed = File({}, {}, {}, [])
    for node in _statements(tree):
        body = node.body if isinstance(node, _Definition) else ()
        first = body[0] if body else None
        if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
            node.body = node.body[1:] or [ast.Pass()]  # type: ignore[attr-defined]  # a definition: it has a body
        if isinstance(node, _Function):
            parsed.functions[min([node.lineno, *(d.lineno for d in node.decorator_list)])] = node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias, target in _imported(node):
                parsed.imports.setdefault(alias, []).append(target)
    for statement in _flat(tree.body):
        defined = _defined(statement)
        if defined is None:
            parsed.effects.append(statement)
        for name in defined or ():
            parsed.names.setdefault(name, []).append(statement)
    return parsed


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, however deep, and what holds them; expressions hold none."""
    queue: list[ast.AST] = [tree]
    for node in queue:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            queue += getattr(node, part, ())


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, tuple[int, str, str]]]:
    """Name → (level, module, attribute) of one import."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, (node.level, node.module or "", alias.name)
        elif alias.asname:
            yield alias.asname, (0, alias.name, "")
        else:
            for part in alias.name.split("."):
                yield part, (0, alias.name, "")


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module; those that only choose between definitions are opened."""
    for statement in body:
        inner = [n for part in ("body", "orelse", "finalbody") for n in getattr(statement, part, ())]
        inner += [n for handler in getattr(statement, "handlers", ()) for n in handler.body]
        chooses = isinstance(statement, (ast.If, ast.Try))
        if chooses and all(_defined(n) is not None for n in _flat(inner)):
            yield from _flat(inner)
        elif not (isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test)):
            yield statement


def _defined(statement: ast.stmt) -> list[str] | None:
    """The names that a statement defines and does nothing else; None when it has an effect of its own."""
    if isinstance(statement, _Definition):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
        return []
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return []
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        return names if len(names) == len(targets) and _is_constant(statement.value) else None
    return None


def _is_constant(value: ast.AST | None) -> bool:
    calls = (n.func for n in ast.walk(value) if isinstance(n, ast.Call)) if value is not None else ()
    called = (getattr(f, "attr", None) or getattr(f, "id", "") for f in calls)
    return all(name in _HARMLESS for name in called)


def is_hook(name: str) -> bool:
    return name.startswith("pytest_") or name == "load_tests"


def bare(node: ast.AST, without: str) -> ast.AST:
    """The function without decorators of that name."""
    if not isinstance(node, _Function):
        return node
    kept = [d for d in node.decorator_list if getattr(getattr(d, "func", d), "attr", "") != without]
    if len(kept) == len(node.decorator_list):
        return node
    bare = copy.copy(node)
    bare.decorator_list = kept
    return bare


def shell(cls: ast.ClassDef) -> list[ast.AST]:
    """What of a class reaches each of its tests: decorators, statements that define nothing, and which bases it has.

    What the bases hold is found where they are written; here they are only named.
    """
    bases = ast.Constant(value=" ".join(map(ast.dump, (*cls.bases, *cls.keywords))))
    return [*cls.decorator_list, *(n for n in cls.body if _defined(n) is None), bases]


def members(cls: ast.ClassDef) -> Iterator[tuple[str, ast.AST]]:
    for statement in cls.body:
        yield from ((name, statement) for name in _defined(statement) or ())


_USED = re.compile(r"\b(?:id|attr)='([^']+)'")


def uses(node: ast.AST, dumped: str) -> list[str]:
    """Every name and attribute in it, each once; `dumped` is what ast.dump makes of it, which is faster to search."""
    return [] if isinstance(node, ast.Constant) else list(dict.fromkeys(_USED.findall(dumped)))
