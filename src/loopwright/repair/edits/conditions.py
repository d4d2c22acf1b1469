"""Another comparison: the boundary, the direction, equality, identity, membership."""

import ast
import re
import textwrap
from collections.abc import Iterator
from itertools import combinations, pairwise

from ..source import FUNCTIONS
from .site import LEAVING, Edit, EditSite

OTHERS: dict[str, dict[str, float]] = {
    "<": {"<=": 1.0, ">": 1.6, ">=": 2.0, "!=": 3.0},
    "<=": {"<": 1.0, ">=": 1.6, ">": 2.0, "==": 3.0},
    ">": {">=": 1.0, "<": 1.6, "<=": 2.0, "!=": 3.0},
    ">=": {">": 1.0, "<=": 1.6, "<": 2.0, "==": 3.0},
    "==": {"!=": 1.5, ">=": 1.9, "<=": 1.9, ">": 2.1, "<": 2.1, "in": 3.0, "is": 3.5},
    "!=": {"==": 1.5, "<": 2.5, ">": 2.5, "not in": 3.0},
    "is": {"==": 1.2, "is not": 1.5},
    "is not": {"!=": 1.2, "is": 1.5},
    "in": {"not in": 1.5, "==": 3.0},
    "not in": {"in": 1.5, "!=": 3.0},
}
"""What a comparison may have been meant to be, with the cost of believing so."""

_AROUND = ("set", "sorted", "len", "str", "abs", "list")
_TOKEN = re.compile(r"not\s+in|is\s+not|[<>=!]=|[<>]|\bis\b|\bin\b")


def comparison_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Compare):
            yield from _in_compare(place, node)


def _in_compare(place: EditSite, node: ast.Compare) -> Iterator[Edit]:
    sides = [node.left, *node.comparators]
    for left, right in pairwise(sides):
        start, end = place.gap(left, right)
        token = _TOKEN.search(place.source.text, start, end)
        if token is None:
            continue
        old = " ".join(token.group().split())
        for new, cost in OTHERS[old].items():
            yield Edit(token.start(), token.end(), new, cost, f"compare with `{new}` instead of `{old}`")
        if len(sides) == 2 and old in ("in", "not in"):
            yield place.exchange(left, right, 1.7)
        elif len(sides) == 2 and old in ("==", "!="):
            # the same call around both sides: equal as sets, as sorted lists, as texts
            one, other, between = place.text(left), place.text(right), place.source.text[start:end]
            yield from place.swaps(node, [f"{name}({one}){between}{name}({other})" for name in _AROUND], 2.6)


_NO_VALUES = ("self", "cls", "len", "isinstance", "any", "all")


def condition_edits(place: EditSite) -> Iterator[Edit]:
    # an `elif` that has to be asked in any case
    start = place.source.span(place.stmt)[0]
    if isinstance(place.stmt, ast.If) and place.source.text[start : start + 4] == "elif":
        yield Edit(start, start + 2, "", 2.0, "`if` instead of `elif`")
    tests = [*_list_tests(place)]
    if isinstance(place.stmt, ast.Return) and isinstance(place.stmt.value, (ast.BoolOp, ast.Compare)):
        tests.append(place.stmt.value)
    for test in tests:
        if isinstance(test, ast.Constant):
            # `while True` that has to end when something is used up or found
            for n, name in enumerate([*place.scope.locals[:10], *place.scope.own_attributes[:6]]):
                yield place.swap(test, name, 1.9 + 0.04 * n)
                yield place.swap(test, f"not {name}", 2.3 + 0.04 * n)
            continue
        yield from _negated(place, test)
        if "\n" not in place.text(test):
            yield from _with_more(place, test)


def _list_tests(place: EditSite) -> Iterator[ast.expr]:
    """Every expression that is asked for its truth in the statement's own part."""
    if isinstance(place.stmt, (ast.If, ast.While, ast.Assert)):
        yield place.stmt.test
    for node in place.nodes:
        if isinstance(node, ast.IfExp):
            yield node.test
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            yield from (test for generator in node.generators for test in generator.ifs)


