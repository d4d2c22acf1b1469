"""A guard, an early return, a missing return, break or continue."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_DEFAULTS = ("None", "0", "[]", "False", "True", '""', "{}", "0.0", "1")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def edits(place: Place) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS):
        yield from _at_the_end(place)
        return
    if place.source.function(place.stmt) is None:
        return
    yield from _leaving(place)
    if place.alone:
        yield from _before(place)
        yield from _after(place)


def _leaving(place: Place) -> Iterator[Edit]:
    """A value computed and dropped; one way out of a block taken for another."""
    start, end = place.source.span(place.stmt)
    if isinstance(place.stmt, ast.Expr) and not isinstance(place.stmt.value, (ast.Yield, ast.YieldFrom)):
        yield Edit(start, start, "return ", 1.5, "return the value")
        for name in place.scope.locals:
            yield Edit(start, start, f"{name} = ", 2.4, f"keep the value in `{name}`")
        match place.stmt.value:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                yield place.rewritten([(*place.gap(left, right), " = ")], 1.5, "assign instead of comparing")
    ways = {"break": 1.6, "continue": 1.6, "return": 2.2, "pass": 2.4}
    if isinstance(place.stmt, (ast.Break, ast.Continue, ast.Pass)):
        old = place.text(place.stmt)
        for new, cost in ways.items():
            if new != old:
                yield Edit(start, end, new, cost, f"`{new}` instead of `{old}`")
    if isinstance(place.stmt, ast.Return):
        for value in [*place.scope.locals, *_DEFAULTS, *place.scope.own_attributes]:
            if place.stmt.value is None or place.text(place.stmt.value) != value:
                yield Edit(start, end, f"return {value}", 2.3, f"return `{value}`")
        if isinstance(place.stmt.value, ast.Constant) and isinstance(place.stmt.value.value, bool):
            for n, name in enumerate(place.scope.locals[:8]):
                for rest in (" == 0", " > 0", " is None", " is not None"):
                    yield Edit(start, end, f"return {name}{rest}", 2.2 + 0.04 * n, f"return `{name}{rest}`")
                yield Edit(start, end, f"return not {name}", 2.1 + 0.04 * n, f"return `not {name}`")
        if any(isinstance(above, _LOOPS) for above in place.source.ancestors(place.stmt)):
            yield Edit(start, end, "continue", 2.6, "`continue` instead of returning")


def _before(place: Place) -> Iterator[Edit]:
    """`if not x: return default` in front, for the names the statement reads, then the others."""
    read = [node.id for node in place.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    local = set(place.scope.locals)
    for n, name in enumerate([name for name in dict.fromkeys([*read, *place.scope.parameters]) if name in local][:4]):
        for k, question in enumerate((f"not {name}", f"{name} is None", f"{name} <= 0", f"{name} == 0", f"{name} < 0")):
            for m, value in enumerate([*_DEFAULTS, name, ""]):
                text = f"return {value}".rstrip()
                yield place.before([f"if {question}:", f"    {text}"], 2.9 + 0.1 * n + 0.08 * k + 0.04 * m)
            if any(isinstance(above, _LOOPS) for above in place.source.ancestors(place.stmt)):
                yield place.before([f"if {question}:", "    continue"], 2.8 + 0.1 * n + 0.08 * k)
                yield place.before([f"if {question}:", "    break"], 2.9 + 0.1 * n + 0.08 * k)
            for error in place.pool.facts.raises[:2]:
                what = f'raise {error}("invalid {name}: {{}}".format({name}))'
                yield place.before([f"if {question}:", f"    {what}"], 2.4 + 0.1 * n + 0.08 * k)
    for n, condition in enumerate(place.scope.conditions[:8]):
        yield place.before([f"if {condition}:", "    return None"], 3.6 + 0.05 * n)


def _after(place: Place) -> Iterator[Edit]:
    if isinstance(place.stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)) or place.stmt is not place.block[-1]:
        return
    if any(isinstance(above, _LOOPS) for above in place.source.ancestors(place.stmt)):
        yield place.after(["break"], 2.4)
        yield place.after(["continue"], 2.4)
    if not isinstance(place.source.parents[place.stmt], FUNCTIONS):
        yield place.after(["return"], 2.8)
        for name in [*place.scope.locals, *_DEFAULTS[:5]]:
            yield place.after([f"return {name}"], 2.9)


def _at_the_end(place: Place) -> Iterator[Edit]:
    """The return that the function's last line forgot."""
    function = place.stmt
    if not isinstance(function, FUNCTIONS):
        return
    last = function.body[-1]
    if isinstance(last, (ast.Return, ast.Raise)) or last.lineno == function.lineno:
        return
    indent = place.source.indent(function.body[0].lineno)
    for value in [*place.scope.locals, "self", *place.scope.own_attributes, *_DEFAULTS]:
        if value != "self" or "self" in place.scope.parameters:
            cost = 1.8 if value not in _DEFAULTS else 2.3
            yield place.behind(last, indent, [f"return {value}"], cost, f"add `return {value}` at the end")
