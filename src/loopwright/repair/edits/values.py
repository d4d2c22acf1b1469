"""Another constant: nearby ones, common ones, the function's own, those of the failing tests, solved ones."""

import ast
import builtins
import re
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from importlib import import_module
from itertools import pairwise
from typing import TypeGuard

from ..facts import diff_values
from ..source import FUNCTIONS, Function, find_init, list_parameters
from .site import Edit, EditSite, called_name

_NUMBERS = (0, 1, -1, 2, 10, 100, 1000, 60)
_CHARACTERS = 12
_EMPTY = ("None", "[]", "{}", "set()", "()", '""', "0", "False", "True", "[[]]")


def constant_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.JoinedStr():
                yield from _in_fstring(place, node)
            case ast.Constant():
                yield from _of_constant(place, node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                yield from place.swaps(node, dict.fromkeys((place.text(node.operand), "0", "1")), 1.6)
            case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) if place.loads(node):
                yield from place.swaps(node, _EMPTY, 2.2)
                if isinstance(node, ast.List):
                    yield from place.swaps(node, [f"[{name}]" for name in place.scope.locals[:6]], 2.3)


def _of_constant(place: EditSite, node: ast.Constant) -> Iterator[Edit]:
    match node.value:
        case bool(value):
            yield place.swap(node, str(not value), 1.0)
            yield place.swap(node, "None", 3.0)
        case None:
            yield from place.swaps(node, _EMPTY[1:], 2.2)
        case int(value) | float(value):
            for a, b in place.pool.facts.pairs[:12]:
                yield from place.swaps(node, dict.fromkeys(_solved(value, a, b)), 1.9)
            yield from place.swaps(node, dict.fromkeys(map(repr, _numbers(place.scope.constants))), 2.2)
            yield from place.swaps(node, map(repr, _NUMBERS), 2.3)
            if value:
                scaled = (-value, value * 10, value / 10, value * 100, value / 100, 1 - value)
                yield from place.swaps(node, dict.fromkeys(map(_neat, scaled)), 2.4)
            yield from place.swaps(node, dict.fromkeys(map(repr, _numbers(place.pool.facts.literals)[:16])), 2.8)
        case str(value):
            yield from _text(place, node, value)


def _is_number(value: object) -> TypeGuard[int | float]:
    return type(value) in (int, float)


def _numbers(values: Sequence[object]) -> list[int | float]:
    return [value for value in values if _is_number(value)]


def _solved(value: int | float, actual: object, expected: object) -> list[str]:
    """What the constant would have to be, if the result were a sum or a product with it."""
    if not _is_number(actual) or not _is_number(expected):
        return []
    found = [value + expected - actual]
    if actual:
        found.append(value * expected / actual)
    return [_neat(one) for one in found if abs(one) < 1e15]


def _neat(value: int | float) -> str:
    rounded = round(value, 9)
    return repr(int(rounded)) if rounded == int(rounded) else repr(rounded)


def _text(place: EditSite, node: ast.Constant, value: str) -> Iterator[Edit]:
    if isinstance(place.source.parents[node], ast.JoinedStr):
        return  # a piece of an f-string has no quotes of its own
    for text in _mended(place, value):
        yield place.swap(node, _quoted(place, node, text), 1.5)
    # what is missing in an actual result; for one character, those of the tests' texts
    inserted = place.pool.facts.inserted
    yield from place.swaps(node, [_quoted(place, node, text) for text in inserted if text != value], 2.0)
    if len(value) == 1:
        texts = "".join(one for one in place.pool.facts.literals if isinstance(one, str))
        others = [one for one in dict.fromkeys(texts) if one != value and one not in inserted][:_CHARACTERS]
        yield from place.swaps(node, [_quoted(place, node, one) for one in others], 2.6)
    known = [one for one in [*place.scope.constants, *place.pool.facts.literals] if isinstance(one, str)]
    near = [one for one in dict.fromkeys(known) if one != value and "\n" not in one and len(one) <= 60]
    for text in near[:24]:
        like = SequenceMatcher(None, value, text).ratio()
        yield place.swap(node, _quoted(place, node, text), 3.2 - like)
    shapes = (value.strip(), value.lower(), value.upper(), value.capitalize(), value[::-1], value + value.swapcase())
    for text in dict.fromkeys((*shapes, "", " ", ", ")):
        if text != value:
            yield place.swap(node, _quoted(place, node, text), 2.4)


