"""What a call gives may have to be awaited: the function that is called may be async, or not."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_NAME = "outcome"


def edits(place: Place) -> Iterator[Edit]:
    if not place.alone or not isinstance(place.func, ast.AsyncFunctionDef):
        return
    match place.stmt:
        case ast.Expr(value=ast.Call() as call):
            start, end = place.source.span(place.stmt)
            joint = f"{place.source.newline}{place.indent}"
            lines = [f"{_NAME} = {place.text(call)}", _asked(place, _NAME), f"    await {_NAME}"]
            yield Edit(
                start, end, joint.join(lines), 2.3, f"await what `{place.text(call.func)}` gives, where it can be"
            )
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
            yield place.after([_asked(place, name), f"    {name} = await {name}"], 2.3)


def _asked(place: Place, name: str) -> str:
    known = "inspect" in place.scope.all_globals
    return f"if inspect.isawaitable({name}):" if known else f'if hasattr({name}, "__await__"):'
