"""What edits are built from: names in reach, conditions, constants, attributes, and what the failed asserts said."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .source import FUNCTIONS, Function, Source

Literal = int | float | str | bytes | bool | None
_ASSERT = re.compile(r"^(?:AssertionError: )?(?:assert )?(.+?) (==|!=) (.+?)(?: : .*)?$", re.MULTILINE)
_RAISES = re.compile(r"DID NOT RAISE.*?'(?:[\w.]*\.)?(\w+)'|^(\w+) not raised", re.MULTILINE)
_FEW = 24


@dataclass
class Facts:
    """What the failing tests know. `pairs` are (one side, other side) of failed equalities, either way round.

    `raises`: exceptions that tests waited for; `errors`: those that came instead.
    """

    literals: list[Any] = field(default_factory=list)  # Any: what ast.literal_eval gives
    pairs: list[tuple[Any, Any]] = field(default_factory=list)
    raises: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def learn(self, error: str, message: str, source: str) -> None:
        """Adds what one failing test's error message and source text say."""
        if error not in ("AssertionError", "Failed", "TimeUp", *self.errors):
            self.errors.append(error)
        for left, _, right in _ASSERT.findall(message):
            sides = _value(left), _value(right)
            if None not in sides:
                self.pairs += _unequal(sides[0], sides[1])
        for first, second in _RAISES.findall(message):
            self.raises += [name for name in (first or second,) if name not in self.raises]
        self.literals += [value for value in _literals(source) if value not in self.literals]


def _value(text: str) -> Any:  # Any: a literal of any type, None for what is none
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _unequal(left: Any, right: Any, depth: int = 3) -> list[tuple[Any, Any]]:  # Any: literals
    """The smallest parts in which two values differ, both ways round."""
    if depth and isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and len(left) == len(right):
        return [pair for a, b in zip(left, right, strict=True) if a != b for pair in _unequal(a, b, depth - 1)]
    if depth and isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return [pair for key in left if left[key] != right[key] for pair in _unequal(left[key], right[key], depth - 1)]
    return [(left, right), (right, left)]


def _literals(source: str) -> list[Literal]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value is not Ellipsis]


@dataclass
class Pool:
    """The project's vocabulary; one for all places."""

    facts: Facts
    attributes: Counter[str]
    signatures: Mapping[str, Function]
    exceptions: list[str]

    @classmethod
    def of(cls, sources: Iterable[Source], facts: Facts) -> "Pool":
        attributes: Counter[str] = Counter()
        signatures: dict[str, Function] = {}
        exceptions: Counter[str] = Counter()
        for source in sources:
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Attribute):
                    attributes[node.attr] += 1
                elif isinstance(node, FUNCTIONS):
                    signatures.setdefault(node.name, node)
                    if source.owner(node) is not None:
                        attributes[node.name] += 1
                elif isinstance(node, ast.Name) and node.id.endswith(("Error", "Exception")):
                    exceptions[node.id] += 1
        named = dict.fromkeys([*facts.raises, *(name for name, _ in exceptions.most_common(8))])
        return cls(facts, attributes, signatures, list(named))


class Scope:
    """What can be said at one place: inside one function (or at module level) of one source."""

    def __init__(self, source: Source, function: Function | None) -> None:
        self.source = source
        self.function = function
        self._root: ast.AST = function or source.tree

    @cached_property
    def parameters(self) -> list[str]:
        if self.function is None:
            return []
        a = self.function.args
        given = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs]
        return [one.arg for one in given] + ([a.kwarg.arg] if a.kwarg else [])

    @cached_property
    def locals(self) -> list[str]:
        """Parameters without self, then every name the function assigns."""
        stored = [n.id for n in ast.walk(self._root) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return list(dict.fromkeys([*(p for p in self.parameters if p not in ("self", "cls")), *stored]))[:_FEW]

    @cached_property
    def globals(self) -> list[str]:
        """Names the module defines or imports, near ones first."""
        found: list[str] = []
        for node in self.source.tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found.append(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                found += [(alias.asname or alias.name).split(".")[0] for alias in node.names]
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                found += [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return list(dict.fromkeys(found))[:_FEW]

    @cached_property
    def own_attributes(self) -> list[str]:
        """`self.x` for every x that the class's methods use."""
        owner = self.source.owner(self.function) if self.function else None
        if owner is None or "self" not in self.parameters:
            return []
        used = [
            node.attr
            for node in ast.walk(owner)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        ]
        return [f"self.{name}" for name in dict.fromkeys(used)][:_FEW]

    @cached_property
    def conditions(self) -> list[str]:
        """Conditions of the function, then of its module: whole ones and their parts."""
        found: list[str] = []
        for root in (self._root, self.source.tree):
            for node in ast.walk(root):
                if isinstance(node, (ast.If, ast.While, ast.IfExp)):
                    found += self._parts(node.test)
                elif isinstance(node, ast.comprehension):
                    found += [part for test in node.ifs for part in self._parts(test)]
        return [text for text in dict.fromkeys(found) if "\n" not in text][:_FEW]

    def _parts(self, test: ast.expr) -> list[str]:
        inner = test.values if isinstance(test, ast.BoolOp) else []
        return [self.source.segment(node) for node in [test, *inner]]

    @cached_property
    def comprehensions(self) -> list[tuple[str, str]]:
        """The module's simple comprehensions as text before and behind what they run over."""
        found = []
        for node in ast.walk(self.source.tree):
            if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and len(node.generators) == 1:
                (start, end), (a, b) = self.source.span(node), self.source.span(node.generators[0].iter)
                found.append((self.source.text[start:a], self.source.text[b:end]))
        return list(dict.fromkeys(found))[:6]

    @cached_property
    def constants(self) -> list[Literal]:
        """Literals of the function, then of the module."""
        found: list[Literal] = []
        for root in (self._root, self.source.tree):
            for node in ast.walk(root):
                if isinstance(node, ast.Constant) and node.value is not Ellipsis and not _holds(found, node.value):
                    found.append(node.value)  # type: ignore[arg-type]  # complex is rare and does no harm
        return found[: 2 * _FEW]


def _holds(values: list[Literal], value: object) -> bool:
    return any(type(one) is type(value) and one == value for one in values)
