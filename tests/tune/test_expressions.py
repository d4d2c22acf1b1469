"""No regular expression of tune backtracks exponentially: turns of a repeat are parted from repeats within them.

Repeats beside each other that can take the same are quadratic at worst, on a run of their letters; they are not judged.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from loopwright import tune

c = importlib.import_module("re._constants")
parser = importlib.import_module("re._parser")
"""The parser that re itself uses, which has no types."""
MANY = 300
"""Repeats up to this are bounded: they cost a constant factor."""
ALPHABET = "".join(map(chr, range(128))) + "中一é—（）：。，“”「」\u3000\u2028😀\udc80"
"""Letters that stand for all."""
Letters = frozenset[str]
Node = tuple[Any, Any]  # Any: the parser's trees are not typed


def _patterns() -> dict[str, re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(tune.__path__, f"{tune.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            within = (
                value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
            )
            for number, one in enumerate(within):
                if isinstance(one, re.Pattern) and isinstance(one.pattern, str):
                    found.setdefault(one.pattern, one)
                    NAMES.setdefault(
                        one.pattern, f"{module.name}.{name}" + (f"[{number}]" if len([*within]) > 1 else "")
                    )
    return {NAMES[text]: pattern for text, pattern in found.items()}


NAMES: dict[str, str] = {}
KNOWN = {
    "loopwright.tune.skill.names._VARIABLE": "no other way takes the brace that begins the way with the inner repeat",
}
"""Those that the check suspects, and why they are right."""
PATTERNS = _patterns()


def _letters(node: Node, flags: int) -> Letters:
    """What the node may begin with, or consist of where it is one letter."""
    part = "".join(_written(node))
    return _matching(part, flags) if part else frozenset()


@cache
def _matching(part: str, flags: int) -> Letters:
    return frozenset(re.compile(part, flags).findall(ALPHABET))


def _written(node: Node) -> Iterator[str]:
    op, value = node
    if op is c.LITERAL:
        yield re.escape(chr(value))
    elif op is c.NOT_LITERAL:
        yield f"[^{re.escape(chr(value))}]"
    elif op is c.ANY:
        yield "."
    elif op is c.IN:
        yield f"[{''.join(_members(value))}]"


def _members(values: list[Node]) -> Iterator[str]:
    classes = {
        c.CATEGORY_DIGIT: r"\d", c.CATEGORY_NOT_DIGIT: r"\D", c.CATEGORY_SPACE: r"\s", c.CATEGORY_NOT_SPACE: r"\S",
        c.CATEGORY_WORD: r"\w", c.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    for op, value in values:
        if op is c.NEGATE:
            yield "^"
        elif op is c.LITERAL:
            yield re.escape(chr(value))
        elif op is c.RANGE:
            yield f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        else:
            yield classes[value]


def _inner(node: Node) -> list[list[Node]]:
    """The sequences a node is made of."""
    op, value = node
    if op is c.SUBPATTERN:
        return [list(value[3])]
    if op is c.BRANCH:
        return [list(one) for one in value[1]]
    if op in (c.MAX_REPEAT, c.MIN_REPEAT):
        return [list(value[2])]
    if op is c.ATOMIC_GROUP:
        return [list(value)]
    if op is c.GROUPREF_EXISTS:
        return [list(one) for one in value[1:] if one]
    return []


def _wide(node: Node) -> bool:
    """It repeats without end and may give back what it took."""
    return node[0] in (c.MAX_REPEAT, c.MIN_REPEAT) and (node[1][1] is c.MAXREPEAT or node[1][1] > MANY)


def _empty(node: Node) -> bool:
    op, value = node
    if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        return value[0] == 0 or all(map(_empty, value[2]))
    if op in (c.SUBPATTERN, c.BRANCH, c.ATOMIC_GROUP):
        return any(all(map(_empty, one)) for one in _inner(node))
    return op in (c.AT, c.ASSERT, c.ASSERT_NOT)


def _every(nodes: list[Node], flags: int) -> Letters:
    """All letters that it may take."""
    found: Letters = frozenset()
    for node in nodes:
        found |= _letters(node, flags)
        for one in _inner(node):
            found |= _every(one, flags)
        if node[0] is c.POSSESSIVE_REPEAT:
            found |= _every(list(node[1][2]), flags)
        if node[0] is c.GROUPREF:
            found |= frozenset(ALPHABET)
    return found


def _slips(nodes: list[Node], flags: int) -> Iterator[str]:
    """Unbounded repeats whose turns end or begin with what an unbounded repeat within them can take."""
    for node in nodes:
        if _wide(node):
            turn = list(node[1][2])
            for inner in _wide_within(turn):
                takes = _every(list(inner[1][2]), flags)
                if takes and not any(_parts(one, inner, takes, flags) for one in turn):
                    yield "a repeat within a repeat"
        for one in _inner(node):
            yield from _slips(one, flags)


def _wide_within(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        if _wide(node):
            yield node
        for one in _inner(node):
            yield from _wide_within(one)


def _parts(node: Node, inner: Node, takes: Letters, flags: int) -> bool:
    """It is in each turn, and holds a letter that the inner repeat can not take, so that turns are told apart."""
    if node is inner or _empty(node):
        return False
    within = _inner(node)
    if within:
        return all(any(_parts(one, inner, takes, flags) for one in way) for way in within)
    letters = _every([node], flags)
    return bool(letters) and not letters & takes


def slips(pattern: re.Pattern[str]) -> list[str]:
    flags = pattern.flags & (re.IGNORECASE | re.DOTALL | re.ASCII)
    return [*_slips(list(parser.parse(pattern.pattern, pattern.flags)), flags)]


@pytest.mark.parametrize("text", [r"(a+)+", r"(?:\w+\s*)*x", r"(?:a|b+)*x", r"(?:(?:\w-?)+)*x", r"(\s|\S+)*x"])
def test_what_backtracks_is_known(text: str) -> None:
    assert slips(re.compile(text))


@pytest.mark.parametrize(
    "text", [r"\w+\s+\w+", r"(?:\w+,)+", r"(?:\.\w+)*", r"(?:[^.]++)*", r"(?:\s+(?:is|are))*", r"(?:a{1,9})+"]
)
def test_what_does_not_is_known_too(text: str) -> None:
    assert not slips(re.compile(text))


@pytest.mark.parametrize("name", PATTERNS)
def test_no_expression_backtracks_over_much(name: str) -> None:
    assert bool(slips(PATTERNS[name])) == (name in KNOWN), PATTERNS[name].pattern
