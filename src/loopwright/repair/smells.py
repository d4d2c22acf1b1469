"""What a statement looks like by itself: oddly written, plain, or with much in it that could be wrong."""

import ast
import math

from .source import FUNCTIONS, Source, blocks

_MUTABLE = (ast.List, ast.Dict, ast.Set)
_BARE = (ast.Pass, ast.Continue, ast.Break, ast.Raise, ast.Try, ast.Global, ast.Nonlocal)
_MUCH = 12  # parts that a compound statement's header counts as


def smell(source: Source, statement: ast.stmt) -> float:
    """Raised suspicion: shared mutable values, a return that ends a loop in its first turn, `is` on a value."""
    parent = source.parents[statement]
    if isinstance(statement, FUNCTIONS):
        return 0.4 if any(isinstance(one, _MUTABLE) for one in statement.args.defaults) else 0.0
    if isinstance(statement, ast.Assign) and isinstance(parent, ast.ClassDef):
        return 0.3 if isinstance(statement.value, _MUTABLE) else 0.0
    if isinstance(statement, ast.Return) and isinstance(parent, (ast.For, ast.While)):
        return 0.1 if any(statement is block[-1] for block in blocks(parent)) else 0.0
    if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
        sides = [statement.test.left, *statement.test.comparators]
        identity = any(isinstance(op, (ast.Is, ast.IsNot)) for op in statement.test.ops)
        return 0.2 if identity and any(_is_value(side) for side in sides) else 0.0
    return 0.0


def is_plain(statement: ast.stmt) -> bool:
    """Little can be wrong in it: it hands a name or a literal on, makes an empty container, or leaves."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return value is None or _is_simple(value)
        case ast.Return(value=value):
            return value is None or isinstance(value, (ast.Name, ast.Constant))
        case ast.Expr(value=ast.Call(func=function)):
            return isinstance(function, ast.Attribute) and _is_super(function.value)
    return isinstance(statement, _BARE)


def bulk(statement: ast.stmt) -> float:
    """From 0 for a bare word to 1: how much there is in it."""
    compound = any(True for _ in blocks(statement))
    return min(1.0, math.log(1 + (_MUCH if compound else sum(1 for _ in ast.walk(statement)))) / 4)


def tells_of_errors(source: Source, statement: ast.stmt) -> bool:
    """It belongs to an exception's class: it runs because something went wrong, and is seldom what went wrong."""
    owner = source.owner(statement)
    names = [owner.name, *map(ast.unparse, owner.bases)] if owner else []
    return any(name.endswith(("Error", "Exception")) for name in names)


def _is_simple(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return not value.args and not value.keywords
    holds_names = any(isinstance(one, ast.Name) for one in ast.walk(value))
    return isinstance(value, (ast.Name, ast.Constant)) or (
        isinstance(value, (*_MUTABLE, ast.Tuple)) and not holds_names
    )


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, str)) and not isinstance(node.value, bool)
