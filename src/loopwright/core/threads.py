"""Blocking port calls, off the event loop."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def run_in_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs `call` in a thread; when cancelled, still waits for it, so that no half-done effect outlives the step."""
    import asyncio  # slow to load, and lists need none

    work = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise
