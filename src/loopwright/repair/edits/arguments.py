"""Arguments of a call: their order, one too many, one forgotten, a keyword."""

import ast
from collections.abc import Iterator
from itertools import combinations

from .place import Edit, Place

_KEYWORDS = {"sorted": "reverse=True", "sort": "reverse=True", "round": "2", "enumerate": "1", "split": "1", "sum": "0",
             "dumps": "sort_keys=True", "max": "default=0", "min": "default=0", "zip": "strict=True"}  # fmt: skip
"""What is often forgotten at the end of a call."""


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Call):
            yield from _order(place, node)
            yield from _fewer(place, node)
            yield from _more(place, node)
        elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) >= 2:
            for left, right in combinations(node.elts[:4], 2):
                yield place.exchange(left, right, 2.2)
        elif isinstance(node, ast.IfExp):
            yield place.exchange(node.body, node.orelse, 1.6)


def _order(place: Place, node: ast.Call) -> Iterator[Edit]:
    plain = [one for one in node.args if not isinstance(one, ast.Starred)]
    for left, right in combinations(plain[:5], 2):
        yield place.exchange(left, right, 1.6)
    for left_word, right_word in combinations([word for word in node.keywords if word.arg][:4], 2):
        yield place.exchange(left_word.value, right_word.value, 2.2)


def _fewer(place: Place, node: ast.Call) -> Iterator[Edit]:
    parts = [*node.args, *node.keywords]
    for n, part in enumerate(parts):
        yield place.left_out(parts, n, 2.6, f"leave out the argument `{place.text(part)}`")


def _more(place: Place, node: ast.Call) -> Iterator[Edit]:
    end = place.source.span(node)[1] - 1
    joint = ", " if node.args or node.keywords else ""
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in _KEYWORDS and not any(word.arg and word.arg in _KEYWORDS[name] for word in node.keywords):
        yield Edit(end, end, joint + _KEYWORDS[name], 1.9, f"pass `{_KEYWORDS[name]}`")
    known = place.pool.signatures.get(name)
    if known is None:
        return
    wanted = [one.arg for one in [*known.args.args, *known.args.kwonlyargs] if one.arg not in ("self", "cls")]
    given = {word.arg for word in node.keywords}
    for parameter in wanted[len(node.args) :]:
        if parameter in given:
            continue
        for value in [one for one in [*place.scope.locals, *place.scope.own_attributes] if _names(one, parameter)]:
            yield Edit(end, end, f"{joint}{parameter}={value}", 2.0, f"pass `{parameter}={value}`")
        for value in place.scope.locals[:6]:
            yield Edit(end, end, f"{joint}{parameter}={value}", 3.0, f"pass `{parameter}={value}`")
    if len(node.args) < len(wanted) and not node.keywords:
        for value in place.scope.locals[:8]:
            yield Edit(end, end, f"{joint}{value}", 2.8, f"pass `{value}`")


def _names(value: str, parameter: str) -> bool:
    return value == parameter or value.endswith(f".{parameter}")
