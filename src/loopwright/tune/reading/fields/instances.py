"""Examples in JSON with the place of each key and value; what is no JSON (placeholders, gaps, comments) is none."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 30
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"")
_ATOM = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar, or a list (then `items`), or an object (then `keys` and `fields`, in order)."""

    start: int
    end: int
    scalar: str | int | float | bool | None = None
    items: "tuple[Value, ...] | None" = None
    fields: "dict[str, Value] | None" = None
    keys: tuple[int, ...] = ()
    """Where each key of an object begins, with its quote."""


class _NoJson(ValueError):
    """The text is no JSON."""


def instance(text: str, start: int, end: int) -> Value | None:
    """The one value that the text is."""
    try:
        value = _value(text, _SPACE.match(text, start, end).end(), end, 0)  # type: ignore[union-attr]  # matches always
    except (_NoJson, ValueError):
        return None
    return value if not text[value.end : end].strip() else None


def objects(value: Value, path: str = "") -> Iterator[tuple[str, Value]]:
    """Each object in it with its path; elements of a list are `[]`."""
    if value.fields is not None:
        yield path, value
        for key, inner in value.fields.items():
            yield from objects(inner, f"{path}.{key}" if path else key)
    for inner in value.items or ():
        yield from objects(inner, path + "[]")


def _value(text: str, at: int, end: int, depth: int) -> Value:
    if depth > DEEPEST or at >= end:
        raise _NoJson
    if text[at] == "{":
        return _object(text, at, end, depth)
    if text[at] == "[":
        return _list(text, at, end, depth)
    found = _STRING.match(text, at, end) or _ATOM.match(text, at, end)
    if found is None:
        raise _NoJson
    return Value(at, found.end(), json.loads(found[0]))


def _object(text: str, at: int, end: int, depth: int) -> Value:
    fields: dict[str, Value] = {}
    keys: list[int] = []
    here = _skip(text, at + 1, end)
    while here < end and text[here] != "}":
        found = _STRING.match(text, here, end)
        if found is None:
            raise _NoJson
        colon = _skip(text, found.end(), end)
        if text[colon : colon + 1] != ":":
            raise _NoJson
        value = _value(text, _skip(text, colon + 1, end), end, depth + 1)
        fields[json.loads(found[0])] = value
        keys.append(here)
        here = _next(text, value.end, end, "}")
    if here >= end:
        raise _NoJson
    return Value(at, here + 1, fields=fields, keys=tuple(keys))


def _list(text: str, at: int, end: int, depth: int) -> Value:
    items: list[Value] = []
    here = _skip(text, at + 1, end)
    while here < end and text[here] != "]":
        items.append(_value(text, here, end, depth + 1))
        here = _next(text, items[-1].end, end, "]")
    if here >= end:
        raise _NoJson
    return Value(at, here + 1, items=tuple(items))


def _next(text: str, at: int, end: int, close: str) -> int:
    """Behind the comma, or at the bracket that closes."""
    here = _skip(text, at, end)
    if text[here : here + 1] == ",":
        return _skip(text, here + 1, end)
    if text[here : here + 1] != close:
        raise _NoJson
    return here


def _skip(text: str, at: int, end: int) -> int:
    found = _SPACE.match(text, at, end)
    return found.end() if found else at
