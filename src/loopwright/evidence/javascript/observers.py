"""Our observers inside of Node's test runners, seen from outside: how they are asked, and what they wrote."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from tree_sitter import Node

from loopwright.core.private_files import read_regular
from loopwright.evidence import coverage, sources
from loopwright.evidence.coverage import FileLines, combine_coverage
from loopwright.evidence.javascript import package_json
from loopwright.evidence.results import RunnerReport, encode_safely, number_duplicates
from loopwright.evidence.testing import TestResult, TestStatus

_USES = frozenset({"identifier", "shorthand_property_identifier"})

Binding = tuple[str, tuple[Node, ...]]
"""A name, and the nodes that say what it stands for."""


def bindings(statement: Node) -> Iterator[Binding]:
    """The names that this statement declares, each by itself: one more in an import changes no other."""
    if statement.type == "export_statement":
        for declaration in filter(None, [statement.child_by_field_name("declaration")]):
            yield from bindings(declaration)
    elif statement.type == "import_statement":
        yield from _imported(statement)
    elif statement.type in ("lexical_declaration", "variable_declaration"):
        for declarator in (child for child in statement.named_children if child.type == "variable_declarator"):
            yield from _variables(declarator)
    elif statement.type.endswith("_declaration") and (name := statement.child_by_field_name("name")) is not None:
        yield sources.text_of(name), (statement,)


def find_declarations(nodes: Iterable[Node], declared: Sequence[Mapping[str, Sequence[Node]]]) -> list[Node]:
    """The declarations that these nodes name, and those that they name in turn, in the order of the text."""
    found: dict[Node, None] = {}
    seen: set[str] = set()
    waiting = list(nodes)
    while waiting:
        names = {sources.text_of(part) for part in sources.walk_tree(waiting.pop()) if part.type in _USES}
        meant = [node for name in names - seen for block in declared for node in block.get(name, ())]
        seen |= names
        found.update(dict.fromkeys(meant))
        waiting += meant
    return sorted(found, key=lambda node: node.start_byte)


def _imported(statement: Node) -> Iterator[Binding]:
    source = tuple(filter(None, [statement.child_by_field_name("source")]))
    for part in sources.walk_tree(statement):
        if part.type == "import_specifier":
            name = part.child_by_field_name("alias") or part.child_by_field_name("name")
            yield sources.text_of(name), (part, *source)
        elif part.type == "identifier" and part.parent is not None and part.parent.type != "import_specifier":
            yield sources.text_of(part), (part, *source)


def _variables(declarator: Node) -> Iterator[Binding]:
    target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    if target is None or target.type not in ("object_pattern", "array_pattern"):
        yield sources.text_of(target), (declarator,)
        return
    for part in target.named_children:
        bound = part.child_by_field_name("value") or part.child_by_field_name("left") or part
        yield sources.text_of(bound).removeprefix("..."), (part, *filter(None, [value]))


_KINDS = {
    **dict.fromkeys(("describe", "suite", "context", "fdescribe", "xdescribe"), "suite"),
    **dict.fromkeys(("it", "test", "specify", "fit", "xit", "xtest"), "test"),
    **dict.fromkeys(("before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll"), "hook"),
}
"""What a call means by the word it begins with."""

_TOOLS = frozenset({"jest", "vi", "vitest", "mock"})
"""Their methods replace modules, clocks and the like for all tests around."""

_VARIABLE = re.compile(r"%[a-zA-Z#$%]|\\\$\\\{.*?\\\}|\\\$[\w.\\]+")
_ANYTHING = "(?s:.*)"
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_SCOPES = frozenset({*_FUNCTIONS, "function_declaration", "generator_function_declaration", "method_definition"})
_NO_CODE = re.compile(rb"\W*")


@dataclass(eq=False)
class _Block:
    """A stretch of code in which tests stand: the file, or the function of a suite.

    `head`: the suite's call without that function. `declared`: what each name stands for.
    """

    head: tuple[Node, ...] = ()
    hooks: list[Node] = field(default_factory=list)
    declared: dict[str, list[Node]] = field(default_factory=dict)


class _Name(NamedTuple):
    """What a test can be called; `written` where that is not put together at run time."""

    pattern: re.Pattern[str]
    written: str | None = None

    def fits(self, name: str) -> bool:
        return name == self.written if self.written is not None else self.pattern.fullmatch(name) is not None


_Names = tuple[_Name, ...]


@dataclass(frozen=True, eq=False)
class _Case:
    """A call that makes tests; `names` are theirs, level by level."""

    node: Node
    names: _Names
    blocks: tuple[_Block, ...]

    @property
    def exact(self) -> int:
        return sum(name.written is not None for name in self.names)


class _Place(NamedTuple):
    """A node whose children are still to be read, the names above them, and the blocks around."""

    node: Node
    names: _Names
    blocks: tuple[_Block, ...]


def parse_test_file(path: Path) -> "TestFile | None":
    """None when there is no such file, or it is in another language."""
    tree = sources.parse_file(path)
    return None if tree is None else TestFile(tree)


def code_lines(path: Path) -> frozenset[int] | None:
    """Numbers of the lines on which something of substance begins; None when the file cannot be read."""
    tree = sources.parse_file(path)
    if tree is None:
        return None
    leaves = sources.list_leaves(tree)
    return frozenset(leaf.start_point.row + 1 for leaf in leaves if not _NO_CODE.fullmatch(leaf.text or b""))


class TestFile:
    """One parsed file."""

    __test__ = False

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._cases: list[_Case] = []
        self._written: dict[tuple[str | None, ...], list[_Case]] = {}
        self._known: dict[tuple[_Case, ...], str] = {}
        waiting = [_Place(self._tree, (), (_Block(),))]
        while waiting:
            place = waiting.pop()
            inner = [self._enter(child, place) for child in place.node.named_children]
            waiting += reversed([place for place in inner if place is not None])

    @property
    def declares_tests(self) -> bool:
        """Whether it has tests for Node's own runner."""
        return bool(self._cases) and b"node:test" in (self._tree.text or b"")

    def digest(self) -> str:
        """Of the whole file."""
        return self.digest_of(())

    def digest_of(self, path: Sequence[str]) -> str:
        """Of the test with these names, the hooks and suites around it, and whatever of this file it names.

        Of the whole file for a test that is written in some other way.
        """
        cases = self._cases_of(path) if path else ()
        if cases not in self._known:
            nodes = _around(cases) if cases else [self._tree]
            self._known[cases] = sources.digest_nodes(nodes, _normal)
        return self._known[cases]

    def _cases_of(self, path: Sequence[str]) -> tuple[_Case, ...]:
        """Those whose names say it most exactly; failing that, by the last name: suites may be made by functions."""
        if written := self._written.get(tuple(path)):
            return tuple(written)
        deep = [case for case in self._cases if len(case.names) == len(path)]
        whole = [case for case in deep if all(name.fits(part) for name, part in zip(case.names, path, strict=True))]
        found = whole or [case for case in self._cases if case.names[-1].fits(path[-1])]
        best = max((case.exact for case in found), default=0)
        return tuple(case for case in found if case.exact == best)

    def _enter(self, node: Node, around: _Place) -> _Place | None:
        """Notes what this node is for the tests; where more of them may stand inside, that place."""
        _, names, blocks = around
        for name, declared in bindings(node):
            blocks[-1].declared.setdefault(name, []).extend(declared)
        call = _call_of(node)
        kind = _kind(call) if call is not None else None
        if call is None or kind is None:
            return _Place(node, names, (*blocks, _Block()) if node.type in _SCOPES else blocks)
        if kind == "hook":
            blocks[-1].hooks.append(call)
            return None
        return self._enter_call(call, kind, names, blocks)

    def _enter_call(self, call: Node, kind: str, names: _Names, blocks: tuple[_Block, ...]) -> _Place | None:
        arguments = call.child_by_field_name("arguments")
        given = arguments.named_children if arguments is not None else []
        names = (*names, _name(given))
        if kind == "test":
            self._cases.append(_Case(call, names, blocks))
            self._written.setdefault(tuple(name.written for name in names), []).append(self._cases[-1])
        body = next((node for node in reversed(given) if node.type in _FUNCTIONS), None)
        if body is None:
            return None
        callee = call.child_by_field_name("function")
        head = tuple(node for node in (callee, *given) if node is not None and node is not body)
        return _Place(body, names, (*blocks, _Block() if kind == "test" else _Block(head)))


