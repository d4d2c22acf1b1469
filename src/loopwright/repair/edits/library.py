"""A known function around a value, or in place of one like it: of imported modules, or a copy that goes deeper."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_MODULES = {
    "copy": ("copy", "deepcopy"), "re": ("escape",), "math": ("floor", "ceil", "trunc", "fabs", "sqrt"),
    "html": ("escape", "unescape"), "json": ("dumps", "loads"), "textwrap": ("dedent",), "inspect": ("cleandoc",),
}  # fmt: skip
"""Functions of one argument that are easily forgotten."""
_COPIES = ("dict", "list", "set", "copy", "copy.copy")


def edits(place: Place) -> Iterator[Edit]:
    known = _functions(place)
    for node in place.nodes:
        if not place.loads(node) or isinstance(node, (ast.Constant, ast.Starred, ast.Slice, ast.JoinedStr)):
            continue
        parent = place.source.parents[node]
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            yield from _others(place, node, known)
        if not (isinstance(parent, (ast.Attribute, ast.FormattedValue)) or _is_called(parent, node)):
            for n, name in enumerate(known):
                yield place.swap(node, f"{name}({place.text(node)})", 2.5 + 0.04 * n)


def _others(place: Place, node: ast.Call, known: list[str]) -> Iterator[Edit]:
    old, argument = place.text(node.func), place.text(node.args[0])
    for n, name in enumerate(known):
        if name != old:
            copies = old in _COPIES and name.endswith("deepcopy")
            yield place.swap(node, f"{name}({argument})", 1.5 if copies else 2.3 + 0.04 * n)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "copy":
        yield from (place.swap(node, f"{name}({argument})", 1.5) for name in known if name.endswith("deepcopy"))


def _functions(place: Place) -> list[str]:
    """What can be called here with one argument."""
    here = place.scope.globals
    modules = [f"{name}.{function}" for name in here for function in _MODULES.get(name, ())]
    plain = [name for functions in _MODULES.values() for name in functions if name in here]
    return [*modules, *plain]


def _is_called(parent: ast.AST, node: ast.expr) -> bool:
    return isinstance(parent, ast.Call) and parent.func is node
