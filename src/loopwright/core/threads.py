"""Blocking port calls, off the event loop."""

import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_LEAVING: ContextVar[threading.Event | None] = ContextVar("leaving", default=None)


class CallCancelledError(Exception):
    """Ends a call that is only looking, once nobody waits for its result any more."""


def is_cancelled() -> bool:
    """Whether this thread's call has been cancelled. What changes nothing asks that several times a second."""
    leaving = _LEAVING.get()
    return leaving is not None and leaving.is_set()


def check_cancelled() -> None:
    """CallCancelledError if so."""
    if is_cancelled():
        raise CallCancelledError


async def run_in_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs `call` in a thread; when cancelled, tells it so and waits for its end: no half-done effect outlives it."""
    import asyncio  # slow to load, and lists need none

    def work_quietly() -> R | None:
        with suppress(CallCancelledError):  # nobody waits for the result
            return call(*args, **kwargs)
        return None

    leaving = threading.Event()
    outer = _LEAVING.set(leaving)
    work = asyncio.ensure_future(asyncio.to_thread(work_quietly))  # takes its context along
    _LEAVING.reset(outer)
    try:
        return cast("R", await asyncio.shield(work))
    except asyncio.CancelledError:
        leaving.set()
        await asyncio.wait({work})
        raise