def _in_fstring(place: EditSite, node: ast.JoinedStr) -> Iterator[Edit]:
    start, end = place.source.span(node)
    text = place.source.text[start:end]
    for part in node.values:
        value = part.value if isinstance(part, ast.Constant) else ""
        if not isinstance(value, str) or not value or text.count(value) != 1:
            continue
        at = start + text.index(value)
        for new in _mended(place, value):
            if not set(new) & set("{}\\\"'\n"):
                yield Edit(at, at + len(value), new, 1.6, f"write `{new}` instead of `{value}` in the text")


def _mended(place: EditSite, value: str) -> list[str]:
    """The text with the difference between an actual and an expected result put right in it."""
    found: dict[str, None] = {}
    for actual, expected in place.pool.facts.pairs:
        if not isinstance(actual, str) or not isinstance(expected, str):
            continue
        if actual == value:
            found[expected] = None
        for old, new in _changes(actual, expected):
            if old in value:
                found[value.replace(old, new)] = None
    return [text for text in found if text != value]


def _changes(actual: str, expected: str) -> Iterator[tuple[str, str]]:
    """Replaced fragments, alone and with up to two characters around them."""
    for tag, a, b, c, d in diff_values(actual, expected):
        if tag == "equal":
            continue
        for left, right in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)):
            if a - left >= 0 and b + right <= len(actual) and (b - a + left + right):
                old = actual[a - left : b + right]
                yield old, actual[a - left : a] + expected[c:d] + actual[b : b + right]


def _quoted(place: EditSite, node: ast.Constant, text: str) -> str:
    shown = repr(text)
    return '"' + shown[1:-1] + '"' if place.text(node).endswith('"') and '"' not in shown else shown


TWINS = {
    "min": ("max",), "max": ("min",), "any": ("all",), "all": ("any",), "sum": ("len", "max"), "len": ("sum", "max"),
    "int": ("float", "round"), "float": ("int",), "list": ("set", "tuple"), "set": ("list", "frozenset"),
    "sorted": ("reversed", "list"), "reversed": ("sorted",), "floor": ("ceil", "round"), "ceil": ("floor", "round"),
    "round": ("int", "abs"), "str": ("repr",), "dict": ("list",), "tuple": ("list",), "defaultdict": ("dict",),
    "deepcopy": ("copy",), "copy": ("deepcopy",), "zip": ("enumerate",),
}  # fmt: skip
"""Functions that are taken for one another."""


def variable_edits(place: EditSite) -> Iterator[Edit]:
    own = place.scope.own_attributes
    for node in place.nodes:
        if isinstance(node, ast.Name):
            yield from _read(place, node) if isinstance(node.ctx, ast.Load) else _target(place, node)
        elif isinstance(node, ast.Attribute):
            if not place.is_called(node) and not (place.loads(node) and place.text(node) not in own):
                yield from place.swaps(node, own, 1.8, 0.03)
                yield from place.swaps(node, place.scope.locals if place.loads(node) else (), 2.5)
        elif isinstance(node, (ast.Call, ast.Subscript)):
            yield from _known(place, node) if place.loads(node) else _stored(place, node)


