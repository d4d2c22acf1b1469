"""Events and how old ones are brought up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

KINDS = ("received", "picked", "counted", "reserved", "released", "discarded")


class EventError(ValueError):
    """An event that makes no sense."""


@dataclass(frozen=True)
class Event:
    kind: str
    data: dict[str, Any] = field(default_factory=dict)
    format: int = 1
    stream: str = ""
    version: int = 0
    position: int = 0

    def check(self) -> None:
        if self.kind not in KINDS:
            raise EventError(f"unknown kind {self.kind!r}")
        quantity = self.data.get("quantity")
        if not isinstance(quantity, int) or isinstance(quantity, bool):
            raise EventError(f"{self.kind} needs a whole quantity")
        if quantity < 0 or (quantity == 0 and self.kind != "counted"):
            raise EventError(f"{self.kind} of {quantity}")


Step = Callable[[dict[str, Any]], dict[str, Any]]


class Upcaster:
    """Turns the data of old formats into that of the newest, one format at a time."""

    def __init__(self) -> None:
        self._steps: dict[tuple[str, int], Step] = {}

    def step(self, kind: str, format: int) -> Callable[[Step], Step]:
        """Decorator for what leads from ``format`` to the next one."""

        def decorate(function: Step) -> Step:
            self._steps[kind, format] = function
            return function

        return decorate

    def newest(self, kind: str) -> int:
        return max((old + 1 for name, old in self._steps if name == kind), default=1)

    def upcast(self, event: Event) -> Event:
        while (event.kind, event.format) in self._steps:
            function = self._steps[event.kind, event.format]
            event = replace(event, data=function(dict(event.data)), format=event.format + 1)
        return event
