"""An element too many in a list, a set or a tuple that stands in the code, or a character in a text."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_MOST = 20


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, (ast.List, ast.Set, ast.Tuple)) and place.loads(node) and len(node.elts) > 2:
            for n, part in enumerate(node.elts[:_MOST]):
                yield place.left_out(node.elts, n, 2.2, f"leave out the element `{place.text(part)}`")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and 2 < len(set(node.value)) <= _MOST:
            yield from _shorter(place, node, node.value)


def _shorter(place: Place, node: ast.Constant, value: str) -> Iterator[Edit]:
    """A text that is a set of characters has each once."""
    plain = place.text(node)
    if len(set(value)) == len(value) and plain[1:-1] == value:
        for n, one in enumerate(value):
            yield place.swap(node, plain[: n + 1] + plain[n + 2 :], 2.9, f"leave out the character {one!r}")
