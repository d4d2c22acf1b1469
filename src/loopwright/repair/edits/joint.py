"""A piece of text that is lacking: between two parts of a result, in front, behind, or where a prefix ends."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_ENDS = ("/", ":", ".", "-", "_", " ")


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=whole, attr="startswith" | "endswith" as name), args=[part], keywords=[]
            ):
                yield from _whole_parts(place, node, place.text(whole), name, place.text(part))
    pieces = [repr(text) for text in place.pool.facts.inserted]
    for n, piece in enumerate(pieces):
        for node in place.nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                at = place.source.span(node.left)[1]
                yield Edit(at, at, f" + {piece}", 2.0 + 0.1 * n, f"join with {piece}")
        if isinstance(place.stmt, (ast.Return, ast.Assign, ast.AugAssign)) and place.stmt.value is not None:
            value = place.stmt.value
            text = place.text(value)
            plain = (
                text
                if isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp))
                else f"({text})"
            )
            yield place.swap(value, f"{plain} + {piece}", 2.3 + 0.1 * n)
            yield place.swap(value, f"{piece} + {plain}", 2.3 + 0.1 * n)


def _whole_parts(place: Place, call: ast.Call, whole: str, name: str, part: str) -> Iterator[Edit]:
    """`a:b` begins with `a`, and `ab` does not: what ends a part, with the part alone allowed or not."""
    texts = "".join(one for one in place.pool.facts.literals if isinstance(one, str))
    ends = [end for end in _ENDS if end in texts]
    for n, end in enumerate(ends):
        ended = f'{part} + "{end}"' if name == "startswith" else f'"{end}" + {part}'
        yield place.swap(call, f"({whole} == {part} or {whole}.{name}({ended}))", 2.4 + 0.1 * n)
        yield place.swap(call, f"{whole}.{name}({ended})", 2.5 + 0.1 * n)