def _around(cases: Sequence[_Case]) -> list[Node]:
    """Everything that these tests are made of."""
    blocks = list(dict.fromkeys(block for case in cases for block in case.blocks))
    shared = [node for block in blocks for node in (*block.head, *block.hooks)]
    nodes = [*shared, *(case.node for case in cases)]
    return [*nodes, *find_declarations(nodes, [block.declared for block in blocks])]


def _call_of(node: Node) -> Node | None:
    if node.type == "await_expression" and node.named_children:
        node = node.named_children[0]
    return node if node.type == "call_expression" else None


def _kind(call: Node) -> str | None:
    """By the first word of `it.skip.each(table)(…)`; `t.test(…)` by the last."""
    words = _words(call.child_by_field_name("function"))
    if not words:
        return None
    if words[0] == "test" and "describe" in words:
        return "suite"
    if words[0] in _TOOLS:
        return "hook" if len(words) > 1 else None
    arguments = call.child_by_field_name("arguments")
    takes_function = arguments is not None and any(given.type in _FUNCTIONS for given in arguments.named_children)
    return _KINDS.get(words[0]) or (_KINDS.get(words[-1]) if takes_function else None)


def _words(node: Node | None) -> list[str]:
    """The names in a chain of members and calls, from the left."""
    words: list[str] = []
    while node is not None:
        if node.type == "member_expression":
            words.insert(0, sources.text_of(node.child_by_field_name("property")))
            node = node.child_by_field_name("object")
        elif node.type == "call_expression":
            node = node.child_by_field_name("function")
        else:
            return [sources.text_of(node), *words] if node.type == "identifier" else []
    return words


