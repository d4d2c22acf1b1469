"""Which changed code a test runs while it is called, in its own process and in the Python processes it starts.

Used in copies of the project only. Standard library, Python 3.8, see loopwright_probe.
"""

from __future__ import annotations

import ast
import filecmp
import json
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Optional

COPY = "LOOPWRIGHT_COPY"
"""Variable that says which folder this one is a copy of, and what changed in it."""
TEST = "LOOPWRIGHT_COPY_TEST"
"""Variable that names, for the processes a test starts, that test."""

Tracer = Optional[Callable[[FrameType, str, Any], Any]]  # noqa: UP045  # Python 3.8; Any: as sys.settrace has it

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_INSTALLED = f"{os.sep}site-packages{os.sep}"


class Changes:
    """The changed code of one Python file.

    `called`: changed lines inside of functions; all lines of a function whose signature or decorators changed.
    `names`: what changed statements outside of functions bind or act on, and what others make of those names as the
    file is loaded. `executable`: changed lines that can run, those of functions.
    """

    def __init__(self, source: bytes, lines: Collection[int]) -> None:
        changed = frozenset(lines)
        tree = ast.parse(source)
        self.called = frozenset(_called(tree, changed))
        self.names = _with_derived(tree.body, frozenset(_names(tree.body, changed)))
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
        first = min([statement.lineno, *(node.lineno for node in getattr(statement, "decorator_list", ()))])
        lines = range(first, (statement.end_lineno or statement.lineno) + 1)
        if isinstance(statement, _Function) or not any(line in changed for line in lines):
            continue
        if inner := _inner(statement):
            if isinstance(statement, ast.ClassDef) and _is_redefined(statement, changed):
                yield statement.name
            yield from _names(inner, changed)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in statement.names)
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield from (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def _with_derived(body: list[ast.stmt], names: frozenset[str]) -> frozenset[str]:
    """These names, and those that statements outside of functions make of them: `regex = re.compile(pattern)`."""
    made = list(_made(body))
    while True:
        more = frozenset(name for made_names, used in made if used & names for name in made_names) - names
        if not more:
            return names
        names |= more


def _made(body: list[ast.stmt]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """What each statement outside of functions binds or acts on, and of which names, defaults and bases included."""
    for statement in body:
        if isinstance(statement, _Function):
            defaults = (*statement.args.defaults, *filter(None, statement.args.kw_defaults))
            yield frozenset([statement.name]), _mentioned([*statement.decorator_list, *defaults])
        elif isinstance(statement, ast.ClassDef):
            keywords = (keyword.value for keyword in statement.keywords)
            yield frozenset([statement.name]), _mentioned([*statement.decorator_list, *statement.bases, *keywords])
            yield from _made(statement.body)
        elif inner := _inner(statement):
            yield from _made(inner)
        else:
            yield _assigned(statement)


def _assigned(statement: ast.stmt) -> tuple[frozenset[str], frozenset[str]]:
    """What a simple statement sets, and of what; a call acts on all that it mentions."""
    if isinstance(statement, ast.Assign):
        return _mentioned(statement.targets), _mentioned([statement.value])
    if isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        return _mentioned([statement.target]), _mentioned(filter(None, [statement.value]))
    names = _mentioned([statement]) if isinstance(statement, ast.Expr) else frozenset[str]()
    return names, names


def _mentioned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    walked = [node for root in nodes for node in ast.walk(root)]
    attributes = (node.attr for node in walked if isinstance(node, ast.Attribute))
    return frozenset(attributes).union(node.id for node in walked if isinstance(node, ast.Name))


def _inner(statement: ast.stmt) -> list[ast.stmt]:
    """The statements inside of a compound one."""
    inner = [node for part in ("body", "orelse", "finalbody") for node in getattr(statement, part, ())]
    return inner + [node for handler in getattr(statement, "handlers", ()) for node in handler.body]


def _is_redefined(cls: ast.ClassDef, changed: Collection[int]) -> bool:
    """Whether bases, keywords or decorators changed, of a class that is there already."""
    first = min([cls.lineno, *(decorator.lineno for decorator in cls.decorator_list)])
    body = range(cls.body[0].lineno, (cls.end_lineno or cls.lineno) + 1)
    is_there = any(line not in changed for line in body)
    return is_there and any(line in changed for line in range(first, cls.body[0].lineno))


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
        import re

        self._material = re.compile(order["material"])
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
        self._codes: dict[CodeType, tuple[bool, frozenset[str]]] = {}
        self._files: dict[str, str] = {}
        self._seen: set[tuple[str, str]] = set()
        self._test = os.environ.get(TEST, "")
        self._shared: dict[object, set[tuple[str, str]]] = {}
        self._open: list[set[tuple[str, str]]] = []
        self._is_loading = False
        self._system = (os.open, os.write, os.close, os.getpid, json.dumps)
        if self._data:
            sys.addaudithook(self._opened)

    def executable(self) -> dict[str, list[int]]:
        """The changed lines that can run, by project-relative file."""
        return {path[len(self._root) :]: sorted(changes.executable) for path, changes in self._changes.items()}

    def begin(self, test: str) -> None:
        self._test = os.environ[TEST] = test
        self._trace(self._call)

    def end(self) -> None:
        self._trace(None)
        self._test = ""
        os.environ.pop(TEST, None)

    @contextmanager
    def shared(self, part: object, *, is_loading: bool = False) -> Iterator[None]:
        """What is reached meanwhile belongs to every test that rests on that part, see `rests_on`.

        `is_loading`: test files are loaded. Then only what they call counts, not what the product does as it is loaded.
        """
        found: set[tuple[str, str]] = set()
        self._shared[part] = found
        self._open.append(found)
        idle = not self._test
        self._is_loading = is_loading
        if idle:
            self._trace(self._call)
        try:
            yield
        finally:
            if idle:
                self._trace(None)
            self._is_loading = False
            self._open.remove(found)

    def rests_on(self, part: object) -> None:
        """The running test uses what that part has made."""
        for kind, what in sorted(self._shared.get(part, ())):
            self._write(kind, what)

    @staticmethod
    def _trace(tracer: Tracer) -> None:
        threading.settrace(tracer)
        sys.settrace(tracer)

    def _call(self, frame: FrameType, event: str, argument: object) -> Tracer:
        code = frame.f_code
        known = self._codes.get(code)
        if known is None:
            known = self._codes[code] = self._known(code)
        has_changed, names = known
        if names and code.co_name != "<module>" and self._counts(frame):
            for name in names:
                self._write("uses", name)
        return self._line if has_changed else None

    def _known(self, code: CodeType) -> tuple[bool, frozenset[str]]:
        """Whether the code's file has changed, and which changed names the code uses."""
        file = self._file(code.co_filename)
        if not file:
            return False, frozenset()
        # A test that only asks whether there is such a name does not use it.
        texts = not self._is_material(file)
        return file in self._changes, self._names.intersection(_used(code, texts=texts))

    def _counts(self, frame: FrameType) -> bool:
        """Not what the product does as it is loaded, while test files are."""
        around: FrameType | None = frame
        while self._is_loading and around is not None and around.f_code.co_name != "<module>":
            around = around.f_back
        return not self._is_loading or (around is not None and self._is_material(self._file(around.f_code.co_filename)))

    def _is_material(self, file: str) -> bool:
        return self._material.fullmatch(file[len(self._root) :].replace(os.sep, "/")) is not None

    def _line(self, frame: FrameType, event: str, argument: object) -> Tracer:
        if event == "line":
            path = self._file(frame.f_code.co_filename)
            is_script = frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__"
            counted = self._lines[path] if is_script else self._changes[path].called
            if frame.f_lineno in counted and self._counts(frame):
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
        if frame is None or not self._is_material(self._file(frame.f_code.co_filename)):
            self._write("opened", path[len(self._root) :])

    def _file(self, name: str) -> str:
        """The real path of a file of the project, for an installed copy that of its original; empty for any other."""
        if name not in self._files:
            real = os.path.realpath(name)
            if _INSTALLED in real:
                # the file of the project that was installed there, as it is
                inner = real.rpartition(_INSTALLED)[2]
                likely = [os.path.join(self._root, inner), os.path.join(self._root, "src", inner)]
                known = [path for path in self._changes if path.endswith(os.sep + inner)]
                self._files[name] = next((path for path in (*likely, *known) if _is_same(path, real)), "")
            else:
                self._files[name] = real if real.startswith(self._root) else ""
        return self._files[name]

    def _write(self, kind: str, what: str) -> None:
        for found in self._open:
            found.add((kind, what))
        if not self._test or (self._test, what) in self._seen:
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


def _is_same(file: str, other: str) -> bool:
    try:
        return filecmp.cmp(file, other, shallow=False)
    except OSError:
        return False


def _used(code: CodeType, *, texts: bool) -> Iterator[str]:
    """Global names, attributes and keywords that a function uses, and if asked its texts: getattr takes those."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if texts and isinstance(constant, str):
            yield constant
        if isinstance(constant, tuple):
            yield from (name for name in constant if isinstance(name, str))


def read_copy() -> dict[str, Any] | None:  # Any: parsed JSON
    """What this process has to know of the copy it runs in, or None."""
    text = os.environ.get(COPY)
    if text and text.startswith("@"):  # it was too long for a variable
        with open(text[1:], encoding="utf-8") as file:
            text = file.read()
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