def _negated(place: EditSite, test: ast.expr) -> Iterator[Edit]:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return  # the operator family drops the `not`
    text = place.text(test)
    tight = isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    yield place.swap(test, f"not {text}" if tight else f"not ({text})", 1.9)
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield place.swap(value, f"not {place.text(value)}", 2.0)
        for n, value in enumerate(test.values):
            yield place.left_out(test.values, n, 2.0, f"leave out the condition `{place.text(value)}`")


def _with_more(place: EditSite, test: ast.expr) -> Iterator[Edit]:
    text = place.text(test)
    grouped = f"({text})" if isinstance(test, (ast.BoolOp, ast.IfExp, ast.Lambda)) else text
    # a state that the project asks about elsewhere and this condition forgets: `x.deleted`, `x.active`
    names = dict.fromkeys(node.id for node in ast.walk(test) if isinstance(node, ast.Name))
    for n, flag in enumerate([f"{name}.{flag}" for name in names for flag in place.pool.flags]):
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


def _simple(place: EditSite, test: ast.expr) -> list[str]:
    """Plain questions about the names at hand: those of the condition first."""
    inside = [node.id for node in ast.walk(test) if isinstance(node, ast.Name)]
    held = [
        place.text(node) for node in ast.walk(test) if isinstance(node, ast.Attribute) and not place.is_called(node)
    ]
    names = [name for name in dict.fromkeys([*held[:2], *inside, *place.near]) if name not in _NO_VALUES][:7]
    asked = [f"{name}{rest}" for name in names for rest in ("", " is not None", " is None", " > 0", " != 0")]
    divided = [f"{name} % {n} {rest}" for name in names[:2] for n in (2, 3, 4, 5, 10) for rest in ("== 0", "!= 0")]
    pairs = [f"{one} {sign} {other}" for one, other in combinations(names[:3], 2) for sign in ("==", "!=", "<", ">")]
    return [*asked, *(f"not {name}" for name in names), *divided, *pairs]


def _denied(condition: str) -> str:
    """`not …`, with parentheses where the condition is more than one name or call."""
    return f"not ({condition})" if " " in condition else f"not {condition}"


_DEFAULTS = ("None", "0", "[]", "False", "True", '""', "{}", "0.0", "1")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def guard_edits(place: EditSite) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS):
        # the return that the function's last line forgot
        last = place.stmt.body[-1]
        if isinstance(last, (ast.Return, ast.Raise)) or last.lineno == place.stmt.lineno:
            return
        indent = place.source.indent(place.stmt.body[0].lineno)
        for value in [*place.scope.locals, "self", *place.scope.own_attributes, *_DEFAULTS]:
            if value != "self" or "self" in place.scope.parameters:
                cost = 1.8 if value not in _DEFAULTS else 2.3
                yield place.behind(last, indent, [f"return {value}"], cost, f"add `return {value}` at the end")
    elif place.source.function(place.stmt) is not None:
        looped = any(isinstance(above, _LOOPS) for above in place.source.ancestors(place.stmt))
        yield from _leaving(place, looped)
        if place.alone:
            yield from _before(place, looped)
            if place.stmt is place.block[-1] and not isinstance(place.stmt, LEAVING):
                yield from _after(place, looped)


def _after(place: EditSite, looped: bool) -> Iterator[Edit]:
    if looped:
        yield place.after(["break"], 2.4)
        yield place.after(["continue"], 2.4)
    if not isinstance(place.source.parents[place.stmt], FUNCTIONS):
        yield place.after(["return"], 2.8)
        for name in [*place.scope.locals, *_DEFAULTS[:5]]:
            yield place.after([f"return {name}"], 2.9)


def _leaving(place: EditSite, looped: bool) -> Iterator[Edit]:
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
        if looped:
            yield Edit(start, end, "continue", 2.6, "`continue` instead of returning")


