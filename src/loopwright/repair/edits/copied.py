"""A guard that other functions have and this one forgot: copied, and put in this one's words."""

import ast
import builtins
import re
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SHORTEST, _LONGEST, _MOST, _NAMES = 2, 6, 16, 5


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    here = place.scope.remembered(("guards", place.source.tree), lambda: _guards(place))
    inside = _looped(place, place.stmt)
    for n, guard in enumerate(here[:_MOST]):
        if inside or not re.search(r"\b(continue|break)$", guard):
            for m, text in enumerate(_in_our_words(place, guard)):
                yield place.before(text.split("\n"), 2.6 + 0.06 * n + 0.1 * m)


def _guards(place: Place) -> list[str]:
    """`if …:` with one or two lines that leave, as text without indentation; those found often first."""
    found: dict[str, int] = {}
    for node in ast.walk(place.source.tree):
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _LEAVING):
            lines = place.text(node).split("\n")
            indent = place.source.indent(node.lineno)
            plain = all(line.startswith(indent) for line in lines[1:])
            if plain and _SHORTEST <= len(lines) <= _LONGEST:
                text = "\n".join([lines[0], *(line[len(indent) :] for line in lines[1:])])
                text = text.removeprefix("el")
                found[text] = found.get(text, 0) + 1
    return sorted(found, key=lambda text: -found[text])


def _looped(place: Place, node: ast.AST) -> bool:
    for above in place.source.ancestors(node):
        if isinstance(above, FUNCTIONS):
            return False
        if isinstance(above, (ast.For, ast.While, ast.AsyncFor)):
            return True
    return False


def _in_our_words(place: Place, guard: str) -> list[str]:
    """As it is where it uses only what is known here, else with the one name that is not known exchanged for ours."""
    names = dict.fromkeys(node.id for node in ast.walk(ast.parse(guard)) if isinstance(node, ast.Name))
    known = {*place.scope.locals, *place.scope.parameters, *place.scope.all_globals, *dir(builtins)}
    strange = [name for name in names if name not in known]
    if not strange:
        return [guard]
    if len(strange) > 1:
        return []
    return [re.sub(rf"(?<!\.)\b{strange[0]}\b", new, guard) for new in place.scope.locals[:_NAMES]]
