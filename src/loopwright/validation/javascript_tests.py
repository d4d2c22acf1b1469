"""The tests in a JavaScript or TypeScript file, as they are written: found by their names, and digested."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from loopwright.validation import sources
from loopwright.validation.javascript_names import bindings, named_by

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


@dataclass(frozen=True, eq=False)
class _Case:
    """A call that makes tests; `names` match them level by level, `exact` counts those that are written out."""

    node: Node
    names: tuple[re.Pattern[str], ...]
    blocks: tuple[_Block, ...]
    exact: int


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
        self._read(tree, (), (_Block(),))

    @property
    def declares_tests(self) -> bool:
        """Whether it has tests for Node's own runner."""
        return bool(self._cases) and b"node:test" in (self._tree.text or b"")

    def digest(self) -> str:
        """Of the whole file."""
        return sources.digest([self._tree], _normal)

    def digest_of(self, path: Sequence[str]) -> str:
        """Of the test with these names, the hooks and suites around it, and whatever of this file it names.

        Of the whole file for a test that is written in some other way.
        """
        cases = self._cases_of(path)
        if not cases:
            return self.digest()
        blocks = list(dict.fromkeys(block for case in cases for block in case.blocks))
        around = [node for block in blocks for node in (*block.head, *block.hooks)]
        nodes = [*around, *(case.node for case in cases)]
        return sources.digest([*nodes, *named_by(nodes, [block.declared for block in blocks])], _normal)

    def _cases_of(self, path: Sequence[str]) -> list[_Case]:
        """Those whose names say it most exactly; failing that, by the last name: suites may be made by functions."""
        whole = [case for case in self._cases if _fits(case, path)]
        found = whole or [case for case in self._cases if case.names[-1].fullmatch(path[-1])]
        best = max((case.exact for case in found), default=0)
        return [case for case in found if case.exact == best]

    def _read(self, node: Node, names: tuple[re.Pattern[str], ...], blocks: tuple[_Block, ...]) -> None:
        for child in node.named_children:
            for name, declared in bindings(child):
                blocks[-1].declared.setdefault(name, []).extend(declared)
            call = _call_of(child)
            kind = _kind(call) if call is not None else None
            if call is None or kind is None:
                self._read(child, names, (*blocks, _Block()) if child.type in _SCOPES else blocks)
            elif kind == "hook":
                blocks[-1].hooks.append(call)
            else:
                self._read_call(call, kind, names, blocks)

    def _read_call(self, call: Node, kind: str, names: tuple[re.Pattern[str], ...], blocks: tuple[_Block, ...]) -> None:
        arguments = call.child_by_field_name("arguments")
        given = arguments.named_children if arguments is not None else []
        names = (*names, _name(given))
        if kind == "test":
            exact = sum(_ANYTHING not in name.pattern for name in names)
            self._cases.append(_Case(call, names, blocks, exact))
        body = next((node for node in reversed(given) if node.type in _FUNCTIONS), None)
        if body is not None:
            callee = call.child_by_field_name("function")
            head = tuple(node for node in (callee, *given) if node is not None and node is not body)
            self._read(body, names, (*blocks, _Block() if kind == "test" else _Block(head)))


def _fits(case: _Case, path: Sequence[str]) -> bool:
    return len(case.names) == len(path) and all(
        name.fullmatch(part) for name, part in zip(case.names, path, strict=True)
    )


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


def _name(given: Sequence[Node]) -> re.Pattern[str]:
    """Matches the names that a test with these arguments can get."""
    first = given[0] if given else None
    if first is None or first.type not in ("string", "template_string"):
        own = first.child_by_field_name("name") if first is not None else None
        text = sources.text_of(own if own is not None else first)
        known = first is not None and (own is not None or first.type == "identifier")
        return re.compile(f"{re.escape(text)}|{_ANYTHING}" if known else _ANYTHING)
    text = sources.text_of(first)[1:-1]
    plain = re.sub(r"\\(['\"`\\])", r"\1", text)
    return re.compile(_VARIABLE.sub(lambda _: _ANYTHING, re.escape(plain)), re.DOTALL)


def _normal(token: bytes) -> bytes:
    """What a formatter may change: kinds of quotes, and semicolons."""
    return b"" if token == b";" else b'"' if token == b"'" else token
