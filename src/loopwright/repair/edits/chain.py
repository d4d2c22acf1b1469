"""Calls one behind the other, of which one comes too late or too early."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_MOST = 8


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        links = _links(place, node)
        whole = not isinstance(place.source.parents[node], ast.Attribute)
        if whole and 1 < len(links) <= _MOST:
            yield from _moved(place, links)


def _moved(place: Place, links: list[tuple[int, int]]) -> Iterator[Edit]:
    """The last first, the first last, and each with its neighbour."""
    text, start, end = place.source.text, links[0][0], links[-1][1]
    parts = [text[first:last] for first, last in links]
    if not all(part.lstrip().startswith(".") for part in parts):  # something stands in parentheses of its own
        return
    orders = [
        [parts[-1], *parts[:-1]],
        [*parts[1:], parts[0]],
        *([*parts[:n], parts[n + 1], parts[n], *parts[n + 2 :]] for n in range(len(parts) - 1)),
    ]
    for n, order in enumerate(orders):
        if order != parts and order not in orders[:n]:
            what = f"`{order[0]}` first" if n == 0 else f"`{order[-1]}` last"
            yield Edit(start, end, "".join(order), 2.2 + 0.03 * n, what if n < 2 else f"`{order[n - 2]}` sooner")


def _links(place: Place, node: ast.expr) -> list[tuple[int, int]]:
    """Where each `.name(…)` behind a value stands, in the order of the text."""
    found: list[tuple[int, int]] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found.append((place.source.span(node.func.value)[1], place.source.span(node)[1]))
        node = node.func.value
    return found[::-1]
