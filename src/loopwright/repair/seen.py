"""Of which kinds the values are that a program's functions work on, as its tests show them."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Kinds = dict[str, set[str]]
"""Names of types by name of a variable or an attribute (`self.x`); `return` is what the function gives back."""

RETURN = "return"
_CALLS = 40  # of one function in one test
_FIELDS = 40


class Seen:
    """Records what functions below `root` hold when they are called and when they return."""

    def __init__(self, root: str) -> None:
        self._root = root + os.sep
        self._calls: Counter[CodeType] = Counter()
        self.functions: dict[tuple[str, str], Kinds] = {}

    def start(self) -> None:
        self._calls.clear()
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        code = frame.f_code
        if not code.co_filename.startswith(self._root):
            return None
        self._calls[code] += 1
        if self._calls[code] > _CALLS:
            return None
        frame.f_trace_lines = False
        self._take(frame)
        return self._returned

    def _returned(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "return":
            self._take(frame)
            if not (arg is None and _is_leaving(frame)):
                self._kinds(frame).setdefault(RETURN, set()).add(type(arg).__name__)
        return self._returned

    def _kinds(self, frame: FrameType) -> Kinds:
        code = frame.f_code
        file = code.co_filename[len(self._root) :].replace(os.sep, "/")
        return self.functions.setdefault((file, code.co_qualname.replace(".<locals>", "")), {})

    def _take(self, frame: FrameType) -> None:
        kinds = self._kinds(frame)
        for name, value in frame.f_locals.items():
            kinds.setdefault(name, set()).add(type(value).__name__)
        fields = getattr(frame.f_locals.get("self"), "__dict__", None)
        for name, value in _first(fields.items() if type(fields) is dict else ()):
            kinds.setdefault(f"self.{name}", set()).add(type(value).__name__)


def _first(pairs: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
    return [pair for pair, _ in zip(pairs, range(_FIELDS), strict=False)]


def _is_leaving(frame: FrameType) -> bool:
    """An exception goes through: settrace tells that as a return of None."""
    code = frame.f_code.co_code
    return frame.f_lasti < 0 or code[frame.f_lasti] not in _RETURNS


def _returns() -> frozenset[int]:
    import opcode

    return frozenset(n for name, n in opcode.opmap.items() if name.startswith(("RETURN_", "YIELD_")))


_RETURNS = _returns()