def _known(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    """A name for what is computed or looked up in vain: it was known already."""
    if isinstance(place.source.parents[node], (ast.BinOp, ast.Compare, ast.Call, ast.Return, ast.Assign)):
        yield from place.swaps(node, place.scope.locals[:10], 2.7, 0.04)


def _stored(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    """Another item to store into: one that the function reads or stores elsewhere."""
    root = place.func or place.source.tree
    items = [place.text(one) for one in ast.walk(root) if isinstance(one, ast.Subscript)]
    yield from place.swaps(node, [text for text in dict.fromkeys(items) if text != place.text(node)][:10], 2.4, 0.05)


def _read(place: EditSite, node: ast.Name) -> Iterator[Edit]:
    called = place.is_called(node)
    for name in TWINS.get(node.id, ()):
        if hasattr(builtins, name) or name in place.scope.globals:
            yield place.swap(node, name, 1.4)
    names = place.scope.globals if called else place.scope.locals
    yield from place.swaps(node, [name for name in names if name != node.id], 1.7, 0.03)
    if not isinstance(place.source.parents[node], ast.Attribute):
        others = [*place.scope.own_attributes, *([] if called else place.scope.globals)]
        yield from place.swaps(node, others, 2.5, 0.03)


def _target(place: EditSite, node: ast.Name) -> Iterator[Edit]:
    if not isinstance(place.stmt, (ast.Assign, ast.AugAssign)):
        return
    yield from place.swaps(node, place.scope.locals, 2.6)
    for name in place.scope.own_attributes:
        yield place.swap(node, name, 2.6 if name.endswith(f".{node.id}") else 3.4)


_UNKNOWN_VALUES = ("None", "[]", "0", "{}", '""', "False", "set()", "1", "True", "0.0")
_STOCKED = ("collections", "itertools", "functools", "math", "re", "copy", "datetime", "string", "operator", "typing",
            "random", "heapq", "bisect", "decimal", "fractions", "pathlib", "os", "sys", "json", "time", "contextlib",
            "dataclasses", "enum", "textwrap", "statistics", "abc", "io")  # fmt: skip
"""Modules whose names are used without them when an import is forgotten."""


def unknown_edits(place: EditSite) -> Iterator[Edit]:
    complaints = place.pool.facts.complaints
    undefined, unset = ({name for (name,) in names} for names in (complaints.undefined, complaints.unset))
    for node in place.nodes:
        if isinstance(node, ast.Name) and place.loads(node):
            if node.id in undefined:
                yield from _defined(place, node)
            if node.id in undefined | unset:
                yield from _set_before(place, node.id)
        elif isinstance(node, ast.Attribute) and place.loads(node):
            owners = [owner for owner, name in complaints.lacking if node.attr == name]
            yield from (edit for owner in owners for edit in _begun(place, owner, node.attr))
            yield from _alike(place, node) if owners else ()
        elif isinstance(node, ast.Call):
            yield from _keywords(place, node)
    if isinstance(place.stmt, FUNCTIONS):
        yield from _parameters(place, place.stmt)


def _defined(place: EditSite, node: ast.Name) -> Iterator[Edit]:
    """A name like it, the attribute of that name, or the import that was forgotten."""
    known = [*place.scope.locals, *place.scope.globals, *vars(builtins)]
    yield from place.swaps(node, get_close_matches(node.id, known, n=4, cutoff=0.6), 1.2, 0.05)
    if f"self.{node.id}" in place.scope.own_attributes or "self" in place.scope.parameters:
        yield place.swap(node, f"self.{node.id}", 1.3)
    # as another file of the project imports it, a module of that name, or one that has it
    found = [*place.pool.imports.get(node.id, ())]
    if node.id in sys.stdlib_module_names:
        found.append(f"import {node.id}")
    found += [f"from {module} import {node.id}" for module in _STOCKED if hasattr(import_module(module), node.id)]
    # an import is added behind the last one of the file's head, else behind its docstring
    body = place.source.tree.body
    imports = [one for one in body if isinstance(one, (ast.Import, ast.ImportFrom))]
    head: list[ast.stmt] = [*(one for one in body[:1] if isinstance(one, ast.Expr)), *imports]
    at = place.source.line_span(1, head[-1].end_lineno or 1)[1] if head else 0
    for n, line in enumerate(list(dict.fromkeys(found))[:4]):
        yield Edit(at, at, line + place.source.newline, 1.2 + 0.05 * n, f"add `{line}`")


def _set_before(place: EditSite, name: str) -> Iterator[Edit]:
    """A first value in front of the outermost block that may set it."""
    if place.func is None:
        return

    def stores(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)

    body = place.func.body
    storing = [one for one in body if any(map(stores, ast.walk(one)))]
    storing = storing or [one for one in body if place.stmt in ast.walk(one)]
    if storing:
        start = place.source.lines_of(storing[0])[0]
        indent, newline = place.source.indent(storing[0].lineno), place.source.newline
        for n, value in enumerate(_UNKNOWN_VALUES):
            line = f"{name} = {value}"
            yield Edit(start, start, indent + line + newline, 1.5 + 0.05 * n, f"begin with `{line}`")


def _begun(place: EditSite, owner: str, name: str) -> Iterator[Edit]:
    """A first value of the attribute, where the class sets the others."""
    for node in ast.walk(place.source.tree):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            init = find_init(node)
            last, line = (init.body[-1], f"self.{name} = ") if init else (node.body[0], f"{name} = ")
            indent = place.source.indent(last.lineno)
            given = [one.arg for one in init.args.args if one.arg.strip("_") == name.strip("_")] if init else []
            for n, value in enumerate([*given, *_UNKNOWN_VALUES]):
                what = f"begin with `{line + value}` in {owner}"
                yield place.behind(last, indent, [line + value], 1.6 + 0.05 * n, what)


def _alike(place: EditSite, node: ast.Attribute) -> Iterator[Edit]:
    end = place.source.span(node)[1]
    for n, name in enumerate(get_close_matches(node.attr, [*place.pool.attributes], n=4, cutoff=0.6)):
        if name != node.attr:
            yield Edit(end - len(node.attr), end, name, 1.2 + 0.05 * n, f"`.{name}` instead of `.{node.attr}`")


def _keywords(place: EditSite, node: ast.Call) -> Iterator[Edit]:
    """Another of the function's parameters than the one it does not have."""
    known = list_parameters(place.pool.signatures.get(called_name(node)))[:8]
    unexpected = {parameter for _, parameter in place.pool.facts.complaints.unexpected}
    for n, word in enumerate(node.keywords):
        if word.arg not in unexpected:
            continue
        yield place.left_out([*node.args, *node.keywords], len(node.args) + n, 1.5, f"do not pass `{word.arg}`")
        start = place.source.span(word)[0]
        for m, other in enumerate(known):
            what = f"pass it as `{other}` instead of `{word.arg}`"
            yield Edit(start, start + len(word.arg or ""), other, 1.3 + 0.03 * m, what)


def _parameters(place: EditSite, function: Function) -> Iterator[Edit]:
    """A parameter that is missing, or has no default."""
    complaints = place.pool.facts.complaints
    owner = place.source.owner(function)
    plain = [*function.args.posonlyargs, *function.args.args]
    called = {function.name, owner.name} if owner and function.name == "__init__" else {function.name}
    start = place.source.offset(function.lineno, function.col_offset)
    head = place.source.text.index("(", start) + 1
    is_method = isinstance(place.source.parents[function], ast.ClassDef) and not function.decorator_list
    if is_method and (not plain or plain[0].arg not in ("self", "cls")):
        yield Edit(head, head, "self, " if plain or function.args.kwonlyargs else "self", 1.3, "add `self`")
    for _, name in [one for one in complaints.required if one[0] in called]:
        for parameter in plain[len(plain) - len(function.args.defaults) - 1 :][:1]:
            if parameter.arg == name:
                end = place.source.span(parameter)[1]
                for n, value in enumerate(_UNKNOWN_VALUES):
                    joint = " = " if parameter.annotation else "="
                    yield Edit(end, end, joint + value, 2.0 + 0.05 * n, f"make `{name}` {value} by default")


_MOST = 20


def element_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, (ast.List, ast.Set, ast.Tuple)) and place.loads(node) and len(node.elts) > 2:
            for n, part in enumerate(node.elts[:_MOST]):
                yield place.left_out(node.elts, n, 2.2, f"leave out the element `{place.text(part)}`")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and 2 < len(set(node.value)) <= _MOST:
            yield from _shorter(place, node, node.value)


def _shorter(place: EditSite, node: ast.Constant, value: str) -> Iterator[Edit]:
    """A text that is a set of characters has each once."""
    plain = place.text(node)
    if len(set(value)) == len(value) and plain[1:-1] == value:
        for n, one in enumerate(value):
            yield place.swap(node, plain[: n + 1] + plain[n + 2 :], 2.9, f"leave out the character {one!r}")


def extreme_edits(place: EditSite) -> Iterator[Edit]:
    match place.stmt:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(value, ast.Constant):
            for function in ("max", "min"):
                yield place.swap(value, f"{function}({name}, {place.text(value)})", 2.1)
    for node in place.nodes:
        if not isinstance(node, (ast.Attribute, ast.Subscript)) or not place.loads(node):
            continue
        if not isinstance(node.value, ast.Name) or place.is_called(node):
            continue
        text, rest = place.text(node), place.text(node)[len(node.value.id) :]
        for n, name in enumerate([name for name in place.scope.locals if name != node.value.id][:6]):
            other = name + rest
            yield place.swap(node, f"max({text}, {other})", 2.5 + 0.08 * n)
            yield place.swap(node, f"min({text}, {other})", 2.5 + 0.08 * n)
            yield place.swap(node, other, 2.4 + 0.08 * n)


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


def operator_edits(place: EditSite) -> Iterator[Edit]:
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
        (target,) = place.stmt.targets
        if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
            at = place.source.text.index("=", *place.gap(target, place.stmt.value))
            for new, cost in (("+=", 1.8), ("-=", 2.6), ("*=", 2.8), ("|=", 3.4)):
                yield Edit(at, at + 1, new, cost, f"`{new}` instead of `=`")


def _binary(place: EditSite, node: ast.BinOp) -> Iterator[Edit]:
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
        text = place.source.text
        (start, end), middle = place.source.span(node), place.source.span(node.left.right)[0]
        if not text[place.source.span(node.left)[1] :].lstrip().startswith(")"):
            # a op b op c read as a op (b op c): the parentheses that were forgotten
            new = f"{text[start:middle]}({text[middle:end]})"
            yield Edit(start, end, new, 2.2, "group the right-hand operands")


def _and_or(place: EditSite, node: ast.BoolOp) -> Iterator[Edit]:
    """All operators of a chain at once, then each alone."""
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    operator = re.compile(rf"\b{old}\b")
    gaps = [place.gap(left, right) for left, right in pairwise(node.values)]
    tokens = [found.start() for gap in gaps if (found := operator.search(place.source.text, *gap))]
    yield place.rewritten([(at, at + len(old), new) for at in tokens], 1.4, f"`{new}` instead of `{old}`")
    if len(tokens) > 1:
        for token in tokens:
            yield Edit(token, token + len(old), new, 1.5, f"`{new}` instead of one `{old}`")


def _augmented(place: EditSite, node: ast.AugAssign) -> Iterator[Edit]:
    start, end = place.gap(node.target, node.value)
    token = _AUGMENTED.search(place.source.text, start, end)
    if token is None:
        return
    old = token.group(1)
    for new, cost in OTHERS.get(old, {}).items():
        yield Edit(token.start(), token.end(), f"{new}=", cost, f"`{new}=` instead of `{old}=`")
    yield Edit(token.start(), token.end(), "=", 1.8, f"`=` instead of `{old}=`")


_NEAR = 8
"""Names tried; those of the function come before those of its object."""


def term_edits(place: EditSite) -> Iterator[Edit]:
    for node in _values(place):
        text = place.text(node)
        if "\n" in text:
            continue
        grouped = f"({text})" if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda)) else text
        factor = f"({text})" if isinstance(node, ast.BinOp) else grouped
        names = [name for name in (*place.scope.locals, *place.scope.own_attributes) if name != text][:_NEAR]
        for n, name in enumerate(names):
            far = 0.05 * n
            yield place.swap(node, f"{grouped} + {name}", 2.9 + far)
            yield place.swap(node, f"{grouped} - {name}", 2.9 + far)
            yield place.swap(node, f"{name} + {grouped}", 3.0 + far)
            yield place.swap(node, f"{factor} * {name}", 3.3 + far)


