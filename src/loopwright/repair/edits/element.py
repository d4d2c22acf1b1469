"""An element too many in a list, a set, a tuple or a dictionary that stands in the code, or a character in a text."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_MOST = 20


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, (ast.List, ast.Set, ast.Tuple)) and place.loads(node) and len(node.elts) > 2:
            yield from _without_one(place, node.elts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and 2 < len(set(node.value)) <= _MOST:
            yield from _shorter(place, node, node.value)


def _without_one(place: Place, parts: list[ast.expr]) -> Iterator[Edit]:
    for n, part in enumerate(parts[:_MOST]):
        start, end = place.source.span(part)
        if n + 1 < len(parts):
            end = place.source.span(parts[n + 1])[0]
        else:
            start = place.source.span(parts[n - 1])[1]
        yield Edit(start, end, "", 2.2, f"leave out the element `{place.text(part)}`")


def _shorter(place: Place, node: ast.Constant, value: str) -> Iterator[Edit]:
    """A text that is a set of characters has each once."""
    plain = place.text(node)
    if len(set(value)) == len(value) and plain[1:-1] == value:
        for n, one in enumerate(value):
            yield place.swap(node, plain[: n + 1] + plain[n + 2 :], 2.9, f"leave out the character {one!r}")
