"""What kind of value an expression certainly has, and whether it can be computed at all."""

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

Kind = frozenset[str] | None
"""Names of the types that a value may have; None where nothing is known."""

_SAMPLES: dict[str, object] = {
    "int": 2, "float": 2.5, "bool": True, "str": "ab", "bytes": b"ab", "list": [1, 2], "tuple": (1, 2), "set": {1, 2},
    "frozenset": frozenset({1, 2}), "dict": {1: 2}, "NoneType": None,
}  # fmt: skip
_SCALARS = frozenset({"int", "float", "bool", "NoneType"})
_NUMBERS = frozenset({"int", "float", "bool", "complex", "Decimal", "Fraction"})
_NO_NUMBERS = frozenset({"list", "dict", "set", "frozenset", "tuple", "NoneType"})
_OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {  # Any: whether it fits is the question
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a in b,
}  # fmt: skip
_EATS_MANY = (
    "sum",
    "any",
    "all",
    "sorted",
    "reversed",
    "enumerate",
    "iter",
    "list",
    "set",
    "tuple",
    "frozenset",
    "len",
)
_GIVES = {
    "len": "int", "int": "int", "float": "float", "str": "str", "repr": "str", "bool": "bool", "list": "list",
    "sorted": "list", "set": "set", "tuple": "tuple", "dict": "dict", "frozenset": "frozenset", "any": "bool",
    "all": "bool", "isinstance": "bool", "hasattr": "bool", "ord": "int", "chr": "str", "reversed": "iterator",
    "enumerate": "iterator", "zip": "iterator", "iter": "iterator", "map": "iterator", "filter": "iterator",
    "range": "range",
}  # fmt: skip
_METHODS = {
    "str": {"str": "strip lstrip rstrip lower upper title capitalize casefold replace join format zfill ljust rjust"
            " center removeprefix removesuffix swapcase expandtabs", "list": "split rsplit splitlines",
            "tuple": "partition rpartition",
            "bool": "startswith endswith isdigit isalpha isalnum isspace isupper islower isnumeric", "int": "find rfind"
            " index rindex count", "bytes": "encode"},
    "list": {"list": "copy", "NoneType": "append extend insert remove clear sort reverse", "int": "index count"},
    "set": {"set": "copy union intersection difference", "NoneType": "add discard remove clear update",
            "bool": "issubset issuperset isdisjoint"},
    "dict": {"dict": "copy", "NoneType": "update clear"},
}  # fmt: skip


class Absurd(Exception):
    """Computing it would certainly raise a TypeError or an AttributeError."""


def kind_of(node: ast.expr, known: Mapping[str, Iterable[str]]) -> Kind:
    """`known`: kinds by name (`x`, `self.x`). Absurd where no value of these kinds can be computed."""
    match node:
        case ast.Constant(value=value):
            return frozenset({type(value).__name__})
        case ast.JoinedStr():
            return frozenset({"str"})
        case ast.Name(id=name):
            return _named(name, known)
        case ast.Attribute(value=value, attr=name):
            return _attribute(node, value, name, known)
        case ast.BinOp(left=left, op=op, right=right):
            return result_of(op, kind_of(left, known), kind_of(right, known))
        case ast.UnaryOp(op=op, operand=operand):
            inner = kind_of(operand, known)
            if isinstance(op, ast.Not):
                return frozenset({"bool"})
            return _tried(operator.sub, frozenset({"int"}), inner) if isinstance(op, ast.USub) else inner
        case ast.BoolOp(values=values):
            kind_of(values[0], known)  # only the first is certainly computed
            return _either(values, known)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            kind_of(test, known)
            return _either([body, orelse], known)
        case ast.Compare():
            return _compared(node, known)
        case ast.Call():
            return _called(node, known)
        case ast.Subscript(value=value, slice=index):
            return _item(kind_of(value, known), index, known)
        case ast.List(elts=elts) | ast.Set(elts=elts) | ast.Tuple(elts=elts):
            for one in elts:
                kind_of(one, known)
            return frozenset({type(node).__name__.lower()})
        case ast.Dict():
            return frozenset({"dict"})
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _comprehension(node, known)
        case ast.Starred(value=value):
            kind_of(value, known)
    return None


def result_of(op: ast.operator, left: Kind, right: Kind) -> Kind:
    """The kind of `left op right`; Absurd where there is none."""
    if isinstance(op, ast.Mod) and left and left & {"str", "bytes"}:
        return left
    found = _tried(_OPERATORS.get(type(op)), left, right)
    return found | {"float"} if found and isinstance(op, ast.Pow) else found  # 2 ** -1


