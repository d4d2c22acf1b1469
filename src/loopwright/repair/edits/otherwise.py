"""The branch that was forgotten: `else` with a statement like those of the branches that are there."""

import ast
import re
from collections.abc import Iterator

from .place import Edit, Place

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_MOST, _NAMES = 6, 8


def edits(place: Place) -> Iterator[Edit]:
    if not isinstance(place.stmt, ast.If) or place.stmt.orelse or not place.alone:
        return
    deeper = place.source.indent(place.stmt.body[0].lineno).removeprefix(place.indent)
    for n, line in enumerate(dict.fromkeys(_lines(place, place.stmt))):
        yield place.after(["else:", deeper + line], 2.7 + 0.03 * n)


def _lines(place: Place, stmt: ast.If) -> Iterator[str]:
    """The statements of this branch and those above it with another name, or another constant."""
    body = [one for one in (*stmt.body, *_above(place, stmt)) if isinstance(one, _SIMPLE)]
    texts = [text for text in map(place.text, body) if "\n" not in text][:_MOST]
    for text in texts:
        for old in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)):
            if old in place.scope.locals:
                yield from (re.sub(rf"\b{old}\b", new, text) for new in place.scope.locals[:_NAMES] if new != old)
        for old, new in (("True", "False"), ("False", "True"), (" += ", " -= "), (" -= ", " += ")):
            if old in text:
                yield text.replace(old, new)


def _above(place: Place, stmt: ast.If) -> list[ast.stmt]:
    """What stands in the branches that this one is the `elif` of."""
    found: list[ast.stmt] = []
    above: ast.AST = place.source.parents[stmt]
    while isinstance(above, ast.If) and above.orelse == [stmt]:
        found += above.body
        stmt, above = above, place.source.parents[above]
    return found
