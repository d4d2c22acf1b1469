"""A state that was forgotten to be made new: an attribute is given the value that `__init__` gives it."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .place import Edit, Place

_EMPTY = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple)
_MAKERS = ("set", "list", "dict", "deque", "Counter", "defaultdict", "OrderedDict")


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS) or place.func.name == "__init__":
        return
    for n, line in enumerate(_first_values(place)):
        if isinstance(place.stmt, (ast.Return, ast.Raise)) or place.stmt is place.func.body[0]:
            yield place.before([line], 2.6 + 0.05 * n)
        if not isinstance(place.stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            yield place.after([line], 2.5 + 0.05 * n)


def _first_values(place: Place) -> list[str]:
    """`self.x = …` as the class begins with it, where that is a plain or an empty value."""
    owner = place.source.owner(place.stmt)
    if owner is None:
        return []
    begins = [one for one in owner.body if isinstance(one, FUNCTIONS) and one.name == "__init__"]
    found = [
        f"{place.text(target)} = {place.text(node.value)}"
        for init in begins
        for node in ast.walk(init)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _is_plain(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute)
    ]
    return list(dict.fromkeys(found))


def _is_plain(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _MAKERS and not value.args
    return isinstance(value, _EMPTY) and not any(isinstance(one, ast.Name) for one in ast.walk(value))