def _values(place: EditSite) -> Iterator[ast.expr]:
    """What the statement stores, gives back or hands on."""
    if isinstance(place.stmt, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)) and place.stmt.value is not None:
        yield place.stmt.value
    for node in place.nodes:
        if isinstance(node, ast.Call):
            yield from (argument for argument in node.args if not isinstance(argument, ast.Starred))


def offbyone_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            # the next number; not a 0 that nothing would come of, and none that stands beside it already
            around = place.source.parents[node]
            added = isinstance(around, (ast.BinOp, ast.AugAssign)) and isinstance(around.op, (ast.Add, ast.Sub))
            equal = isinstance(around, ast.Compare) and isinstance(around.ops[0], (ast.Eq, ast.NotEq))
            listed = around.elts if isinstance(around, (ast.List, ast.Tuple, ast.Set)) else []
            beside = [place.text(one) for one in listed]
            for other in (node.value + 1, node.value - 1):
                if (other or not added) and str(other) not in beside:
                    yield place.swap(node, str(other), 1.7 if equal else 1.1)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            if isinstance(node.right, ast.Constant) and node.right.value == 1:
                yield place.swap(node, place.text(node.left), 1.2)
        elif isinstance(node, ast.Call) and called_name(node) == "range":
            yield from _range(place, node)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp)) and place.loads(node):
            yield from _plus_or_minus(place, node)


