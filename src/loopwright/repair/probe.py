"""What variables hold when a suspicious line is reached, seen from outside: no source file is edited."""

import os
import sys
from collections.abc import Mapping
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import TraceFunction

_HITS = 4
_NAMES = 12
_WIDTH = 80
_ITEMS = 6
_DEPTH = 2


class Probes:
    """Records locals at given lines, at most a few times each. `places` maps (file, line) to a hypothesis."""

    def __init__(self, root: str, places: Mapping[tuple[str, int], str]) -> None:
        self._root = root + os.sep
        self._places = places
        self._files = {file for file, _ in places}
        self._seen: dict[str, int] = {}
        self.hits: list[dict[str, object]] = []

    def start(self) -> None:
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        filename = frame.f_code.co_filename
        if not filename.startswith(self._root):
            return None
        return self._line if filename[len(self._root) :].replace(os.sep, "/") in self._files else None

    def _line(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "line":
            file = frame.f_code.co_filename[len(self._root) :].replace(os.sep, "/")
            hypothesis = self._places.get((file, frame.f_lineno))
            if hypothesis is not None and self._seen.get(hypothesis, 0) < _HITS:
                self._seen[hypothesis] = self._seen.get(hypothesis, 0) + 1
                self._record(hypothesis, frame)
        return self._line

    def _record(self, hypothesis: str, frame: FrameType) -> None:
        names = list(frame.f_locals.items())[:_NAMES]
        self.hits.append({
            "hid": hypothesis,
            "ts": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            "func": frame.f_code.co_qualname,
            "line": frame.f_lineno,
            "data": {name: short(value) for name, value in names if not name.startswith("@")},
        })  # fmt: skip


def short(value: object, depth: int = _DEPTH, width: int = _WIDTH, items: int = _ITEMS) -> str:
    """A bounded picture of a value that runs none of the project's code. `width`: characters of a text in it."""
    kind = type(value)
    if kind is int:
        return str(value) if int.bit_length(value) < 200 else f"<int of {int.bit_length(value)} bits>"  # type: ignore[arg-type]  # it is one
    if kind in (bool, float, complex, type(None)):
        return repr(value)
    if kind is str or kind is bytes:
        head = value[:width]  # type: ignore[index]  # it is one of the two
        return repr(head) + ("…" if len(value) > width else "")  # type: ignore[arg-type]  # as above
    if kind in (list, tuple, set, frozenset, dict):
        return _container(value, depth, width, items) if depth else f"<{kind.__name__}>"
    fields = getattr(value, "__dict__", None) if not isinstance(value, type) else None
    if depth and type(fields) is dict and fields:
        shown = list(fields.items())[:items]
        inner = ", ".join(f"{name}={short(field, depth - 1, width, items)}" for name, field in shown)
        return f"{kind.__name__}({inner})"
    return f"<{kind.__name__}>"


def _container(value: Any, depth: int, width: int, items: int) -> str:  # Any: a built-in container, as checked before
    def inner(part: object) -> str:
        return short(part, depth - 1, width, items)

    if type(value) is dict:
        parts = [f"{inner(k)}: {inner(v)}" for k, v in list(value.items())[:items]]
    else:
        parts = [inner(item) for item, _ in zip(value, range(items), strict=False)]
    more = ", …" if len(value) > items else ""
    opening, closing = "[]" if type(value) is list else "()" if type(value) is tuple else "{}"
    return f"{opening}{', '.join(parts)}{more}{closing}"
