"""How much sense an edit makes for the kinds of values that were seen: what can not work is tried last."""

import ast
import textwrap
from collections import Counter
from collections.abc import Mapping
from functools import cache

from .edits.place import Edit
from .kinds import Absurd, Kind, kind_of, many, result_of
from .localize import Location
from .seen import RETURN, Kinds
from .source import FUNCTIONS, Function, Source, header_end

_ABSURD = 3.0
"""What an edit costs more that would raise a TypeError or an AttributeError with all values that were seen."""

_OTHER_RESULT, _OTHER_VALUE = 1.2, 0.8
"""The same for a result, or a variable, of a kind that it never had."""


class Sense:
    """`seen`: kinds by (file, qualified name) of a function."""

    def __init__(self, seen: Mapping[tuple[str, str], Kinds]) -> None:
        self._seen = seen
        self._known = cache(self._known_in)

    def doubt(self, location: Location, edit: Edit) -> float:
        """What the edit costs more: 0 where it makes sense, or nothing is known."""
        known = self._known(location.source, location.statement)
        if not known:
            return 0.0
        changed = _changed(location, edit)
        if changed is None:
            return 0.0
        try:
            return _judged(changed, known)
        except Absurd:
            return _ABSURD
        except RecursionError:
            return 0.0

    def _known_in(self, source: Source, statement: ast.stmt) -> Mapping[str, frozenset[str]]:
        function = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
        if function is None:
            return {}
        outer = source.qualname(function)
        name = function.name if outer == "<module>" else f"{outer}.{function.name}"
        again = _bound_again(function)
        found = self._seen.get((source.path, name), {})
        return {one: frozenset(kinds) for one, kinds in found.items() if one not in again}


def _bound_again(function: Function) -> frozenset[str]:
    """Names that are given a value several times: what they hold at the end says little of the middle."""
    stored = [
        target.id
        for node in ast.walk(function)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For, ast.withitem, ast.NamedExpr))
        for target in ast.walk(_target_of(node))
        if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
    ]
    return frozenset(name for name, count in Counter(stored).items() if count > 1)


def _target_of(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Assign):
        return ast.Tuple(node.targets, ast.Store())
    return getattr(node, "target", None) or getattr(node, "optional_vars", None) or ast.Pass()


def _changed(location: Location, edit: Edit) -> ast.stmt | None:
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
            return _OTHER_RESULT * _is_other(kind_of(value, known), known.get(RETURN))
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            return _OTHER_VALUE * _is_other(kind_of(value, known), known.get(ast.unparse(target)))
        case ast.AugAssign(target=target, op=op, value=value):
            result_of(op, kind_of(target, known), kind_of(value, known))
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
            kind_of(test, known)
        case ast.For(iter=value):
            many(kind_of(value, known))
        case ast.Expr(value=value) | ast.Assign(value=value):
            kind_of(value, known)
    return 0.0


def _is_other(kind: Kind, usual: frozenset[str] | None) -> bool:
    if not kind or not usual or usual == {"NoneType"} or kind == {"NoneType"}:
        return False
    numbers = {"int", "float", "bool"}
    return not kind & usual and not (kind & numbers and usual & numbers) and "iterator" not in kind