def _name(given: Sequence[Node]) -> _Name:
    """The name that a test with these arguments gets: a text, or that of a function or class."""
    first = given[0] if given else None
    if first is None or first.type not in ("string", "template_string"):
        own = first.child_by_field_name("name") if first is not None else None
        text = sources.text_of(own if own is not None else first)
        known = first is not None and (own is not None or first.type == "identifier")
        return _Name(re.compile(f"{re.escape(text)}|{_ANYTHING}" if known else _ANYTHING))
    text = re.sub(r"\\(['\"`\\])", r"\1", sources.text_of(first)[1:-1])
    pattern = _VARIABLE.sub(lambda _: _ANYTHING, re.escape(text))
    return _Name(re.compile(pattern, re.DOTALL), None if _ANYTHING in pattern else text)


def _normal(token: bytes) -> bytes:
    """What a formatter may change: kinds of quotes, and semicolons."""
    return b"" if token == b";" else b'"' if token == b"'" else token


Framework = Literal["node", "vitest", "jest"]
INJECTED = Path(__file__).parent / "injected"
SEPARATOR = " > "


def observer_environment(root: Path, folder: Path) -> dict[str, str]:
    """Loads our observer into every Node process; the one that is a test runner gives back what was there before."""
    path = str(INJECTED / "loopwright_node.cjs").replace("\\", "\\\\").replace('"', '\\"')
    preload = f'--require "{path}"'
    known = os.environ.get("NODE_OPTIONS")
    return {
        "NODE_OPTIONS": f"{known} {preload}" if known else preload,
        "LOOPWRIGHT_PRELOAD": preload,
        "LOOPWRIGHT_NODE": json.dumps({"folder": str(folder), "root": str(root)}),
    }


def instrument_command(command: str) -> str:
    """The command, with our observer in every NODE_OPTIONS that it sets by itself."""
    return re.sub(r"(?<![\w$])NODE_OPTIONS=", r'\g<0>"$LOOPWRIGHT_PRELOAD "', command)


def read_observers(root: Path, folder: Path, framework: Framework) -> RunnerReport:
    """All that the observers of this framework wrote in one run, in the order in which their processes began."""
    logs = [_log(file) for file in sorted(folder.glob(f"*.{framework}.ndjson"))]
    # What a child of `node --test` says itself is whole, also where it exits before its parent has heard it.
    heard = {test.file for log in logs if log.role == "child" for test in (*log.running.values(), *log.tests)}
    cut = {test.file for log in logs if log.role == "child" for test in log.running.values()}
    outer = [log for log in logs if log.role != "child"]
    tests = [test for log in logs for test in log.all_tests() if not _is_echo(test, log, heard, cut)]
    running = {test.key: None for log in logs for test in log.running.values() if not _is_echo(test, log, heard, cut)}
    files = {file: parse_test_file(root / file) for file in sorted({test.file for test in tests})}
    found = number_duplicates(_result(test, files[test.file]) for test in tests)

    def is_around(key: str) -> bool:
        """Whether something inside of this running file or suite is running, too."""
        return any(other.startswith((f"{key}::", f"{key}{SEPARATOR}")) for other in running)

    return RunnerReport(
        results=found,
        sources=_sources(tests, found, files),
        running=tuple(key for key in running if not is_around(key)),
        coverage=combine_coverage(root, _code_only(_measured(root, folder, framework, logs))),
        complete=bool(outer) and all(log.ended for log in outer),
        damaged=any(log.damaged for log in logs),
        reported=bool(logs),
        why="" if tests else package_json.missing_dependencies(root),
    )


