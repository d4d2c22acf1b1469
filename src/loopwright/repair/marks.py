"""Statements that note by themselves that they ran: the way to see lines before Python 3.12, at little cost.

Modules are compiled with a mark before each statement, on the statement's own line. The mark sets one byte.
"""

import ast
import builtins
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from itertools import compress
from typing import Any, TypeVar

from .source import blocks

Line = tuple[str, int]
"""A file relative to the project, and a line in it."""

Node = TypeVar("Node", bound=ast.AST)

_RAN = "@ran"  # no name that a program could have
_SILENT = (ast.Global, ast.Nonlocal)


class Marks:
    """From now on this process imports marked modules. `inside`: what a file is called, None where it is not marked."""

    def __init__(self, inside: Callable[[str], str | None]) -> None:
        self._lines: list[Line] = []
        self._ran = bytearray()
        setattr(builtins, _RAN, self._ran)
        original = SourceFileLoader.source_to_code

        def source_to_code(loader: SourceFileLoader, data: Any, path: Any, **more: Any) -> Any:  # Any: as importlib's
            file = inside(str(path))
            return original(loader, data if file is None else self._marked(file, data), path, **more)

        setattr(SourceFileLoader, "source_to_code", source_to_code)  # noqa: B010 - replaces a method

    def clear(self) -> None:
        self._ran[:] = bytes(len(self._ran))

    def ran(self) -> Iterator[Line]:
        """First lines of the statements that ran since `clear`."""
        return compress(self._lines, self._ran)

    def _marked(self, file: str, data: Any) -> Any:
        """The module as it was given where it can not be parsed: importing it tells why."""
        try:
            tree = data if isinstance(data, ast.Module) else ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return data
        blocks_of = {id(block): block for node in ast.walk(tree) for block in blocks(node)}
        for node in list(ast.walk(tree)):
            if isinstance(node, ast.Lambda):
                node.body = ast.BoolOp(ast.Or(), [self._set(file, node.body), node.body])
        for block in blocks_of.values():
            block[:] = [one for statement in block for one in (*self._mark(file, statement), statement)]
        return ast.fix_missing_locations(tree)

    def _mark(self, file: str, statement: ast.stmt) -> Iterator[ast.stmt]:
        constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (constant or future or isinstance(statement, _SILENT)):
            place = ast.Subscript(ast.Name(_RAN, ast.Load()), self._number(file, statement), ast.Store())
            yield _at(ast.Assign([place], ast.Constant(1)), statement)

    def _set(self, file: str, body: ast.expr) -> ast.expr:
        """The same as an expression, whose value is None."""
        method = ast.Attribute(ast.Name(_RAN, ast.Load()), "__setitem__", ast.Load())
        return _at(ast.Call(method, [self._number(file, body), ast.Constant(1)], []), body)

    def _number(self, file: str, node: ast.stmt | ast.expr) -> ast.Constant:
        self._lines.append((file, node.lineno))
        self._ran.append(0)
        return ast.Constant(len(self._lines) - 1)


def _at(new: Node, node: ast.AST) -> Node:
    return ast.fix_missing_locations(ast.copy_location(new, node))
