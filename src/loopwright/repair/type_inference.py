"""What kind of value an expression certainly has, and whether it can be computed at all."""

import ast
import opcode
import operator
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice, product
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from .edits.site import Edit
from .localize import SuspectLocation
from .source import FUNCTIONS, SourceText, header_end

if TYPE_CHECKING:
    from _typeshed import TraceFunction


Kind = frozenset[str] | None
"""Names of the types that a value may have; None where nothing is known."""

_SAMPLES: dict[str, object] = {
    "int": 2,
    "float": 2.5,
    "bool": True,
    "str": "ab",
    "bytes": b"ab",
    "list": [1, 2],
    "tuple": (1, 2),
    "set": {1, 2},
    "frozenset": frozenset({1, 2}),
    "dict": {1: 2},
    "NoneType": None,
}
_SCALARS = frozenset({"int", "float", "bool", "NoneType"})
_NUMBERS = frozenset({"int", "float", "bool", "complex", "Decimal", "Fraction"})
_NO_NUMBERS = frozenset({"list", "dict", "set", "frozenset", "tuple", "NoneType"})
_OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {  # Any: whether it fits is the question
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a in b,
}
_EATS_MANY = frozenset(
    {"sum", "any", "all", "sorted", "reversed", "enumerate", "iter", "list", "set", "tuple", "frozenset", "len"}
)
_GIVES = {
    "len": "int", "int": "int", "float": "float", "str": "str", "repr": "str", "bool": "bool", "list": "list",
    "sorted": "list", "set": "set", "tuple": "tuple", "dict": "dict", "frozenset": "frozenset", "any": "bool",
    "all": "bool", "isinstance": "bool", "hasattr": "bool", "ord": "int", "chr": "str", "reversed": "iterator",
    "enumerate": "iterator", "zip": "iterator", "iter": "iterator", "map": "iterator", "filter": "iterator",
    "range": "range",
}  # fmt: skip
_METHODS = {
    "str": {
        "str": "strip lstrip rstrip lower upper title capitalize casefold replace join format zfill ljust rjust"
        " center removeprefix removesuffix swapcase expandtabs",
        "list": "split rsplit splitlines",
        "tuple": "partition rpartition",
        "bool": "startswith endswith isdigit isalpha isalnum isspace isupper islower isnumeric",
        "int": "find rfind index rindex count",
        "bytes": "encode",
    },
    "list": {"list": "copy", "NoneType": "append extend insert remove clear sort reverse", "int": "index count"},
    "set": {
        "set": "copy union intersection difference",
        "NoneType": "add discard remove clear update",
        "bool": "issubset issuperset isdisjoint",
    },
    "dict": {"dict": "copy", "NoneType": "update clear"},
}


class TypeConflict(Exception):
    """Computing it would certainly raise a TypeError or an AttributeError."""


def infer_kind(node: ast.expr, known: Mapping[str, Iterable[str]]) -> Kind:
    """`known`: kinds by name (`x`, `self.x`). Absurd where no value of these kinds can be computed."""
    match node:
        case ast.Constant(value=value):
            return frozenset({type(value).__name__})
        case ast.JoinedStr():
            return frozenset({"str"})
        case ast.Name(id=name):
            return frozenset(known[name]) if known.get(name) else None
        case ast.Attribute(value=value, attr=name):
            return _attribute(node, value, name, known)
        case ast.BinOp(left=left, op=op, right=right):
            return infer_result(op, infer_kind(left, known), infer_kind(right, known))
        case ast.UnaryOp(op=op, operand=operand):
            inner = infer_kind(operand, known)
            if isinstance(op, ast.Not):
                return frozenset({"bool"})
            return _tried(operator.sub, frozenset({"int"}), inner) if isinstance(op, ast.USub) else inner
        case ast.BoolOp(values=values):
            infer_kind(values[0], known)  # only the first is certainly computed
            return _either(values, known)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            infer_kind(test, known)
            return _either([body, orelse], known)
        case ast.Compare():
            return _compared(node, known)
        case ast.Call():
            return _called(node, known)
        case ast.Subscript(value=value, slice=index):
            return _item(infer_kind(value, known), index, known)
        case ast.List(elts=elts) | ast.Set(elts=elts) | ast.Tuple(elts=elts):
            for one in elts:
                infer_kind(one, known)
            return frozenset({type(node).__name__.lower()})
        case ast.Dict():
            return frozenset({"dict"})
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _comprehension(node, known)
        case ast.Starred(value=value):
            infer_kind(value, known)
    return None


def infer_result(op: ast.operator, left: Kind, right: Kind) -> Kind:
    """The kind of `left op right`; Absurd where there is none."""
    if isinstance(op, ast.Mod) and left and left & {"str", "bytes"}:
        return left
    found = _tried(_OPERATORS.get(type(op)), left, right)
    return found | {"float"} if found and isinstance(op, ast.Pow) else found  # 2 ** -1


def require_iterable(kind: Kind) -> None:
    """Absurd where a value of this kind is not something to go through."""
    if kind and kind <= _SCALARS:
        raise TypeConflict


