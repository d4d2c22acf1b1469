"""Another condition: negated, with a part less or a part more, or one of the function's other conditions."""

import ast
from collections.abc import Iterator
from itertools import combinations

from .place import Edit, Place

_NO_VALUES = ("self", "cls", "len", "isinstance", "any", "all")


def edits(place: Place) -> Iterator[Edit]:
    yield from _unchained(place)
    for test in _tests(place):
        if isinstance(test, ast.Constant):
            yield from _asked(place, test)
            continue
        yield from _negated(place, test)
        yield from _with_less(place, test)
        yield from _with_more(place, test)


def _unchained(place: Place) -> Iterator[Edit]:
    """An `elif` that has to be asked in any case."""
    start = place.source.span(place.stmt)[0]
    if isinstance(place.stmt, ast.If) and place.source.text[start : start + 4] == "elif":
        yield Edit(start, start + 2, "", 2.0, "`if` instead of `elif`")


def _asked(place: Place, test: ast.Constant) -> Iterator[Edit]:
    """`while True` that has to end when something is used up or found."""
    for n, name in enumerate([*place.scope.locals[:10], *place.scope.own_attributes[:6]]):
        yield place.swap(test, name, 1.9 + 0.04 * n)
        yield place.swap(test, f"not {name}", 2.3 + 0.04 * n)


def _tests(place: Place) -> list[ast.expr]:
    """Every expression that is asked for its truth in the statement's own part."""
    found: list[ast.expr] = []
    if isinstance(place.stmt, (ast.If, ast.While, ast.Assert)):
        found.append(place.stmt.test)
    for node in place.nodes:
        if isinstance(node, ast.IfExp):
            found.append(node.test)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            found += [test for generator in node.generators for test in generator.ifs]
    if isinstance(place.stmt, ast.Return) and isinstance(place.stmt.value, (ast.BoolOp, ast.Compare)):
        found.append(place.stmt.value)
    return found


def _negated(place: Place, test: ast.expr) -> Iterator[Edit]:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return  # the operator family drops the `not`
    text = place.text(test)
    tight = isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    yield place.swap(test, f"not {text}" if tight else f"not ({text})", 1.9)
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield place.swap(value, f"not {place.text(value)}", 2.0)


def _with_less(place: Place, test: ast.expr) -> Iterator[Edit]:
    if not isinstance(test, ast.BoolOp):
        return
    for n, value in enumerate(test.values):
        yield place.left_out(test.values, n, 2.0, f"leave out the condition `{place.text(value)}`")


def _with_more(place: Place, test: ast.expr) -> Iterator[Edit]:
    text = place.text(test)
    if "\n" in text:
        return
    grouped = f"({text})" if isinstance(test, (ast.BoolOp, ast.IfExp, ast.Lambda)) else text
    for n, flag in enumerate(_flags(place, test)):
        yield place.swap(test, f"{grouped} and not {flag}", 1.9 + 0.04 * n)
        yield place.swap(test, f"{grouped} and {flag}", 2.0 + 0.04 * n)
    for n, other in enumerate([*_simple(place, test), *place.scope.conditions]):
        if other == text:
            continue
        part = f"({other})" if " or " in other or " and " in other or " if " in other else other
        far = 0.04 * n
        yield place.swap(test, f"{grouped} and {part}", 2.5 + far)
        if not other.startswith("not "):
            yield place.swap(test, f"{grouped} and {_denied(other)}", 2.6 + far)
        yield place.swap(test, f"{grouped} or {part}", 2.5 + far)
        yield place.swap(test, f"{part} and {grouped}", 2.7 + far)
        yield place.swap(test, other, 2.7 + far)


def _flags(place: Place, test: ast.expr) -> list[str]:
    """A state that the project asks about elsewhere and this condition forgets: `x.deleted`, `x.active`."""
    names = dict.fromkeys(node.id for node in ast.walk(test) if isinstance(node, ast.Name))
    return [f"{name}.{flag}" for name in names for flag in place.pool.flags]


def _simple(place: Place, test: ast.expr) -> list[str]:
    """Plain questions about the names at hand: those of the condition first."""
    inside = [node.id for node in ast.walk(test) if isinstance(node, ast.Name)]
    held = [place.text(node) for node in ast.walk(test) if isinstance(node, ast.Attribute) and not _called(place, node)]
    names = [name for name in dict.fromkeys([*held[:2], *inside, *place.near]) if name not in _NO_VALUES][:7]
    asked = [f"{name}{rest}" for name in names for rest in ("", " is not None", " is None", " > 0", " != 0")]
    divided = [f"{name} % {n} {rest}" for name in names[:2] for n in (2, 3, 4, 5, 10) for rest in ("== 0", "!= 0")]
    pairs = [f"{one} {sign} {other}" for one, other in combinations(names[:3], 2) for sign in ("==", "!=", "<", ">")]
    return [*asked, *(f"not {name}" for name in names), *divided, *pairs]


def _called(place: Place, node: ast.expr) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _denied(condition: str) -> str:
    """`not …`, with parentheses where the condition is more than one name or call."""
    return f"not ({condition})" if " " in condition else f"not {condition}"
