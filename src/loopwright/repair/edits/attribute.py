"""Another attribute or method: a sibling by meaning, or one that the project uses."""

import ast
from collections.abc import Iterator

from .place import Edit, Place

_KIN = (
    ("append", "extend", "insert", "add"), ("lower", "upper", "casefold", "title", "capitalize", "swapcase"),
    ("strip", "lstrip", "rstrip"), ("startswith", "endswith"), ("find", "rfind", "index", "rindex"),
    ("keys", "values", "items"), ("add", "update", "discard", "remove"), ("remove", "discard", "pop"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"), ("sort", "reverse"), ("pop", "popleft", "get"),
    ("append", "appendleft"), ("floor", "ceil", "trunc"), ("union", "intersection", "difference"),
    ("issubset", "issuperset"), ("isdigit", "isalpha", "isalnum", "isnumeric", "isspace"), ("islower", "isupper"),
    ("read", "readline", "readlines"), ("match", "search", "fullmatch", "findall"), ("group", "groups"),
    ("days", "seconds", "total_seconds()"), ("year", "month", "day"), ("hour", "minute", "second"),
    ("removeprefix", "lstrip"), ("removesuffix", "rstrip"), ("update", "setdefault"), ("mean", "median"),
    ("weekday", "isoweekday"), ("ljust", "rjust", "center", "zfill"), ("get", "pop", "setdefault"),
    ("__lt__", "__le__", "__gt__", "__ge__"), ("most_common", "items"), ("utcnow", "now"), ("count", "index"),
    ("sqrt", "pow"), ("replace", "removeprefix"),
)  # fmt: skip
"""Methods that are taken for one another."""

_SEEN = 24


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Attribute):
            yield from _renamed(place, node)


def _renamed(place: Place, node: ast.Attribute) -> Iterator[Edit]:
    end = place.source.span(node)[1]
    start = end - len(node.attr)
    if place.source.text[start:end] != node.attr:
        return
    kin = dict.fromkeys(name for group in _KIN if node.attr in group for name in group if name != node.attr)
    for name in kin:
        yield Edit(start, end, name, 1.4, f"`.{name}` instead of `.{node.attr}`")
    for n, (name, _) in enumerate(place.pool.attributes.most_common(_SEEN)):
        if name != node.attr and name not in kin:
            yield Edit(start, end, name, 2.6 + 0.02 * n, f"`.{name}` instead of `.{node.attr}`")
