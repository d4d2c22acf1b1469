"""Regular expressions of tune take time in line with the text: none backtracks exponentially, none is quadratic.

Exponential: turns of a repeat that are not parted from repeats within them. Quadratic, on a run of letters: a match
that may begin anywhere within what a repeat of it takes, and fail behind it; two repeats one after the other that can
both take the same. Repeats with an end cost a constant factor, so `{0,40}` mends both; so do `++` and `(?<!…)`.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from loopwright.workflows import tuning
from tests.tables import each

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
    for module in pkgutil.walk_packages(tuning.__path__, f"{tuning.__name__}."):
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
KNOWN: dict[str, str] = {}
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
    """It is in each turn, and holds a letter that the inner repeat cannot take, so that turns are told apart."""
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


def _reached(
    nodes: list[Node], before: tuple[Node, ...] = (), after: tuple[Node, ...] = (), back: tuple[Node, ...] = ()
) -> Iterator[tuple[Node, tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]]]:
    """All unbounded repeats, with what stands before, and behind: that for which they may give back, and all of it."""
    for index, node in enumerate(nodes):
        left, right = (*before, *nodes[:index]), tuple(nodes[index + 1 :])
        if node[0] is c.POSSESSIVE_REPEAT or _wide(node):
            yield node, left, (*right, *back), (*right, *after)
        shut = node[0] in (c.ATOMIC_GROUP, c.POSSESSIVE_REPEAT)
        inner = [list(node[1][2])] if node[0] is c.POSSESSIVE_REPEAT else _inner(node)
        for one in inner:
            yield from _reached(one, left, (*right, *after), () if shut else (*right, *back))


def _unbounded(node: Node) -> bool:
    return node[1][1] is c.MAXREPEAT or node[1][1] > MANY


def _can(node: Node, letters: Letters, flags: int) -> bool:
    """It holds somewhere within a run of these letters."""
    op, value = node
    if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        return value[0] == 0 or all(_can(one, letters, flags) for one in value[2])
    if op is c.AT:
        ends = value in (c.AT_BEGINNING, c.AT_END)
        whole = value in (c.AT_BEGINNING_STRING, c.AT_END_STRING)
        return not whole and (not ends or (bool(flags & re.MULTILINE) and "\n" in letters))
    if op is c.ASSERT and value[0] < 0 and len(value[1]) == 1:
        return bool(_letters(value[1][0], flags) & letters)
    within = _inner(node)
    if within:
        return any(all(_can(one, letters, flags) for one in way) for way in within)
    return op in (c.ASSERT, c.ASSERT_NOT, c.GROUPREF) or bool(_letters(node, flags) & letters)


def _kept_out(before: tuple[Node, ...], letters: Letters, flags: int) -> bool:
    """What stands at the beginning does not hold behind one of these letters."""
    for op, value in before:
        if op is c.SUBPATTERN:
            return _kept_out(tuple(value[3]), letters, flags)
        if op is c.AT and value is c.AT_BOUNDARY and letters <= _matching(r"\w", 0):
            return True
        if op is c.ASSERT_NOT and value[0] < 0:
            ways = value[1][0][1][1] if len(value[1]) == 1 and value[1][0][0] is c.BRANCH else [value[1]]
            if letters <= frozenset[str]().union(*(_letters(way[0], flags) for way in ways if len(way) == 1)):
                return True
        elif op not in (c.AT, c.ASSERT) and not (_empty((op, value)) and not _every([(op, value)], flags) & letters):
            return False
    return False


def _may_fail(letters: Letters, after: tuple[Node, ...]) -> bool:
    """Behind a repeat that took all it could; a border of words stands behind all letters of words."""
    border = bool(after) and after[0] == (c.AT, c.AT_BOUNDARY) and _matching(r"\w", 0) <= letters
    return any(node[0] in (c.AT, c.ASSERT, c.ASSERT_NOT) or not _empty(node) for node in after[border:])


def drags(pattern: re.Pattern[str], *, anchored: bool) -> list[str]:
    """`anchored`: it is tried at one place, not at each."""
    flags = pattern.flags & (re.IGNORECASE | re.DOTALL | re.ASCII)
    lines = flags | pattern.flags & re.MULTILINE
    found: list[str] = []
    for repeat, before, back, after in _reached(list(parser.parse(pattern.pattern, pattern.flags))):
        if not _unbounded(repeat):
            continue
        turn = list(repeat[1][2])
        takes = _every(turn, flags)
        anywhere = not anchored and all(_can(node, takes, lines) for node in before)
        if anywhere and not _kept_out(before, takes, flags) and _may_fail(takes, after):
            found.append("it may begin anywhere within what it repeats")
        for other, between, _, behind in _reached(list(back)) if repeat[0] is not c.POSSESSIVE_REPEAT else ():
            both = takes & _every(list(other[1][2]), flags)
            beside = all(_can(node, both, lines) for node in (*turn, *between, *other[1][2]))
            if both and _unbounded(other) and beside and not _kept_out(between, both, flags):
                found += ["two repeats take the same"] if _may_fail(both, behind) else []
    return found


def _is_anchored(name: str) -> bool:
    """Its module asks it for a match at a place only, by its name."""
    module, _, own = name.partition("[")[0].rpartition(".")
    asked = set(re.findall(rf"\b{re.escape(own)}\.([a-z]+)\(", inspect.getsource(importlib.import_module(module))))
    return bool(asked) and asked <= {"match", "fullmatch"}


WITHIN = "it is asked about so many characters only"
BOUNDED = {"skill.calls._TOKEN": "what nothing closes takes all that is left"}
"""Those whose text has an end by construction, or that hold wherever they begin."""


@pytest.mark.parametrize("text", [r"(a+)+", r"(?:\w+\s*)*x", r"(?:a|b+)*x", r"(?:(?:\w-?)+)*x", r"(\s|\S+)*x"])
def test_what_backtracks_is_known(text: str) -> None:
    assert slips(re.compile(text))


@pytest.mark.parametrize(
    "text", [r"\w+\s+\w+", r"(?:\w+,)+", r"(?:\.\w+)*", r"(?:[^.]++)*", r"(?:\s+(?:is|are))*", r"(?:a{1,9})+"]
)
def test_what_does_not_is_known_too(text: str) -> None:
    assert not slips(re.compile(text))


@each("name", PATTERNS)
def test_no_expression_backtracks_over_much(name: str) -> None:
    assert bool(slips(PATTERNS[name])) == (name in KNOWN), PATTERNS[name].pattern


@each(
    "text",
    [
        r"[a-z]+x",
        r"\s*x",
        r"`[^\n]*`x",
        r"<[^>]*>",
        r"foo\w*x",
        r"(?P<a>\w+)\.md",
        r"a\s*:?\s*b",
        r".*a.*b\Z",
        r"\b[\w-]+x",
    ],
)
def test_what_is_slow_on_a_run_is_known(text: str) -> None:
    assert drags(re.compile(text), anchored=False)


@each(
    "text",
    [
        r"(?<![a-z])[a-z]+x", r"\b\w+:", r"a[a-z]{0,40}x", r"<[^<>]*>", r"a\s*+:?\s*+b", r"(?:a\s*+)?b", r"x\w*",
        r"\A\w*x", r"(?<=[ ])-[\w-]*(?= )", r"`[^`]*`",
    ],
)  # fmt: skip
def test_what_is_fast_on_a_run_is_known_too(text: str) -> None:
    assert not drags(re.compile(text), anchored=False)


@each("name", PATTERNS)
def test_no_expression_takes_longer_than_its_text(name: str) -> None:
    slow = drags(PATTERNS[name], anchored=_is_anchored(name))
    known = name.removeprefix(f"{tuning.__name__}.") in BOUNDED
    told = slow[0] if slow else "it is right by now: it needs no reason"
    assert bool(slow) == known, (
        f"{told}: bound what repeats ({{0,40}}), let it keep what it took (++), or let it begin only where a run "
        f"does (?<!…): {PATTERNS[name].pattern}"
    )
