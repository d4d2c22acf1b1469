"""Blocking port calls, off the event loop."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_LEAVING: ContextVar[threading.Event | None] = ContextVar("leaving", default=None)


_FIRST_WORDS = 2.0
"""Seconds after which a call tells how far it is; then whenever they have doubled."""


@dataclass
class _Listener:
    tell: Callable[[str], None]
    since: float = field(default_factory=time.monotonic)
    told: int = 0


_LISTENER: ContextVar[_Listener | None] = ContextVar("listener", default=None)


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


@contextmanager
def hear_calls(tell: Callable[[str], None]) -> Iterator[None]:
    """What calls in threads tell while it lasts is heard in this one."""
    import asyncio

    loop = asyncio.get_running_loop()

    def pass_on(words: str) -> None:
        loop.call_soon_threadsafe(tell, words)

    token = _LISTENER.set(_Listener(pass_on))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(words: str) -> None:
    """Whoever waits for this thread's call hears it, if they listen."""
    if (listener := _LISTENER.get()) is not None:
        listener.tell(words)


def tell_progress(words: str, *args: object) -> None:
    """The same of how far the call is (formatted with `args`), where it has taken long since the last time."""
    listener = _LISTENER.get()
    if listener is not None and time.monotonic() - listener.since >= _FIRST_WORDS * 2**listener.told:
        listener.told += 1
        listener.tell(words.format(*args))


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


_AGAIN = 0.2
"""Seconds after which a call that goes on is ended once more: it may have taken the error for one of its own."""


async def look_in_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """As `run_in_thread`, for what changes nothing: when cancelled, it ends between two instructions of its own."""
    import asyncio

    mutex, at_work = threading.Lock(), set[int]()

    def looking() -> R:
        thread = threading.get_ident()
        try:
            with mutex:
                at_work.add(thread)
            return call(*args, **kwargs)
        finally:
            with mutex:
                at_work.clear()

    work = asyncio.ensure_future(run_in_thread(looking))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        work.cancel()
        while not work.done():
            with mutex:
                for thread in at_work:
                    _end_call(thread)
            await asyncio.wait({work}, timeout=_AGAIN)
        raise


def _end_call(thread: int) -> None:
    """Raises CallCancelledError there, as soon as it runs Python's own instructions."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(CallCancelledError))


@contextmanager
def in_thread(serve: Callable[[threading.Event], None]) -> Iterator[None]:
    """Has it serve in a thread of its own while this lasts; the event says that it is over."""
    ended = threading.Event()
    thread = threading.Thread(target=serve, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
