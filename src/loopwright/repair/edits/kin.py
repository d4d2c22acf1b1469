"""Which types are meant: `isinstance` with one more or another, or where only equality of types was asked."""

import ast
import builtins
from collections.abc import Iterator

from .place import Edit, Place

_KIN = (
    ("list", "tuple"), ("list", "tuple", "set", "frozenset"), ("str", "bytes"), ("bytes", "bytearray", "memoryview"),
    ("int", "float"), ("int", "float", "complex"), ("dict", "list"), ("dict", "Mapping"), ("list", "Sequence"),
    ("list", "Iterable"), ("bool", "int"), ("date", "datetime"),
)  # fmt: skip
_CLASSES = 16


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[asked, kinds]):
                yield from _other(place, asked, kinds)
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=[asked]), ops=[operator], comparators=[kind]):
                denied = "not " if isinstance(operator, (ast.NotEq, ast.IsNot)) else ""
                yield place.swap(node, f"{denied}isinstance({place.text(asked)}, {place.text(kind)})", 1.6)


def _other(place: Place, asked: ast.expr, kinds: ast.expr) -> Iterator[Edit]:
    """Another class, one more, or one less. A bool is an int, too."""
    inside = [place.text(one) for one in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]
    kin = [name for group in _KIN if set(group) & set(inside) for name in group if _is_known(place, name)]
    others = [name for name in dict.fromkeys([*kin, *_classes(place)]) if name not in inside]
    for n, name in enumerate(others):
        cost = 1.7 if name in kin else 2.1
        yield place.swap(kinds, f"({', '.join([*inside, name])})", cost + 0.03 * n, f"take {name}, too")
        if len(inside) == 1:
            yield place.swap(kinds, name, cost + 0.2 + 0.03 * n)
    for name in inside if len(inside) > 1 else ():
        rest = [one for one in inside if one != name]
        yield place.swap(kinds, rest[0] if len(rest) == 1 else f"({', '.join(rest)})", 2.2)
    whole = place.source.parents[kinds]
    if "int" in inside and isinstance(whole, ast.expr):
        yield place.swap(whole, f"{place.text(whole)} and not isinstance({place.text(asked)}, bool)", 1.9)


def _is_known(place: Place, name: str) -> bool:
    return hasattr(builtins, name) or name in place.scope.globals


def _classes(place: Place) -> list[str]:
    """Classes that this file asks for, defines or imports."""
    asked = [text for text in place.scope.kinds if text.replace(".", "").isidentifier()]
    return [*asked, *(name for name in place.scope.globals if name[:1].isupper() and not name.isupper())][:_CLASSES]