def _before(place: EditSite, looped: bool) -> Iterator[Edit]:
    """`if not x: return default` in front, for the names the statement reads, then the others."""
    read = [node.id for node in place.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    local = set(place.scope.locals)
    for n, name in enumerate([name for name in dict.fromkeys([*read, *place.scope.parameters]) if name in local][:4]):
        for k, question in enumerate((f"not {name}", f"{name} is None", f"{name} <= 0", f"{name} == 0", f"{name} < 0")):
            for m, value in enumerate([*_DEFAULTS, name, ""]):
                text = f"return {value}".rstrip()
                yield place.before([f"if {question}:", f"    {text}"], 2.9 + 0.1 * n + 0.08 * k + 0.04 * m)
            if looped:
                yield place.before([f"if {question}:", "    continue"], 2.8 + 0.1 * n + 0.08 * k)
                yield place.before([f"if {question}:", "    break"], 2.9 + 0.1 * n + 0.08 * k)
            for error in place.pool.facts.raises[:2]:
                what = f'raise {error}("invalid {name}: {{}}".format({name}))'
                yield place.before([f"if {question}:", f"    {what}"], 2.4 + 0.1 * n + 0.08 * k)
    for n, condition in enumerate(place.scope.conditions[:8]):
        yield place.before([f"if {condition}:", "    return None"], 3.6 + 0.05 * n)


_ONLYIF_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Delete)
_ONLYIF_NAMES = 8


def onlyif_edits(place: EditSite) -> Iterator[Edit]:
    if not isinstance(place.stmt, _ONLYIF_SIMPLE) or not place.alone or place.func is None:
        return
    start, end = place.source.lines_of(place.stmt)
    inner = textwrap.indent(place.ended(place.source.text[start:end]), "    ")
    for cost, condition in _conditions(place):
        head = f"{place.indent}if {condition}:{place.source.newline}"
        yield Edit(start, end, head + inner, cost, f"do it only if `{condition}`")


def _conditions(place: EditSite) -> Iterator[tuple[float, str]]:
    """About what the statement sets, then about what it reads, then what is asked elsewhere."""
    stored = [place.text(one) for one in (place.stmt.targets if isinstance(place.stmt, ast.Assign) else [])]
    for name in stored[:1]:
        yield from ((2.3 + 0.05 * n, text) for n, text in enumerate((f"not {name}", f"{name} is None")))
    read = [place.text(n) for n in place.nodes if isinstance(n, (ast.Name, ast.Attribute)) and place.loads(n)]
    own = [one for one in read if one in place.scope.own_attributes]
    for n, name in enumerate([*place.near, *own][:_ONLYIF_NAMES]):
        yield 2.5 + 0.05 * n, name
        yield 2.6 + 0.05 * n, f"not {name}"
        yield 2.6 + 0.05 * n, f"{name} is not None"
    for n, (one, other) in enumerate(combinations(place.near[:4], 2)):
        yield from ((2.8 + 0.05 * n, f"{one} {sign} {other}") for sign in ("==", "!=", "<", ">"))
    for n, condition in enumerate(place.scope.conditions[:_ONLYIF_NAMES]):
        yield 2.8 + 0.05 * n, condition
        yield 3.0 + 0.05 * n, _denied(condition)


_OTHERWISE_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_MOST, _OTHERWISE_NAMES = 6, 8


def otherwise_edits(place: EditSite) -> Iterator[Edit]:
    if not isinstance(place.stmt, ast.If) or place.stmt.orelse or not place.alone:
        return
    deeper = place.source.indent(place.stmt.body[0].lineno).removeprefix(place.indent)
    for n, line in enumerate(dict.fromkeys(_lines(place, place.stmt))):
        yield place.after(["else:", deeper + line], 2.7 + 0.03 * n)


