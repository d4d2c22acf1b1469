"""Slices and indices: a bound less, one more, the other end, indices exchanged."""

import ast
from collections.abc import Iterator

from .place import Edit, Place


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                yield from _slice(place, node, node.slice)
            else:
                yield from _index(place, node)
        if place.loads(node) and isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.ListComp)):
            yield from _added(place, node)


def _slice(place: Place, node: ast.Subscript, bounds: ast.Slice) -> Iterator[Edit]:
    lower, upper, step = (place.text(part) if part else "" for part in (bounds.lower, bounds.upper, bounds.step))
    shapes = {
        f"{lower}:": 1.8, f":{upper}": 1.8, f"{upper}:{lower}": 2.0, f"{upper}:": 2.0, f":{lower}": 2.0,
        f"{lower or ''}:{upper}:-1": 2.4, "::-1": 2.2, f"1:{upper}": 1.8, f"{lower}:-1": 1.8, ":": 2.4,
        f"-{lower}:" if lower else "-1:": 1.8, f":-{upper}" if upper else ":-1": 1.8,
    }  # fmt: skip
    for n, name in enumerate(place.scope.locals[:6]):
        shapes[f"{lower}:{name}"] = 2.4 + 0.05 * n
        shapes[f"{name}:{upper}"] = 2.4 + 0.05 * n
        shapes[f"{lower or 0}:{lower or 0} + {name}"] = 2.6 + 0.05 * n
    old = f"{lower}:{upper}" + (f":{step}" if step else "")
    start, end = place.source.span(node.value)[1], place.source.span(node)[1]
    for shape, cost in shapes.items():
        if shape != old:
            yield Edit(start, end, f"[{shape}]", cost, f"slice `[{shape}]` instead of `[{old}]`")
    if not step:
        for each in ("-1", "2"):
            yield Edit(start, end, f"[{old}:{each}]", 2.4, f"slice with step {each}")
    elif step:
        yield Edit(start, end, f"[{lower}:{upper}]", 2.0, "slice without step")


def _index(place: Place, node: ast.Subscript) -> Iterator[Edit]:
    old = place.text(node.slice)
    for new in ("0", "-1", "1", "-2", f"-{old}" if old.isdigit() else "0"):
        if new != old:
            yield place.swap(node.slice, new, 1.6)
    if isinstance(node.value, ast.Subscript) and not isinstance(node.value.slice, ast.Slice):
        yield place.exchange(node.value.slice, node.slice, 1.6)
    if place.loads(node):
        held = place.text(node.value)
        yield place.swap(node, held, 2.6)
        for n, name in enumerate(("sum", "max", "min", "len")):
            yield place.swap(node, f"{name}({held})", 2.8 + 0.05 * n)


def _added(place: Place, node: ast.expr) -> Iterator[Edit]:
    parent = place.source.parents[node]
    if isinstance(parent, (ast.Attribute, ast.Subscript)) or (isinstance(parent, ast.Call) and parent.func is node):
        return
    for shape, cost in {"[0]": 2.6, "[-1]": 2.6, "[1:]": 2.6, "[:-1]": 2.6, "[::-1]": 2.5, "[1]": 3.0}.items():
        yield place.swap(node, place.text(node) + shape, cost)
    for n, name in enumerate([name for name in place.scope.parameters if name not in ("self", place.text(node))][:4]):
        yield place.swap(node, f"{place.text(node)}[{name}:]", 2.7 + 0.05 * n)
        yield place.swap(node, f"{place.text(node)}[:{name}]", 2.8 + 0.05 * n)
