"""Waiting for what other processes do: for a condition, never for a time."""

import asyncio
import time
from collections.abc import Callable

SOON = 30.0
_BETWEEN = 0.02


def until(holds: Callable[[], bool], seconds: float = SOON) -> None:
    """Returns as soon as it holds; fails after half a minute, unless that is known to take longer."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(_BETWEEN)


async def soon(holds: Callable[[], bool]) -> None:
    """The same for coroutines."""
    deadline = time.monotonic() + SOON
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(_BETWEEN)
