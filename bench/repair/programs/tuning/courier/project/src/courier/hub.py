"""Events and those who listen to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

Listener = Callable[..., Any]


class Hub:
    """Listeners may be plain functions or coroutines; ``*`` listens to every event."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self.errors: list[tuple[str, Exception]] = []

    def on(self, event: str, listener: Listener) -> Callable[[], None]:
        """Start listening; the function returned ends it."""
        self._listeners.setdefault(event, []).append(listener)
        return lambda: self.off(event, listener)

    def once(self, event: str, listener: Listener) -> Callable[[], None]:
        def first(*args: Any, **more: Any) -> Any:
            stop()
            return listener(*args, **more)

        stop = self.on(event, first)
        return stop

    def off(self, event: str, listener: Listener) -> bool:
        listeners = self._listeners.get(event, [])
        if listener not in listeners:
            return False
        listeners.remove(listener)
        return True

    def count(self, event: str) -> int:
        return len(self._listeners.get(event, []))

    async def emit(self, event: str, **details: Any) -> int:
        """Call all listeners in turn; what fails is noted and stops no other listener."""
        called = 0
        for listener in self._for(event):
            called += 1
            try:
                result = listener(event, **details)
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                self.errors.append((event, error))
        return called

    def _for(self, event: str) -> list[Listener]:
        own = self._listeners.get(event, [])
        every = self._listeners.get("*", []) if event != "*" else []
        return [*own, *every]
