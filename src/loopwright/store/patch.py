"""What changed between two frozen states, as a JSON patch (RFC 6902: add, replace, remove)."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import is_
from typing import Any, NamedTuple

from pydantic import BaseModel, JsonValue

from loopwright.core.errors import Invalid

Doc = dict[str, Any]  # Any: a JSON document
Op = dict[str, Any]  # Any: a JSON value among its values
PLAIN = frozenset({str, bool, int, type(None)})
"""What most of a state consists of: JSON as it is."""
TOO_DEEP = "a state cannot be nested this deeply"


class FieldPart(NamedTuple):
    """One field of a model: its attribute, its key in the file, and when the key is left out, None: never."""

    attribute: str
    key: str
    left_out: Callable[[object], bool] | None


def to_json(value: object) -> Any:  # Any: a JSON value
    """A state, or one value of it, as JSON. Invalid for what a file could not give back."""
    try:
        return _plain(value)
    except RecursionError as error:
        raise Invalid(TOO_DEEP) from error


def _plain(value: object) -> JsonValue:
    if type(value) in PLAIN:
        return value  # type: ignore[return-value]  # one of them
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, BaseModel):
        fields = value.__dict__
        shown: dict[str, JsonValue] = {
            key: item if type(item := fields[name]) in PLAIN else _plain(item)
            for name, key, left_out in _parts(type(value))
            if left_out is None or not left_out(fields[name])
        }
        for key, item in (value.__pydantic_extra__ or {}).items():
            shown[key] = _plain(item)
        return shown
    match value:
        case str() | int():
            return value
        case float():
            if not math.isfinite(value):
                raise Invalid(f"a state cannot hold the number {value}")
            return value
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
    raise Invalid(f"a state cannot hold a {type(value).__name__}")


def diff_states(old: object, new: object) -> list[Op]:
    """Operations that make `plain(old)` into `plain(new)`. Shared parts are skipped unseen."""
    try:
        return list(_changed(old, new, ""))
    except RecursionError as error:
        raise Invalid(TOO_DEEP) from error


def apply_patch(doc: Doc, ops: Sequence[Op]) -> None:
    """Carries the operations out on `doc` itself. KeyError, IndexError or TypeError where they do not fit."""
    for op in ops:
        *way, last = (token.replace("~1", "/").replace("~0", "~") for token in op["path"].split("/")[1:])
        place: Any = doc  # Any: walks a JSON document
        for token in way:
            place = place[int(token)] if isinstance(place, list) else place[token]
        match op["op"], place:
            case "add", list():
                place.insert(len(place) if last == "-" else int(last), op["value"])
            case "remove", list():
                del place[int(last)]
            case "remove", _:
                del place[last]
            case _, list():
                place[int(last)] = op["value"]
            case _:
                place[last] = op["value"]


def _changed(old: object, new: object, path: str) -> Iterator[Op]:
    if old is new:
        return
    if isinstance(old, BaseModel) and isinstance(new, BaseModel) and type(old) is type(new):
        yield from _changed_fields(old, new, path)
    elif isinstance(old, dict) and isinstance(new, dict):
        yield from _changed_keys(old, new, path)
    elif isinstance(old, tuple | list) and isinstance(new, tuple | list):
        if len(old) != len(new) or not all(map(is_, old, new)):
            yield from _changed_items(old, new, path)
    elif type(old) is not type(new) or old != new:
        yield {"op": "replace", "path": path, "value": to_json(new)}


def _changed_fields(old: BaseModel, new: BaseModel, path: str) -> Iterator[Op]:
    """Both are of the same type."""
    before, after = old.__dict__, new.__dict__
    for attribute, key, left_out in _parts(type(old)):
        was, now = before[attribute], after[attribute]
        if was is now:
            continue
        where = f"{path}/{_token(key)}"
        if left_out and left_out(now):
            if not left_out(was):
                yield {"op": "remove", "path": where}
        elif left_out and left_out(was):
            yield {"op": "add", "path": where, "value": to_json(now)}
        else:
            yield from _changed(was, now, where)
    if old.__pydantic_extra__ or new.__pydantic_extra__:
        yield from _changed_keys(old.__pydantic_extra__ or {}, new.__pydantic_extra__ or {}, path)


def _changed_keys(old: Mapping[str, object], new: Mapping[str, object], path: str) -> Iterator[Op]:
    for key in old:
        if key not in new:
            yield {"op": "remove", "path": f"{path}/{_token(key)}"}
    for key, value in new.items():
        where = f"{path}/{_token(key)}"
        if key in old:
            yield from _changed(old[key], value, where)
        else:
            yield {"op": "add", "path": where, "value": to_json(value)}


def _changed_items(old: Sequence[object], new: Sequence[object], path: str) -> Iterator[Op]:
    """Walks both lists: what only one of them holds further on was inserted or removed, the rest was changed."""
    same = _count_same(old, new)
    same_end = min(_count_same(old[::-1], new[::-1]), min(len(old), len(new)) - same)
    old, new = old[same : len(old) - same_end], new[same : len(new) - same_end]
    olds = {_mark(item): at for at, item in enumerate(old)}
    news = {_mark(item): at for at, item in enumerate(new)}
    i = j = 0
    while i < len(old) and j < len(new):
        place = f"{path}/{same + j}"
        if _mark(old[i]) == _mark(new[j]):
            i, j = i + 1, j + 1
        elif olds.get(_mark(new[j]), -1) > i:
            yield {"op": "remove", "path": place}
            i += 1
        elif news.get(_mark(old[i]), -1) > j:
            yield {"op": "add", "path": place, "value": to_json(new[j])}
            j += 1
        else:
            yield from _changed(old[i], new[j], place)
            i, j = i + 1, j + 1
    for _ in range(i, len(old)):
        yield {"op": "remove", "path": f"{path}/{same + j}"}
    for at, item in enumerate(new[j:], same + j):
        yield {"op": "add", "path": f"{path}/{at if same_end else '-'}", "value": to_json(item)}


def _count_same(old: Sequence[object], new: Sequence[object]) -> int:
    """How many of the first items are the very same."""
    marks = bytes(map(is_, old, new))
    at = marks.find(0)
    return at if at >= 0 else len(marks)


def _mark(item: object) -> object:
    """Texts are known by what they say, everything else by being the same object."""
    return item if isinstance(item, str) else id(item)


@cache
def _parts(model: type[BaseModel]) -> tuple[FieldPart, ...]:
    return tuple(
        FieldPart(name, field.serialization_alias or field.alias or name, field.exclude_if)
        for name, field in model.model_fields.items()
    )


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
