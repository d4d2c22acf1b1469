"""Which changed code a test runs while it is called, in its own process and in the Python processes it starts.

Used in copies of the project only. Standard library, Python 3.8, see loopwright_probe.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any, Optional

COPY = "LOOPWRIGHT_COPY"
"""Variable that says which folder this one is a copy of, and what changed in it."""
TEST = "LOOPWRIGHT_COPY_TEST"
"""Variable that names, for the processes a test starts, that test."""

Tracer = Optional[Callable[[FrameType, str, Any], Any]]  # noqa: UP045  # Python 3.8; Any: as sys.settrace has it

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_LINES, _NAMES = 1, 2


class Changes:
    """The changed code of one Python file.

    `called`: changed lines inside of functions; all lines of a function whose signature or decorators changed.
    `names`: what changed statements outside of functions bind or act on. `executable`: changed lines that can run,
    those of functions.
    """

    def __init__(self, source: bytes, lines: Collection[int]) -> None:
        changed = frozenset(lines)
        tree = ast.parse(source)
        self.called = frozenset(_called(tree, changed))
        self.names = frozenset(_names(tree.body, changed))
        self.executable = (
            changed & self.called & frozenset(_executable(compile(source, "<changed>", "exec", dont_inherit=True)))
        )


def _called(tree: ast.AST, changed: Collection[int]) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            body = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            is_new = any(line in changed for line in range(first, node.body[0].lineno))
            yield from (line for line in body if is_new or line in changed)


def _names(body: list[ast.stmt], changed: Collection[int]) -> Iterator[str]:
    """Names that changed statements outside of functions bind; for calls, the names they use."""
    for statement in body:
        lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        if isinstance(statement, _Function) or not any(line in changed for line in lines):
            continue
        inner = [node for part in ("body", "orelse", "finalbody") for node in getattr(statement, part, ())]
        inner += [node for handler in getattr(statement, "handlers", ()) for node in handler.body]
        if inner:
            yield from _names(inner, changed)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in statement.names)
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield from (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def _executable(code: CodeType) -> Iterator[int]:
    import dis

    yield from (line for _, line in dis.findlinestarts(code) if line)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _executable(constant)


class Reach:
    """Writes down, the moment it happens, what of the changed code a test reaches.

    `changed`: project-relative file → changed lines for Python, nothing for other files.
    """

    def __init__(self, order: Mapping[str, Any]) -> None:  # Any: parsed JSON
        self._root = os.path.realpath(order["target"]) + os.sep
        self._folder: str = order["folder"]
        self._material = _matcher(order["material"])
        self._changes: dict[str, Changes] = {}
        self._lines: dict[str, frozenset[int]] = {}
        self._data: set[str] = set()
        for name, lines in order["changed"].items():
            path = self._root + name.replace("/", os.sep)
            if not name.endswith(".py"):
                self._data.add(path)
                continue
            try:
                with open(path, "rb") as file:
                    self._changes[path] = Changes(file.read(), lines)
                self._lines[path] = frozenset(lines)
            except (OSError, SyntaxError, ValueError):
                continue  # it cannot run
        self._names = frozenset(name for changes in self._changes.values() for name in changes.names)
        self._codes: dict[CodeType, int] = {}
        self._files: dict[str, str] = {}
        self._seen: set[tuple[str, str]] = set()
        self._test = os.environ.get(TEST, "")
        self._system = (os.open, os.write, os.close, os.getpid, json.dumps)
        if self._data:
            sys.addaudithook(self._opened)

    def executable(self) -> dict[str, list[int]]:
        """The changed lines that can run, by project-relative file."""
        return {path[len(self._root) :]: sorted(changes.executable) for path, changes in self._changes.items()}

    def begin(self, test: str) -> None:
        self._test = os.environ[TEST] = test
        threading.settrace(self._call)
        sys.settrace(self._call)

    def end(self) -> None:
        sys.settrace(None)
        threading.settrace(None)
        self._test = ""
        os.environ.pop(TEST, None)

    def _call(self, frame: FrameType, event: str, argument: object) -> Tracer:
        code = frame.f_code
        kind = self._codes.get(code)
        if kind is None:
            kind = self._codes[code] = self._kind(code)
        if kind & _NAMES and code.co_name != "<module>":
            for name in self._names.intersection(_used(code)):
                self._write("uses", name)
        if kind & _LINES:
            return self._line
        return None

    def _kind(self, code: CodeType) -> int:
        file = self._file(code.co_filename)
        if not file:
            return 0
        return (_LINES if file in self._changes else 0) | (_NAMES if self._names.intersection(_used(code)) else 0)

    def _line(self, frame: FrameType, event: str, argument: object) -> Tracer:
        if event == "line":
            path = self._file(frame.f_code.co_filename)
            is_script = frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__"
            counted = self._lines[path] if is_script else self._changes[path].called
            if frame.f_lineno in counted:
                self._write("line", f"{path[len(self._root) :]}:{frame.f_lineno}")
        return self._line

    def _opened(self, event: str, arguments: tuple[Any, ...]) -> None:  # Any: as sys.addaudithook has it
        if event != "open" or not isinstance(arguments[0], (str, bytes)):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path not in self._data:
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self._file(frame.f_code.co_filename):
            frame = frame.f_back
        # What a test reads by itself says nothing of what the product does with it.
        if frame is None or not self._material(self._file(frame.f_code.co_filename)[len(self._root) :]):
            self._write("opened", path[len(self._root) :])

    def _file(self, name: str) -> str:
        """The real path of a file of the project; empty for any other."""
        if name not in self._files:
            real = os.path.realpath(name)
            ours = real.startswith(self._root) and f"{os.sep}site-packages{os.sep}" not in real
            self._files[name] = real if ours else ""
        return self._files[name]

    def _write(self, kind: str, what: str) -> None:
        if (self._test, what) in self._seen:
            return
        self._seen.add((self._test, what))
        open_, write, close, getpid, dumps = self._system
        path = os.path.join(self._folder, f"reach-{getpid()}.jsonl")
        file = open_(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            line = {"kind": "reach", "id": self._test, "how": kind, "what": what.replace(os.sep, "/")}
            write(file, dumps(line).encode() + b"\n")
        finally:
            close(file)


def _used(code: CodeType) -> Iterator[str]:
    """Global names, attributes and keywords that a function uses."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, tuple):
            yield from (name for name in constant if isinstance(name, str))


