"""A state that was forgotten to be made new: an attribute is given the value that `__init__` gives it.

Above all where something changes that the attribute's other value was made of.
"""

import ast
from collections.abc import Collection, Iterator

from ..source import FUNCTIONS
from .changing import changed
from .place import Edit, Place

_EMPTY = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple)
_ODD = 0.6
"""What it costs more in a function that changes nothing else, or has just given the attribute another value."""

_MAKERS = ("set", "list", "dict", "deque", "Counter", "defaultdict", "OrderedDict")


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS) or place.func.name == "__init__":
        return
    stale = _made_of(place, {place.text(one) for one in changed(place.stmt)})
    given = {place.text(one) for one in changed(place.func) if place.text(one).startswith("self.")}
    for n, (name, line) in enumerate(_first_values(place).items()):
        odd = _ODD if name in given or not given else 0.0
        if isinstance(place.stmt, (ast.Return, ast.Raise)) or place.stmt is place.func.body[0]:
            yield place.before([line], 2.6 + 0.05 * n + odd)
        if not isinstance(place.stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            yield place.after([line], (1.6 if name in stale - given else 2.5 + odd) + 0.05 * n)


def _made_of(place: Place, parts: Collection[str]) -> set[str]:
    """Attributes that are reckoned from one of these anywhere in the class."""
    owner = place.source.owner(place.stmt)
    return {
        place.text(target)
        for node in (ast.walk(owner) if owner and parts else ())
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Attribute) and place.text(part) in parts
    }


def _first_values(place: Place) -> dict[str, str]:
    """`self.x` with `self.x = …` as the class begins with it, where that is a plain or an empty value."""
    owner = place.source.owner(place.stmt)
    if owner is None:
        return {}
    begins = [one for one in owner.body if isinstance(one, FUNCTIONS) and one.name == "__init__"]
    return {
        place.text(target): f"{place.text(target)} = {place.text(node.value)}"
        for init in begins
        for node in ast.walk(init)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _is_plain(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute)
    }


def _is_plain(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _MAKERS and not value.args
    return isinstance(value, _EMPTY) and not any(isinstance(one, ast.Name) for one in ast.walk(value))
