"""Equals leave a heap in the order in which they came: a number that counts on stands in front of them."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_PUTS = ("heappush", "heappushpop", "put", "put_nowait")
_NAME = "self._came"


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None:
        return
    for node in place.nodes:
        if isinstance(node, ast.Call) and place.text(node.func).split(".")[-1] in _PUTS:
            for entry in [one for one in node.args if isinstance(one, ast.Tuple) and len(one.elts) > 1]:
                yield from _counted(place, entry)


def _counted(place: Place, entry: ast.Tuple) -> Iterator[Edit]:
    """In place of a part, or in front of the last one, whatever that is compared by."""
    counters = _counters(place)
    for counter in counters:
        for part in entry.elts[1:-1]:
            yield place.swap(part, f"next({counter})", 2.2)
        yield place.swap(entry.elts[-1], f"next({counter}), {place.text(entry.elts[-1])}", 2.2)
    begins = _beginning(place)
    if begins and not counters and _NAME not in place.scope.own_attributes:
        first = place.behind(begins.body[-1], place.source.indent(begins.body[-1].lineno), [f"{_NAME} = 0"], 0.0, "")
        one_more = place.before([f"{_NAME} += 1"], 0.0)
        at = place.source.span(entry.elts[-1])[0]
        changes = [(one.start, one.end, one.text) for one in (first, one_more)] + [(at, at, f"{_NAME}, ")]
        yield place.rewritten(sorted(changes), 2.6, "count what comes, and let the number decide between equals")


def _counters(place: Place) -> list[str]:
    """Attributes that `itertools.count` was given to."""
    owner = place.source.owner(place.stmt)
    return [
        place.text(node.targets[0])
        for node in (ast.walk(owner) if owner else ())
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Call)
        and place.text(node.value.func) in ("count", "itertools.count")
    ]


def _beginning(place: Place) -> ast.FunctionDef | None:
    owner = place.source.owner(place.stmt)
    begins = [one for one in (owner.body if owner else ()) if isinstance(one, FUNCTIONS) and one.name == "__init__"]
    return next((one for one in begins if isinstance(one, ast.FunctionDef) and one is not place.func), None)