def _matcher(pattern: str) -> Callable[[str], object]:
    import re

    matches = re.compile(pattern).fullmatch
    return lambda path: matches(path.replace(os.sep, "/"))


def read_copy() -> dict[str, Any] | None:  # Any: parsed JSON
    """What this process has to know of the copy it runs in, or None."""
    text = os.environ.get(COPY)
    order: dict[str, Any] | None = json.loads(text) if text else None
    return order


def relocate(origin: str, target: str) -> None:
    """Makes this process import from `target` what it would import from `origin`, editable installations included."""
    sys.path[:] = [_moved(entry, origin, target) for entry in sys.path]
    for name, module in list(sys.modules.items()):
        mapping = getattr(module, "MAPPING", None)  # where setuptools' editable finders keep their table
        if name.startswith("__editable__") and isinstance(mapping, dict):
            mapping.update({key: _moved(value, origin, target) for key, value in mapping.items()})
    sys.path_importer_cache.clear()


def _moved(path: str, origin: str, target: str) -> str:
    if path != origin and not path.startswith(origin + os.sep):
        return path
    return target + path[len(origin) :]


def start_child() -> None:
    """What a Python process in a copy does first: it imports from there, and tells what it reaches for a test."""
    order = read_copy()
    if order is None:
        return
    relocate(order["origin"], order["target"])
    test = os.environ.get(TEST)
    if test and order["changed"]:
        Reach(order).begin(test)
