"""The same mistake made several times in one function: one name or value exchanged wherever it stands."""

import ast
from collections.abc import Iterator

from . import constant, offbyone, variable
from .place import Edit, Place

_MOST = 2.6
"""Costs up to which an edit is worth trying in several places."""

_MORE = 0.9


def edits(place: Place) -> Iterator[Edit]:
    if place.func is None:
        return
    spans = _spans(place, place.func)
    for family in (variable, constant, offbyone):
        for edit in family.edits(place):
            same = spans.get((place.source.text[edit.start : edit.end]), [])
            if edit.cost <= _MOST and len(same) > 1 and same[0] == (edit.start, edit.end):
                yield _in_all(place, edit, same)


def _spans(place: Place, root: ast.AST) -> dict[str, list[tuple[int, int]]]:
    """Where each name and literal is read in the function, in the order of the text."""
    found: dict[str, list[tuple[int, int]]] = {}
    for node in ast.walk(root):
        plain = isinstance(node, (ast.Name, ast.Constant, ast.Attribute)) and place.loads(node)
        if plain and not any(isinstance(above, ast.JoinedStr) for above in place.source.ancestors(node)):
            found.setdefault(place.text(node), []).append(place.source.span(node))
    return {text: sorted(spans) for text, spans in found.items()}


def _in_all(place: Place, edit: Edit, spans: list[tuple[int, int]]) -> Edit:
    text, at = "", edit.start
    for start, end in spans:
        text, at = text + place.source.text[at:start] + edit.text, end
    return Edit(edit.start, at, text, edit.cost + _MORE, f"{edit.what}, {len(spans)} times")
