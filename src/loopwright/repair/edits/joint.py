"""A piece of text that a result lacks: between two parts of it, in front, or behind."""

import ast
from collections.abc import Iterator

from .place import Edit, Place


def edits(place: Place) -> Iterator[Edit]:
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