def many(kind: Kind) -> None:
    """Absurd where a value of this kind is not something to go through."""
    if kind and kind <= _SCALARS:
        raise Absurd


def _named(name: str, known: Mapping[str, Iterable[str]]) -> Kind:
    found = known.get(name)
    return frozenset(found) if found else None


def _attribute(node: ast.Attribute, value: ast.expr, name: str, known: Mapping[str, Iterable[str]]) -> Kind:
    if isinstance(value, ast.Name) and f"{value.id}.{name}" in known:
        return frozenset(known[f"{value.id}.{name}"])
    owner = kind_of(value, known)
    if owner and owner <= _SAMPLES.keys() and not any(hasattr(_SAMPLES[one], name) for one in owner):
        raise Absurd
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
        raise Absurd
    return frozenset(found)


def _either(nodes: Iterable[ast.expr], known: Mapping[str, Iterable[str]]) -> Kind:
    """One of them is computed; Absurd where none can be."""
    found: list[Kind] = []
    for node in nodes:
        with suppress(Absurd):
            found.append(kind_of(node, known))
    if not found:
        raise Absurd
    return frozenset().union(*(kind for kind in found if kind)) if all(found) else None


def _compared(node: ast.Compare, known: Mapping[str, Iterable[str]]) -> Kind:
    sides = [kind_of(one, known) for one in (node.left, *node.comparators)]
    for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
        if type(op) in _ORDER:
            _tried(_ORDER[type(op)], left, right)
        elif isinstance(op, (ast.Eq, ast.NotEq)) and _can_not_be_equal(left, right):
            raise Absurd
    return frozenset({"bool"})


def _can_not_be_equal(left: Kind, right: Kind) -> bool:
    if not left or not right or not (left | right) <= _SAMPLES.keys():
        return False
    numbers = {"int", "float", "bool"}
    return not left & right and not (left & numbers and right & numbers) and "NoneType" not in left | right


def _called(node: ast.Call, known: Mapping[str, Iterable[str]]) -> Kind:
    given = [kind_of(one, known) for one in node.args]
    for word in node.keywords:
        kind_of(word.value, known)
    match node.func:
        case ast.Name(id=name) if name not in known:
            return _built_in(name, given)
        case ast.Attribute(value=value, attr=name):
            kind_of(node.func, known)
            owner = kind_of(value, known)
            methods = _METHODS.get(next(iter(owner)), {}) if owner and len(owner) == 1 else {}
            return next((frozenset({kind}) for kind, names in methods.items() if name in names.split()), None)
    return None


def _built_in(name: str, given: list[Kind]) -> Kind:
    first = given[0] if given else None
    if name in _EATS_MANY or (name in ("min", "max") and len(given) == 1):
        many(first)
    if first and name in ("abs", "round") and not first & _NUMBERS:
        raise Absurd
    if first and name in ("int", "float") and first <= _NO_NUMBERS:
        raise Absurd
    return frozenset({_GIVES[name]}) if name in _GIVES else None


def _item(owner: Kind, index: ast.expr, known: Mapping[str, Iterable[str]]) -> Kind:
    if owner and owner <= _SCALARS | {"set", "frozenset"}:
        raise Absurd
    if isinstance(index, ast.Slice):
        if owner and owner <= {"dict", "set"}:
            raise Absurd
        for bound in (index.lower, index.upper, index.step):
            kind = kind_of(bound, known) if bound else None
            if kind and kind <= {"str", "list", "dict", "float", "tuple", "set", "bytes"}:
                raise Absurd
        return owner
    at = kind_of(index, known)
    if (
        owner
        and at
        and owner <= {"list", "tuple", "str", "bytes"}
        and not at & {"int", "bool"}
        and at <= _SAMPLES.keys()
    ):
        raise Absurd
    return frozenset({"str"}) if owner == frozenset({"str"}) else None


def _comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, known: Mapping[str, Iterable[str]]
) -> Kind:
    inner = dict(known)
    for generator in node.generators:
        many(kind_of(generator.iter, inner))
        for target in ast.walk(generator.target):
            if isinstance(target, ast.Name):
                inner.pop(target.id, None)
        for test in generator.ifs:
            kind_of(test, inner)
    for value in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
        kind_of(value, inner)
    return frozenset({{ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}.get(type(node), "iterator")})