def _plus_or_minus(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    """`e` as `e + 1` and `e - 1`: likelier where a number is wanted."""
    parent = place.source.parents[node]
    if isinstance(parent, ast.Attribute) or place.is_called(node):
        return
    counted = isinstance(parent, (ast.Slice, ast.Compare, ast.BinOp)) or _index(place, parent, node)
    counted = counted or (isinstance(parent, ast.Call) and called_name(parent) in ("range", "islice"))
    cost = 1.5 if counted else 2.0 if isinstance(parent, ast.Call) and isinstance(node, ast.Name) else 2.6
    if any(isinstance(above, ast.Subscript) and not place.loads(above) for above in place.source.ancestors(node)):
        cost += 0.6  # a wrong place to store is rarer than a wrong one to read
    text = place.text(node)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
        text = f"({text})"
    yield place.swap(node, f"{text} + 1", cost)
    yield place.swap(node, f"{text} - 1", cost)


def _index(place: EditSite, parent: ast.AST, node: ast.expr) -> bool:
    """An index, or one of several: `a[i]`, `a[i, j]`."""
    if isinstance(parent, ast.Tuple):
        return _index(place, place.source.parents[parent], parent)
    return isinstance(parent, ast.Subscript) and node is parent.slice


def _range(place: EditSite, node: ast.Call) -> Iterator[Edit]:
    if len(node.args) == 1:
        only = place.text(node.args[0])
        yield place.swap(node.args[0], f"1, {only}", 1.6)
        yield place.swap(node.args[0], f"1, {only} + 1", 1.8)
    elif len(node.args) == 2:
        start, end = place.source.span(node.args[0])[0], place.source.span(node.args[1])[1]
        stop = place.text(node.args[1])
        yield Edit(start, end, stop, 1.8, f"count from 0 to `{stop}`")


_PLAIN_VALUES = ("None", '""', "0", "False", "True", "[]", "{}", "1")


def plain_edits(place: EditSite) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS):
        arguments = place.stmt.args
        for default in [*arguments.defaults, *filter(None, arguments.kw_defaults)]:
            yield from place.swaps(default, _PLAIN_VALUES, 2.4, 0.05)
        return
    for node in place.nodes:
        if isinstance(node, ast.IfExp):
            yield from place.swaps(node.body, _PLAIN_VALUES, 2.4, 0.05)
            yield from place.swaps(node.orelse, _PLAIN_VALUES, 2.4, 0.05)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            yield from place.swaps(node.values[-1], _PLAIN_VALUES, 2.5, 0.05)
    if isinstance(place.stmt, ast.Assign) and isinstance(place.stmt.value, (ast.Compare, ast.BoolOp)):
        yield from place.swaps(place.stmt.value, _PLAIN_VALUES, 2.6, 0.05)