def _attribute(node: ast.Attribute, value: ast.expr, name: str, known: Mapping[str, Iterable[str]]) -> Kind:
    if isinstance(value, ast.Name) and f"{value.id}.{name}" in known:
        return frozenset(known[f"{value.id}.{name}"])
    owner = infer_kind(value, known)
    if owner and owner <= _SAMPLES.keys() and not any(hasattr(_SAMPLES[one], name) for one in owner):
        raise TypeConflict
    return None


def _tried(compute: Callable[[object, object], object] | None, left: Kind, right: Kind) -> Kind:
    """The kinds that come out for samples of these kinds; Absurd where none does."""
    if compute is None or not left or not right or not (left | right) <= _SAMPLES.keys():
        return None
    found = set()
    for a, b in product(sorted(left), sorted(right)):
        try:
            found.add(type(compute(_SAMPLES[a], _SAMPLES[b])).__name__)
        except TypeError:
            continue
        except (ArithmeticError, ValueError):
            return None
    if not found:
        raise TypeConflict
    return frozenset(found)


def _either(nodes: Iterable[ast.expr], known: Mapping[str, Iterable[str]]) -> Kind:
    """One of them is computed; Absurd where none can be."""
    found: list[Kind] = []
    for node in nodes:
        with suppress(TypeConflict):
            found.append(infer_kind(node, known))
    if not found:
        raise TypeConflict
    return frozenset().union(*(kind for kind in found if kind)) if all(found) else None


def _compared(node: ast.Compare, known: Mapping[str, Iterable[str]]) -> Kind:
    sides = [infer_kind(one, known) for one in (node.left, *node.comparators)]
    for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
        if type(op) in _ORDER:
            _tried(_ORDER[type(op)], left, right)
        elif (
            isinstance(op, (ast.Eq, ast.NotEq))
            and left
            and right
            and left | right <= _SAMPLES.keys() - {"NoneType"}
            and _are_strange(left, right)
        ):
            raise TypeConflict
    return frozenset({"bool"})


def _are_strange(left: frozenset[str], right: frozenset[str]) -> bool:
    """They have nothing in common, and are not both numbers."""
    numbers = {"int", "float", "bool"}
    return not left & right and not (left & numbers and right & numbers)


def _called(node: ast.Call, known: Mapping[str, Iterable[str]]) -> Kind:
    given = [infer_kind(one, known) for one in node.args]
    for word in node.keywords:
        infer_kind(word.value, known)
    match node.func:
        case ast.Name(id=name) if name not in known:
            first = given[0] if given else None
            if name in _EATS_MANY or (name in ("min", "max") and len(given) == 1):
                require_iterable(first)
            if first and name in ("abs", "round") and not first & _NUMBERS:
                raise TypeConflict
            if first and name in ("int", "float") and first <= _NO_NUMBERS:
                raise TypeConflict
            return frozenset({_GIVES[name]}) if name in _GIVES else None
        case ast.Attribute(value=value, attr=name):
            infer_kind(node.func, known)
            owner = infer_kind(value, known)
            methods = _METHODS.get(next(iter(owner)), {}) if owner and len(owner) == 1 else {}
            return next((frozenset({kind}) for kind, names in methods.items() if name in names.split()), None)
    return None


def _item(owner: Kind, index: ast.expr, known: Mapping[str, Iterable[str]]) -> Kind:
    if owner and owner <= _SCALARS | {"set", "frozenset"}:
        raise TypeConflict
    if isinstance(index, ast.Slice):
        if owner and owner <= {"dict", "set"}:
            raise TypeConflict
        for bound in (index.lower, index.upper, index.step):
            kind = infer_kind(bound, known) if bound else None
            if kind and kind <= {"str", "list", "dict", "float", "tuple", "set", "bytes"}:
                raise TypeConflict
        return owner
    at = infer_kind(index, known)
    is_sequence = owner is not None and owner <= {"list", "tuple", "str", "bytes"}
    if owner and is_sequence and at and at <= _SAMPLES.keys() - {"int", "bool"}:
        raise TypeConflict
    return frozenset({"str"}) if owner == frozenset({"str"}) else None


def _comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, known: Mapping[str, Iterable[str]]
) -> Kind:
    inner = dict(known)
    for generator in node.generators:
        require_iterable(infer_kind(generator.iter, inner))
        for target in ast.walk(generator.target):
            if isinstance(target, ast.Name):
                inner.pop(target.id, None)
        for test in generator.ifs:
            infer_kind(test, inner)
    for value in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
        infer_kind(value, inner)
    return frozenset({{ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}.get(type(node), "iterator")})


Kinds = dict[str, set[str]]
"""Names of types by name of a variable or an attribute (`self.x`); `return` is what the function gives back."""

RETURN = "return"
_CALLS = 40  # of one function in one test
_FIELDS = 40