def _lines(place: EditSite, stmt: ast.If) -> Iterator[str]:
    """The statements of this branch and those above it with another name, or another constant."""
    body = [one for one in (*stmt.body, *_above(place, stmt)) if isinstance(one, _OTHERWISE_SIMPLE)]
    texts = [text for text in map(place.text, body) if "\n" not in text][:_MOST]
    for text in texts:
        for old in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)):
            others = place.scope.locals[:_OTHERWISE_NAMES] if old in place.scope.locals else ()
            yield from (re.sub(rf"\b{old}\b", new, text) for new in others if new != old)
        for old, new in (("True", "False"), ("False", "True"), (" += ", " -= "), (" -= ", " += ")):
            if old in text:
                yield text.replace(old, new)


def _above(place: EditSite, stmt: ast.If) -> list[ast.stmt]:
    """What stands in the branches that this one is the `elif` of."""
    found: list[ast.stmt] = []
    above: ast.AST = place.source.parents[stmt]
    while isinstance(above, ast.If) and above.orelse == [stmt]:
        found += above.body
        stmt, above = above, place.source.parents[above]
    return found


_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


def presence_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
            # `a or b` as a default: 0, "" and [] are values, too
            first, second = (place.text(value) for value in node.values)
            if isinstance(node.values[0], (*_NAMED, ast.Call)):
                yield place.swap(node, f"{first} if {first} is not None else {second}", 1.6)
                yield place.swap(node, f"{second} if {first} is None else {first}", 1.9)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, _NAMED):
            yield place.swap(node, f"{place.text(node.operand)} is None", 1.5)
        else:
            yield from _truth(place, node)
    for test in _list_tests(place):
        for part in test.values if isinstance(test, ast.BoolOp) else [test]:
            if isinstance(part, _NAMED):
                yield place.swap(part, f"{place.text(part)} is not None", 1.5)


def _truth(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    """A comparison with None the other way round: what is empty counts as absent."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[ast.Constant(value=None)]):
            if isinstance(left, (*_NAMED, ast.Call)):
                denied = "" if isinstance(operator, (ast.IsNot, ast.NotEq)) else "not "
                yield place.swap(node, denied + place.text(left), 1.7)


_KIN = (
    ("KeyError", "IndexError", "LookupError", "AttributeError"),
    ("ValueError", "TypeError", "KeyError"),
    ("ZeroDivisionError", "ArithmeticError", "OverflowError"),
    ("ImportError", "ModuleNotFoundError"),
    ("FileNotFoundError", "OSError", "PermissionError"),
    ("RuntimeError", "ValueError", "NotImplementedError"),
    ("StopIteration", "IndexError"),
    ("UnicodeDecodeError", "ValueError"),
    ("TimeoutError", "OSError"),
)


def exception_edits(place: EditSite) -> Iterator[Edit]:
    if isinstance(place.stmt, ast.Try):
        for handler in place.stmt.handlers:
            if handler.type is not None:
                yield from _caught(place, handler.type)
    elif isinstance(place.stmt, ast.Raise) and place.stmt.exc is not None:
        raised = place.stmt.exc.func if isinstance(place.stmt.exc, ast.Call) else place.stmt.exc
        yield from _named(place, raised)


def _caught(place: EditSite, caught: ast.expr) -> Iterator[Edit]:
    if isinstance(caught, ast.Tuple):
        inside = [place.text(one) for one in caught.elts]
        kin = [name for group in _KIN if set(group) & set(inside) for name in group]
        for n, name in enumerate(dict.fromkeys([*place.pool.facts.errors, *kin, *place.pool.exceptions])):
            if name not in inside:
                yield place.swap(caught, f"({', '.join([*inside, name])})", 1.9 + 0.05 * n, f"catch {name}, too")
        return
    old = place.text(caught)
    for edit in _named(place, caught):
        yield edit
        yield place.swap(caught, f"({old}, {edit.text})", edit.cost + 0.3)


def _named(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    old = place.text(node)
    facts = place.pool.facts
    kin = [name for group in _KIN if old in group for name in group]
    for n, name in enumerate(dict.fromkeys([*facts.raises, *facts.errors, *kin, *place.pool.exceptions])):
        if name != old:
            yield place.swap(node, name, 1.8 + 0.05 * n)