_COSTLIEST = 2.6
"""Costs up to which an edit is worth trying in several places."""

_MORE = 0.9
_OPPOSITE = {"True": "False", "False": "True"}


def repeated_edits(place: EditSite) -> Iterator[Edit]:
    if place.func is None:
        return
    # where each name and literal is read in the function, in the order of the text
    found: dict[str, list[tuple[int, int]]] = {}
    for node in ast.walk(place.func):
        plain = isinstance(node, (ast.Name, ast.Constant, ast.Attribute)) and place.loads(node)
        if plain and not any(isinstance(above, ast.JoinedStr) for above in place.source.ancestors(node)):
            found.setdefault(place.text(node), []).append(place.source.span(node))
    spans = {text: sorted(spans) for text, spans in found.items()}

    both = sorted((start, end, other) for one, other in _OPPOSITE.items() for start, end in spans.get(one, []))
    first, last = place.source.span(place.stmt)
    touches = any(first <= start < last for start, *_ in both)
    if touches and len({other for *_, other in both}) == len(_OPPOSITE):
        yield place.rewritten(both, 2.6, "exchange `True` and `False`")
    for family in (variable_edits, constant_edits, offbyone_edits):
        for edit in family(place):
            same = spans.get((place.source.text[edit.start : edit.end]), [])
            if edit.cost <= _COSTLIEST and len(same) > 1 and (edit.start, edit.end) in same:
                changes = [(start, end, edit.text) for start, end in same]
                yield place.rewritten(changes, edit.cost + _MORE, f"{edit.what}, {len(same)} times")