class TypeTraceLog:
    """Records what functions below `root` hold when they are called and when they return."""

    def __init__(self, root: str) -> None:
        self._root = root + os.sep
        self._calls: Counter[CodeType] = Counter()
        self.functions: dict[tuple[str, str], Kinds] = {}

    def start(self) -> None:
        self._calls.clear()
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        code = frame.f_code
        if not code.co_filename.startswith(self._root):
            return None
        self._calls[code] += 1
        if self._calls[code] > _CALLS:
            return None
        frame.f_trace_lines = False
        self._take(frame)
        return self._returned

    def _returned(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "return":
            self._take(frame)
            if not (arg is None and _is_leaving(frame)):
                self._kinds(frame).setdefault(RETURN, set()).add(type(arg).__name__)
        return self._returned

    def _kinds(self, frame: FrameType) -> Kinds:
        code = frame.f_code
        file = code.co_filename[len(self._root) :].replace(os.sep, "/")
        return self.functions.setdefault((file, code.co_qualname.replace(".<locals>", "")), {})

    def _take(self, frame: FrameType) -> None:
        kinds = self._kinds(frame)
        for name, value in frame.f_locals.items():
            kinds.setdefault(name, set()).add(type(value).__name__)
        fields = getattr(frame.f_locals.get("self"), "__dict__", None)
        for name, value in islice(fields.items() if type(fields) is dict else (), _FIELDS):
            kinds.setdefault(f"self.{name}", set()).add(type(value).__name__)


def _is_leaving(frame: FrameType) -> bool:
    """An exception goes through: settrace tells that as a return of None."""
    code = frame.f_code.co_code
    return frame.f_lasti < 0 or code[frame.f_lasti] not in _RETURNS


_RETURNS = frozenset(n for name, n in opcode.opmap.items() if name.startswith(("RETURN_", "YIELD_")))


_ABSURD = 3.0
"""What an edit costs more that would raise a TypeError or an AttributeError with all values that were seen."""

_OTHER_RESULT, _OTHER_VALUE = 1.2, 0.8
"""The same for a result, or a variable, of a kind that it never had."""


class TypePrior:
    """`seen`: kinds by (file, qualified name) of a function."""

    def __init__(self, seen: Mapping[tuple[str, str], Kinds]) -> None:
        self._seen = seen
        self._known = cache(self._known_in)

    def doubt(self, location: SuspectLocation, edit: Edit) -> float:
        """What the edit costs more: 0 where it makes sense, or nothing is known."""
        known = self._known(location.source, location.statement)
        changed = _changed(location, edit) if known else None
        try:
            return _judged(changed, known) if changed else 0.0
        except TypeConflict:
            return _ABSURD
        except RecursionError:
            return 0.0

    def _known_in(self, source: SourceText, statement: ast.stmt) -> Mapping[str, frozenset[str]]:
        function = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
        if function is None:
            return {}
        outer = source.qualname(function)
        name = function.name if outer == "<module>" else f"{outer}.{function.name}"
        # what a name that is given a value several times holds at the end says little of the middle
        stored = Counter(
            target.id
            for node in ast.walk(function)
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For, ast.withitem, ast.NamedExpr))
            for target in ast.walk(_target_of(node))
            if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
        )
        found = self._seen.get((source.path, name), {})
        return {one: frozenset(kinds) for one, kinds in found.items() if stored[one] < 2}


def _target_of(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Assign):
        return ast.Tuple(node.targets, ast.Store())
    return getattr(node, "target", None) or getattr(node, "optional_vars", None) or ast.Pass()


def _changed(location: SuspectLocation, edit: Edit) -> ast.stmt | None:
    """The statement's own part as it would be; None for edits beside it, and for parts that do not stand alone."""
    source, statement = location.source, location.statement
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef, ast.Try, ast.With, ast.Match)):
        return None
    start, end = source.line_span(statement.lineno, header_end(statement))
    if not (start <= edit.start and edit.end <= end) or (edit.start == edit.end and edit.start in (start, end)):
        return None
    text = textwrap.dedent(source.text[start : edit.start] + edit.text + source.text[edit.end : end]).strip()
    text = text.removeprefix("el") if text.startswith("elif") else text
    try:
        return ast.parse(f"{text} pass" if text.endswith(":") else text).body[0]
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
        return None


def _judged(statement: ast.stmt, known: Mapping[str, frozenset[str]]) -> float:
    match statement:
        case ast.Return(value=value) if value is not None:
            return _OTHER_RESULT * _is_other(infer_kind(value, known), known.get(RETURN))
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            return _OTHER_VALUE * _is_other(infer_kind(value, known), known.get(ast.unparse(target)))
        case ast.AugAssign(target=target, op=op, value=value):
            infer_result(op, infer_kind(target, known), infer_kind(value, known))
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
            infer_kind(test, known)
        case ast.For(iter=value):
            require_iterable(infer_kind(value, known))
        case ast.Expr(value=value) | ast.Assign(value=value):
            infer_kind(value, known)
    return 0.0


def _is_other(kind: Kind, usual: frozenset[str] | None) -> bool:
    if not kind or not usual or usual == {"NoneType"} or kind == {"NoneType"}:
        return False
    return _are_strange(kind, usual) and "iterator" not in kind
