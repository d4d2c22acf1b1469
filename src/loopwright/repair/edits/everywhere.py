"""The same mistake made several times in one function: one name or value exchanged wherever it stands."""

import ast
from collections.abc import Iterator

from .site import Edit, EditSite
from .values import constant_edits, offbyone_edits, variable_edits

_MOST = 2.6
"""Costs up to which an edit is worth trying in several places."""

_MORE = 0.9
_OPPOSITE = {"True": "False", "False": "True"}


def repeated_edits(place: EditSite) -> Iterator[Edit]:
    if place.func is None:
        return
    spans = _spans(place, place.func)
    yield from _exchanged(place, spans)
    for family in (variable_edits, constant_edits, offbyone_edits):
        for edit in family(place):
            same = spans.get((place.source.text[edit.start : edit.end]), [])
            if edit.cost <= _MOST and len(same) > 1 and (edit.start, edit.end) in same:
                changes = [(start, end, edit.text) for start, end in same]
                yield place.rewritten(changes, edit.cost + _MORE, f"{edit.what}, {len(same)} times")


def _exchanged(place: EditSite, spans: dict[str, list[tuple[int, int]]]) -> Iterator[Edit]:
    """True and False, each in the place of the other."""
    both = sorted((start, end, other) for one, other in _OPPOSITE.items() for start, end in spans.get(one, []))
    if len({other for *_, other in both}) == len(_OPPOSITE) and _touches(place, both):
        yield place.rewritten(both, 2.6, "exchange `True` and `False`")


def _touches(place: EditSite, spans: list[tuple[int, int, str]]) -> bool:
    first, last = place.source.span(place.stmt)
    return any(first <= start < last for start, _, _ in spans)


def _spans(place: EditSite, root: ast.AST) -> dict[str, list[tuple[int, int]]]:
    """Where each name and literal is read in the function, in the order of the text."""
    found: dict[str, list[tuple[int, int]]] = {}
    for node in ast.walk(root):
        plain = isinstance(node, (ast.Name, ast.Constant, ast.Attribute)) and place.loads(node)
        if plain and not any(isinstance(above, ast.JoinedStr) for above in place.source.ancestors(node)):
            found.setdefault(place.text(node), []).append(place.source.span(node))
    return {text: sorted(spans) for text, spans in found.items()}
