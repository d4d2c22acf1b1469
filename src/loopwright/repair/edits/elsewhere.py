"""Another expression that the function has elsewhere: a call, an item, an attribute, a sum."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_MOST, _LONGEST = 16, 40
_READ = (ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.Constant)
_HELD = (ast.Call, ast.Subscript, ast.Attribute, ast.BinOp)


def edits(place: Place) -> Iterator[Edit]:
    if place.func is None:
        return
    found = _expressions(place, place.func)
    for node in place.nodes:
        if not isinstance(node, _READ) or not place.loads(node) or _is_part(place, node):
            continue
        text = place.text(node)
        for n, other in enumerate([other for other in found if other != text and not _repeats(other, text)]):
            yield place.swap(node, other, 2.9 + 0.04 * n)


def _expressions(place: Place, root: ast.AST) -> list[str]:
    """The nearest lines' first, each once."""
    here = place.stmt.lineno
    nodes = [node for node in ast.walk(root) if isinstance(node, _HELD) and place.loads(node)]
    nodes = [node for node in nodes if not _is_part(place, node)]
    texts = [place.text(node) for node in sorted(nodes, key=lambda node: abs(node.lineno - here))]
    return [text for text in dict.fromkeys(texts) if len(text) <= _LONGEST and "\n" not in text][:_MOST]


def _is_part(place: Place, node: ast.expr) -> bool:
    """What is called or belongs to a longer name or a text is not replaced by itself."""
    above = place.source.parents[node]
    return isinstance(above, (ast.Attribute, ast.JoinedStr, ast.FormattedValue)) or (
        isinstance(above, ast.Call) and above.func is node
    )


def _repeats(other: str, text: str) -> bool:
    """Itself within itself is what other families try."""
    return text.isidentifier() and f"({text})" in other and other.endswith(f"({text})")
