"""Another constant: nearby ones, common ones, the function's own, those of the failing tests, solved ones."""

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeGuard

from ..facts import changes
from .place import Edit, Place

_NUMBERS = (0, 1, -1, 2, 10, 100, 1000, 60)
_CHARACTERS = 12
_EMPTY = ("None", "[]", "{}", "set()", "()", '""', "0", "False", "True", "[[]]")


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.JoinedStr():
                yield from _in_fstring(place, node)
            case ast.Constant():
                yield from _of_constant(place, node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                yield from _among(place, node, (place.text(node.operand), "0", "1"), 1.6)
            case _ if _is_empty(node) and place.loads(node):
                yield from _among(place, node, _EMPTY, 2.2)
                if isinstance(node, ast.List):
                    yield from _among(place, node, [f"[{name}]" for name in place.scope.locals[:6]], 2.3)


def _of_constant(place: Place, node: ast.Constant) -> Iterator[Edit]:
    match node.value:
        case bool(value):
            yield place.swap(node, str(not value), 1.0)
            yield place.swap(node, "None", 3.0)
        case None:
            yield from _among(place, node, _EMPTY[1:], 2.2)
        case int(value) | float(value):
            yield from _number(place, node, value)
        case str(value):
            yield from _text(place, node, value)


def _number(place: Place, node: ast.Constant, value: int | float) -> Iterator[Edit]:
    for a, b in place.pool.facts.pairs[:12]:
        yield from _among(place, node, _solved(value, a, b), 1.9)
    yield from _among(place, node, map(repr, _numbers(place.scope.constants)), 2.2)
    yield from _among(place, node, map(repr, _NUMBERS), 2.3)
    if value:
        yield from _among(
            place, node, map(_neat, (-value, value * 10, value / 10, value * 100, value / 100, 1 - value)), 2.4
        )
    yield from _among(place, node, map(repr, _numbers(place.pool.facts.literals)[:16]), 2.8)


def _is_number(value: object) -> TypeGuard[int | float]:
    return type(value) in (int, float)


def _numbers(values: Sequence[object]) -> list[int | float]:
    return [value for value in values if _is_number(value)]


def _solved(value: int | float, actual: object, expected: object) -> list[str]:
    """What the constant would have to be, if the result were a sum or a product with it."""
    if not _is_number(actual) or not _is_number(expected):
        return []
    found = [value + expected - actual]
    if actual:
        found.append(value * expected / actual)
    return [_neat(one) for one in found if abs(one) < 1e15]


def _neat(value: int | float) -> str:
    rounded = round(value, 9)
    return repr(int(rounded)) if rounded == int(rounded) else repr(rounded)


def _text(place: Place, node: ast.Constant, value: str) -> Iterator[Edit]:
    if isinstance(place.source.parents[node], ast.JoinedStr):
        return  # a piece of an f-string has no quotes of its own
    for text in _mended(place, value):
        yield place.swap(node, _quoted(place, node, text), 1.5)
    yield from _fragments(place, node, value)
    known = [one for one in [*place.scope.constants, *place.pool.facts.literals] if isinstance(one, str)]
    near = [one for one in dict.fromkeys(known) if one != value and "\n" not in one and len(one) <= 60]
    for text in near[:24]:
        like = SequenceMatcher(None, value, text).ratio()
        yield place.swap(node, _quoted(place, node, text), 3.2 - like)
    shapes = (value.strip(), value.lower(), value.upper(), value.capitalize(), value[::-1], value + value.swapcase())
    for text in dict.fromkeys((*shapes, "", " ", ", ")):
        if text != value:
            yield place.swap(node, _quoted(place, node, text), 2.4)


def _fragments(place: Place, node: ast.Constant, value: str) -> Iterator[Edit]:
    """What is missing in an actual result; for one character, those of the tests' texts."""
    inserted = place.pool.facts.inserted
    yield from _among(place, node, [_quoted(place, node, text) for text in inserted if text != value], 2.0)
    if len(value) == 1:
        texts = "".join(one for one in place.pool.facts.literals if isinstance(one, str))
        others = [one for one in dict.fromkeys(texts) if one != value and one not in inserted][:_CHARACTERS]
        yield from _among(place, node, [_quoted(place, node, one) for one in others], 2.6)


def _in_fstring(place: Place, node: ast.JoinedStr) -> Iterator[Edit]:
    start, end = place.source.span(node)
    text = place.source.text[start:end]
    for part in node.values:
        value = part.value if isinstance(part, ast.Constant) else ""
        if not isinstance(value, str) or not value or text.count(value) != 1:
            continue
        at = start + text.index(value)
        for new in _mended(place, value):
            if not set(new) & set("{}\\\"'\n"):
                yield Edit(at, at + len(value), new, 1.6, f"write `{new}` instead of `{value}` in the text")


def _mended(place: Place, value: str) -> list[str]:
    """The text with the difference between an actual and an expected result put right in it."""
    found: dict[str, None] = {}
    for actual, expected in place.pool.facts.pairs:
        if not isinstance(actual, str) or not isinstance(expected, str):
            continue
        if actual == value:
            found[expected] = None
        for old, new in _changes(actual, expected):
            if old in value:
                found[value.replace(old, new)] = None
    return [text for text in found if text != value]


def _changes(actual: str, expected: str) -> Iterator[tuple[str, str]]:
    """Replaced fragments, alone and with up to two characters around them."""
    for tag, a, b, c, d in changes(actual, expected):
        if tag == "equal":
            continue
        for left, right in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)):
            if a - left >= 0 and b + right <= len(actual) and (b - a + left + right):
                old = actual[a - left : b + right]
                yield old, actual[a - left : a] + expected[c:d] + actual[b : b + right]


def _quoted(place: Place, node: ast.Constant, text: str) -> str:
    shown = repr(text)
    return '"' + shown[1:-1] + '"' if place.text(node).endswith('"') and '"' not in shown else shown


def _is_empty(node: ast.expr) -> bool:
    return (isinstance(node, (ast.List, ast.Tuple)) and not node.elts) or (isinstance(node, ast.Dict) and not node.keys)


def _among(
    place: Place, node: ast.expr, texts: "Iterator[str] | tuple[str, ...] | list[str] | map[str]", cost: float
) -> Iterator[Edit]:
    old = place.text(node)
    for text in dict.fromkeys(texts):
        if text != old:
            yield place.swap(node, text, cost)
