"""Another operator: arithmetic, bits, and/or, a sign, the order of operands, `+=` against `=`."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from .place import Edit, Place

OTHERS: dict[str, dict[str, float]] = {
    "+": {"-": 1.2, "*": 2.0},
    "-": {"+": 1.2, "*": 2.8, "//": 3.0, "%": 3.2},
    "*": {"/": 1.6, "+": 2.0, "**": 2.0, "//": 2.2, "-": 3.0},
    "/": {"//": 1.2, "*": 1.5, "%": 2.5, "-": 3.0},
    "//": {"/": 1.2, "%": 1.5, "*": 2.2, "-": 3.0},
    "%": {"//": 1.5, "/": 2.0, "*": 3.0},
    "**": {"*": 1.5, "^": 3.0},
    "&": {"|": 1.3, "^": 1.8, "-": 2.0},
    "|": {"&": 1.3, "^": 1.8, "-": 2.5},
    "^": {"|": 1.5, "&": 1.5, "**": 1.5},
    "<<": {">>": 1.3},
    ">>": {"<<": 1.3},
}
"""What an operator may have been meant to be."""

_TOKEN = re.compile(r"//|\*\*|<<|>>|[-+*/%&|^]")
_AUGMENTED = re.compile(r"(//|\*\*|<<|>>|[-+*/%&|^@])=")
_PLAIN = re.compile(r"=")


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.BinOp):
            yield from _binary(place, node)
        elif isinstance(node, ast.BoolOp):
            yield from _and_or(place, node)
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            yield place.swap(node, place.text(node.operand), 1.8)
    if isinstance(place.stmt, ast.AugAssign):
        yield from _augmented(place, place.stmt)
    elif isinstance(place.stmt, ast.Assign) and len(place.stmt.targets) == 1:
        yield from _plain(place, place.stmt)


def _binary(place: Place, node: ast.BinOp) -> Iterator[Edit]:
    start, end = place.gap(node.left, node.right)
    token = _TOKEN.search(place.source.text, start, end)
    if token is None:
        return
    for new, cost in OTHERS[token.group()].items():
        yield Edit(token.start(), token.end(), new, cost, f"`{new}` instead of `{token.group()}`")
    if not isinstance(node.op, (ast.Mult, ast.BitAnd, ast.BitOr)):
        yield place.exchange(node.left, node.right, 2.0)
    yield place.swap(node, place.text(node.left), 2.4)
    yield place.swap(node, place.text(node.right), 2.6)
    if isinstance(node.left, ast.BinOp):
        yield place.swap(node, place.text(node.left.left), 2.8)
    if isinstance(node.left, ast.BinOp) and not _wrapped(place, node.left):
        yield _regroup(place, node, node.left)


def _wrapped(place: Place, node: ast.expr) -> bool:
    end = place.source.span(node)[1]
    return place.source.text[end:].lstrip().startswith(")")


def _regroup(place: Place, node: ast.BinOp, left: ast.BinOp) -> Edit:
    """a op b op c read as a op (b op c): the parentheses that were forgotten."""
    (start, end), middle = place.source.span(node), place.source.span(left.right)[0]
    text = place.source.text
    return Edit(start, end, f"{text[start:middle]}({text[middle:end]})", 2.2, "group the right-hand operands")


def _and_or(place: Place, node: ast.BoolOp) -> Iterator[Edit]:
    """All operators of a chain at once, then each alone."""
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    tokens = [_word(place, old, *place.gap(left, right)) for left, right in pairwise(node.values)]
    yield place.rewritten([(at, at + len(old), new) for at in tokens], 1.4, f"`{new}` instead of `{old}`")
    if len(tokens) > 1:
        for token in tokens:
            yield Edit(token, token + len(old), new, 1.5, f"`{new}` instead of one `{old}`")


def _word(place: Place, word: str, start: int, end: int) -> int:
    found = re.compile(rf"\b{word}\b").search(place.source.text, start, end)
    return found.start() if found else start


def _augmented(place: Place, node: ast.AugAssign) -> Iterator[Edit]:
    start, end = place.gap(node.target, node.value)
    token = _AUGMENTED.search(place.source.text, start, end)
    if token is None:
        return
    old = token.group(1)
    for new, cost in OTHERS.get(old, {}).items():
        yield Edit(token.start(), token.end(), f"{new}=", cost, f"`{new}=` instead of `{old}=`")
    yield Edit(token.start(), token.end(), "=", 1.8, f"`=` instead of `{old}=`")


def _plain(place: Place, node: ast.Assign) -> Iterator[Edit]:
    start, end = place.gap(node.targets[0], node.value)
    token = _PLAIN.search(place.source.text, start, end)
    if token is None or not isinstance(node.targets[0], (ast.Name, ast.Attribute, ast.Subscript)):
        return
    for new, cost in (("+=", 1.8), ("-=", 2.6), ("*=", 2.8), ("|=", 3.4)):
        yield Edit(token.start(), token.end(), new, cost, f"`{new}` instead of `=`")
