"""Where patches differ that the tests can not tell apart: the same calls with other values, under each of them."""

import asyncio
import copy
import re
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import islice
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from .budget import TimeUp, processor_time

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Arguments = dict[str, object]

Version = Callable[[], Callable[[], None] | None]
"""Puts its code in place, and gives what takes it back."""

_CALLS, _INPUTS = 24, 240
_SECONDS = 0.2
_ENDLESS, _WAITED_FOR = "does not end", 3
_WIDTH = 80
_ITEMS = 50
_FIXED = (type, FunctionType, ModuleType)
_ADDRESS = re.compile(r"0x[0-9a-f]+")


class Calls:
    """Keeps copies of what one function is called with, as long as it can be copied."""

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self.found: list[Arguments] = []

    def start(self) -> None:
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if frame.f_code is self._code and len(self.found) < _CALLS:
            sys.settrace(None)  # copying runs code, too
            with suppress(Exception):  # whatever a value's own copying raises: this call is left out
                self.found.append(copy.deepcopy({name: frame.f_locals[name] for name in parameters(self._code)}))
            sys.settrace(self._called)
        return None


def parameters(code: CodeType) -> tuple[str, ...]:
    """Names without `*args` and `**kwargs`."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def varied(calls: Sequence[Arguments]) -> list[Arguments]:
    """The calls, and each with one argument changed a little; the smallest first."""
    found: dict[str, Arguments] = {}
    for call in calls:
        for one in (call, *_changed(call)):
            found.setdefault(shown(one), one)
    return [found[text] for text in sorted(found, key=lambda text: (len(text), text))][:_INPUTS]


def _changed(call: Arguments) -> Iterator[Arguments]:
    for name, value in call.items():
        for other in _others(value):
            yield {**call, name: other}


def _others(value: object) -> list[object]:
    """Values beside this one: of what is not plain, those with one attribute changed."""
    with suppress(Exception):  # it may refuse to be copied, or to be made of what it holds
        return _plain_others(value) or [*_altered(value)]
    return []


def _altered(value: object) -> Iterator[object]:
    fields = getattr(value, "__dict__", None)
    for name, field in list(fields.items()) if isinstance(fields, dict) and not isinstance(value, _FIXED) else ():
        for other in _plain_others(field):
            twin = copy.copy(value)
            object.__setattr__(twin, name, other)
            yield twin


def _plain_others(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [0, value + 1, value - 1, -value, value * 2]
    if isinstance(value, date):
        return [value + timedelta(days=1), value - timedelta(days=1)]
    if isinstance(value, str):
        return ["", value[1:], value + value[:1], value.upper(), f" {value}"]
    if isinstance(value, (list, tuple)):
        return [value[:0], value[1:], type(value)([*value, *value[:1]]), value[::-1]]
    if isinstance(value, dict) and value:
        return [{}, dict(list(value.items())[1:])]
    return [set(sorted(value, key=repr)[1:])] if isinstance(value, set) and value else []


def outcome(function: FunctionType, call: Arguments) -> str:
    """What comes of it: `gives` what comes back and what is left in its arguments, `raises` which exception."""
    mine = copy.deepcopy(call)
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]

    def compute() -> str:
        given = function(*(mine[name] for name in positional), **{k: v for k, v in mine.items() if k not in positional})
        given = asyncio.run(given) if isinstance(given, Coroutine) else given
        given = list(islice(given, _ITEMS)) if isinstance(given, Iterator) else given
        left = "" if shown(mine) == shown(call) else f", and leaves {shown(mine)}"
        return f"gives {_text(given)}{left}"

    with processor_time(_SECONDS):
        done = pytest.CallInfo.from_call(compute, "call")
    if done.excinfo is None:
        return done.result
    return _ENDLESS if done.excinfo.errisinstance(TimeUp) else f"raises {done.excinfo.typename}"


def outcomes(function: FunctionType, version: Version, calls: Sequence[Arguments], until: float) -> list[str] | None:
    """What comes of each call; None where the code can not be put in place, or not all was seen `until` (monotonic).

    Where some did not end, the others are not waited for: nothing is known of these (an empty text).
    """
    undo = version()
    if undo is None:
        return None
    found: list[str] = []
    for call in calls:
        if time.monotonic() > until:
            break
        found.append("" if found.count(_ENDLESS) >= _WAITED_FOR else outcome(function, call))
    undo()
    return found if len(found) == len(calls) else None


def compared(
    function: FunctionType, versions: Sequence[Version], calls: Sequence[Arguments], until: float
) -> Iterator[list[str] | None]:
    """What comes of each call under each version, one after the other; the first tells what can be compared.

    Calls with which it does not do the same twice depend on chance: nothing is known of these.
    """
    first, *others = versions
    twice = [outcomes(function, first, calls, until) for _ in range(2)]
    usual = twice[0] and twice[1] and [a if a == b else "" for a, b in zip(*twice, strict=True)]
    yield usual
    for other in others if usual else ():
        yield outcomes(function, other, calls, until)


def shown(call: Arguments) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in call.items())


def _text(value: object) -> str:
    plain = f"<{type(value).__name__}>"
    with suppress(Exception):  # it may not be able to show itself
        plain = repr(value)
    fields = getattr(value, "__dict__", None)
    if " object at 0x" in plain and isinstance(fields, dict):
        plain = f"{type(value).__name__}({', '.join(f'{k}={_text(v)}' for k, v in fields.items())})"
    return _ADDRESS.sub("…", plain)


def named(function: FunctionType, call: Arguments) -> str:
    """The call as a person reads it."""
    return f"{function.__name__}({brief(shown(call))})"


def brief(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
