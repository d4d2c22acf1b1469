"""Which project lines each test ran: `sys.monitoring` from Python 3.12 on, marks before; else `settrace`."""

import ast
import builtins
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from itertools import compress
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from .source import list_blocks
from .tree import is_test_file

if TYPE_CHECKING:
    from _typeshed import TraceFunction


Line = tuple[str, int]
"""A file relative to the project, and a line in it."""

Node = TypeVar("Node", bound=ast.AST)

_RAN = "@ran"  # no name that a program could have
_SILENT = (ast.Global, ast.Nonlocal)


class LineMarks:
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
        """The module as it was given where it cannot be parsed: importing it tells why."""
        try:
            tree = data if isinstance(data, ast.Module) else ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return data
        blocks_of = {id(block): block for node in ast.walk(tree) for block in list_blocks(node)}
        for node in list(ast.walk(tree)):
            if isinstance(node, ast.Lambda):
                # the same as an expression, whose value is None
                method = ast.Attribute(ast.Name(_RAN, ast.Load()), "__setitem__", ast.Load())
                node.body = ast.BoolOp(
                    ast.Or(),
                    [_at(ast.Call(method, [self._number(file, node.body), ast.Constant(1)], []), node.body), node.body],
                )
        for block in blocks_of.values():
            block[:] = [one for statement in block for one in (*self._mark(file, statement), statement)]
        return ast.fix_missing_locations(tree)

    def _mark(self, file: str, statement: ast.stmt) -> Iterator[ast.stmt]:
        constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (constant or future or isinstance(statement, _SILENT)):
            place = ast.Subscript(ast.Name(_RAN, ast.Load()), self._number(file, statement), ast.Store())
            yield _at(ast.Assign([place], ast.Constant(1)), statement)

    def _number(self, file: str, node: ast.stmt | ast.expr) -> ast.Constant:
        self._lines.append((file, node.lineno))
        self._ran.append(0)
        return ast.Constant(len(self._lines) - 1)


def _at(new: Node, node: ast.AST) -> Node:
    return ast.fix_missing_locations(ast.copy_location(new, node))


MONITORED = sys.version_info >= (3, 12)

IMPORT = -1
"""Stands for everything that ran before the first test: imports, collection."""


class LineRecorder:
    """Collects lines under the number of the test that is running. `heard` is told each at once, the first time.

    With `marks` modules that are imported from now on note them, those of tests left out.
    """

    def __init__(self, root: str, heard: Callable[[Line], None] | None = None, *, marks: bool = False) -> None:
        self._root = root + os.sep
        self._heard = heard
        self._files: dict[str, str | None] = {}
        self.lines: dict[int, set[Line]] = {IMPORT: set()}
        self._current = self.lines[IMPORT]
        self._calls: Counter[CodeType] = Counter()
        self._marks = LineMarks(self._markable) if marks and not MONITORED else None

    def switch(self, test: int) -> None:
        """What runs from now on belongs to this test."""
        self._current = self.lines.setdefault(test, set())
        self._calls.clear()
        if self._marks:
            self._marks.clear()
        if sys.version_info >= (3, 12):
            sys.monitoring.restart_events()

    def start(self) -> None:
        if sys.version_info >= (3, 12):
            self._monitor()
        elif not self._marks:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def stop(self) -> None:
        if sys.version_info >= (3, 12):
            if sys.monitoring.get_tool(_TOOL) is not None:
                sys.monitoring.set_events(_TOOL, 0)
                sys.monitoring.free_tool_id(_TOOL)
        elif self._marks:
            self._current.update(self._marks.ran())
        else:
            sys.settrace(None)
            threading.settrace(None)

    def project_file(self, filename: str) -> str | None:
        """The relative path of a code object's file, None for foreign code."""
        if filename not in self._files:
            path = filename if filename.startswith("<") else os.path.abspath(filename)
            inside = path.startswith(self._root) and "site-packages" not in path
            self._files[filename] = path[len(self._root) :].replace(os.sep, "/") if inside else None
        return self._files[filename]

    def _markable(self, filename: str) -> str | None:
        file = self.project_file(filename)
        return None if file is None or is_test_file(file) else file

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if self.project_file(frame.f_code.co_filename) is None:
            return None
        self._calls[frame.f_code] += 1
        return self._in_project if self._calls[frame.f_code] <= _CALLS else None

    def _in_project(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "line":
            file = self._files[frame.f_code.co_filename]
            if file is not None:
                self._add((file, frame.f_lineno))
        return self._in_project

    def _add(self, line: Line) -> None:
        if self._heard is not None and line not in self._current:
            self._heard(line)
        self._current.add(line)

    if sys.version_info >= (3, 12):

        def _monitor(self) -> None:
            sys.monitoring.use_tool_id(_TOOL, "repair")
            sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, self._line)
            sys.monitoring.set_events(_TOOL, sys.monitoring.events.LINE)

        def _line(self, code: CodeType, line: int) -> object:
            file = self.project_file(code.co_filename)
            if file is not None:
                self._add((file, line))
            return sys.monitoring.DISABLE


_CALLS = 200  # further calls of a function within one test are not followed: they would cost much and tell little
_TOOL = 3  # the ids 0, 1, 2 and 5 are spoken for by debuggers, coverage, profilers and optimizers