class _Test(NamedTuple):
    """`path`: the names from the outermost suite down to the test; empty for a file as a whole."""

    file: str
    path: tuple[str, ...]
    status: TestStatus = "passed"
    ms: float = 0
    message: str = ""
    trace: str = ""

    @property
    def name(self) -> str:
        return SEPARATOR.join(self.path)

    @property
    def key(self) -> str:
        return f"{self.file}::{self.name}" if self.path else self.file


@dataclass
class _Log:
    """What one process told. `provisional` results count where the process did not live to say the final ones."""

    role: str = ""
    tests: list[_Test] = field(default_factory=list)
    provisional: dict[str, _Test] = field(default_factory=dict)
    running: dict[str, _Test] = field(default_factory=dict)
    traces: list[str] = field(default_factory=list)
    ended: bool = False
    damaged: bool = False

    def all_tests(self) -> list[_Test]:
        return [*self.tests, *self.provisional.values()]

    def take(self, line: object) -> None:
        match line:
            case {"kind": "begin", **more}:
                self.role = str(more.get("role", ""))
            case {"kind": "start", "token": str(token), "file": str(file), "path": list(path)}:
                self.running[token] = _Test(encode_safely(file), tuple(encode_safely(str(name)) for name in path))
            case {"kind": "done", "token": str(token)}:
                self.running.pop(token, None)
            case {"kind": "provisional" | "result" as kind, "token": str(token), **more}:
                self._end(kind, token, more)
            case {"kind": "coverage", "text": str(text)}:
                self.traces.append(text)
            case {"kind": "end", "status": int()}:
                self.ended = True
            case _:
                self.damaged = True

    def _end(self, kind: str, token: str, more: Mapping[object, object]) -> None:
        self.running.pop(token, None)
        self.provisional.pop(token, None)
        match more:
            case {"file": str(file), "path": list(path), "status": ("passed" | "failed" | "skipped") as status}:
                names = tuple(encode_safely(str(name)) for name in path)
                message, trace = (encode_safely(str(more.get(part) or "")) for part in ("message", "trace"))
                test = _Test(encode_safely(file), names, status, float(str(more.get("ms") or 0)), message, trace)
                if kind == "result":
                    self.tests.append(test)
                else:
                    self.provisional[token] = test
            case _:
                self.damaged = True


def _log(file: Path) -> _Log:
    """The last line may have been torn by the death of its process."""
    log = _Log()
    try:
        *whole, _torn = read_regular(file).split(b"\n")
    except OSError:
        log.damaged, whole = True, []
    for line in whole:
        try:
            log.take(json.loads(line))
        except ValueError:
            log.damaged = True
    return log


def _is_echo(test: _Test, log: _Log, heard: set[str], cut: set[str]) -> bool:
    """Whether the parent only repeats a child; its own failure is news, unless a test that was cut short explains."""
    if log.role == "child" or test.file not in heard:
        return False
    return bool(test.path) or test.status != "failed" or test.file in cut


def _result(test: _Test, file: TestFile | None) -> TestResult:
    status, message = test.status, test.message
    if status == "passed" and not test.path and file is not None and file.declares_tests:
        # Node is content with a file that exits before any of its tests has run.
        status, message = "skipped", "the file ended before any of its tests ran"
    return TestResult(
        test_name=test.name or test.file,
        suite=test.file if test.path else "",
        status=status,
        duration_ms=test.ms,
        error_message=message or None,
        stack_trace=test.trace or None,
    )


def _sources(tests: list[_Test], found: tuple[TestResult, ...], files: Mapping[str, TestFile | None]) -> dict[str, str]:
    digests = {name: file.digest() for name, file in files.items() if file is not None}
    for test, result in zip(tests, found, strict=True):
        file = files[test.file]
        if file is not None and test.path:
            digests[result.key] = file.digest_of(test.path)
    return digests


def _measured(root: Path, folder: Path, framework: Framework, logs: list[_Log]) -> Iterator[FileLines]:
    if framework != "node":
        for file in sorted(folder.glob("*.istanbul.json")):
            yield from coverage.read_istanbul(file)
        return
    for text in (text for log in logs for text in log.traces):
        yield from coverage.read_lcov(text, root)
    yield from coverage.read_v8(sorted((folder / "v8").glob("*.json")), root)


def _code_only(measured: Iterable[FileLines]) -> Iterator[FileLines]:
    """Lines that hold code: V8 also counts comments and closing brackets."""
    known: dict[Path, frozenset[int] | None] = {}
    for path, ran, missed in measured:
        if path not in known:
            known[path] = code_lines(path)
        lines = known[path]
        yield FileLines(path, ran, missed) if lines is None else FileLines(path, lines & set(ran), lines & set(missed))
