"""The tests in a JavaScript or TypeScript file, as they are written: found by their names, and digested."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node

from loopwright.validation import sources
from loopwright.validation.javascript.names import bindings, named_by

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


def parsed(path: Path) -> "TestFile | None":
    """None when there is no such file, or it is in another language."""
    tree = sources.parse(path)
    return None if tree is None else TestFile(tree)


def code_lines(path: Path) -> frozenset[int] | None:
    """Numbers of the lines on which something of substance begins; None when the file can not be read."""
    tree = sources.parse(path)
    if tree is None:
        return None
    leaves = sources.leaves(tree)
    return frozenset(leaf.start_point.row + 1 for leaf in leaves if not _NO_CODE.fullmatch(leaf.text or b""))


class TestFile:
    """One parsed file."""

    __test__ = False

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._cases: list[_Case] = []
        self._written: dict[tuple[str | None, ...], list[_Case]] = {}
        self._known: dict[tuple[_Case, ...], str] = {}
        self._read()

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
            self._known[cases] = sources.digest(nodes, _normal)
        return self._known[cases]

    def _cases_of(self, path: Sequence[str]) -> tuple[_Case, ...]:
        """Those whose names say it most exactly; failing that, by the last name: suites may be made by functions."""
        if written := self._written.get(tuple(path)):
            return tuple(written)
        whole = [case for case in self._cases if _fits(case, path)]
        found = whole or [case for case in self._cases if case.names[-1].fits(path[-1])]
        best = max((case.exact for case in found), default=0)
        return tuple(case for case in found if case.exact == best)

    def _read(self) -> None:
        waiting = [_Place(self._tree, (), (_Block(),))]
        while waiting:
            place = waiting.pop()
            inner = [self._enter(child, place) for child in place.node.named_children]
            waiting += reversed([place for place in inner if place is not None])

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
    return [*nodes, *named_by(nodes, [block.declared for block in blocks])]


def _fits(case: _Case, path: Sequence[str]) -> bool:
    return len(case.names) == len(path) and all(name.fits(part) for name, part in zip(case.names, path, strict=True))


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
