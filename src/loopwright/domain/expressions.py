"""Which Python expressions only look at values: a narrow gate for who may not run what he likes. Pure."""

import ast

BUILTINS = frozenset({
    "abs", "all", "any", "bin", "bool", "callable", "chr", "dict", "dir", "divmod", "enumerate", "float", "frozenset",
    "hash", "hex", "id", "int", "isinstance", "issubclass", "len", "list", "max", "min", "oct", "ord", "range", "repr",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "vars", "zip",
})  # fmt: skip
METHODS = frozenset({
    "as_tuple", "bit_length", "count", "endswith", "index", "isalpha", "isdigit", "isoformat", "isspace", "items",
    "keys", "lower", "most_common", "split", "splitlines", "startswith", "strip", "title", "tolist", "total_seconds",
    "upper", "values",
})  # fmt: skip
"""Names that mean reading on whatever has them."""
KEYWORDS = frozenset({"default", "ndigits", "reverse", "start", "strict"})
"""Options that hold no function which would be called."""
DUNDERS = frozenset({"__class__", "__dict__", "__doc__", "__module__", "__name__", "__qualname__"})

_PLAIN = (
    ast.Expression, ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict,
    ast.Set, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.Call, ast.keyword,
    ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def doing(expression: str) -> str | None:
    """What in it may do more than look; None where nothing does, also where it is no Python (whoever runs it tells)."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return next((found for node in ast.walk(tree) if (found := _doing(node)) is not None), None)


def _doing(node: ast.AST) -> str | None:
    match node:
        case ast.Call():
            return _called(node)
        case ast.Attribute(attr=name) if name.startswith("__") and name not in DUNDERS:
            return f"the attribute {name}"
        case ast.Name(id=name, ctx=ast.Store()) if name in BUILTINS:
            return f"another meaning of {name}"
        case ast.keyword(arg=name) if name not in KEYWORDS:
            return f"the option {name}" if name else "**"
        case _:
            return None if isinstance(node, _PLAIN) else f"{type(node).__name__.lower()}"


def _called(call: ast.Call) -> str | None:
    match call.func:
        case ast.Name(id="type"):
            return None if len(call.args) == 1 and not isinstance(call.args[0], ast.Starred) else "a call of type"
        case ast.Name(id=name):
            return None if name in BUILTINS else f"a call of {name}"
        case ast.Attribute(attr=name):
            return None if name in METHODS else f"a call of {name}"
        case _:
            return "a call"
