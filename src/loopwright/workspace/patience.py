"""How long a program may run, be silent, or stay when its work is done."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Cut = Literal["timeout", "silence", "lingering"]
"""Why a program was ended by us: it took too long, it showed no sign of life, it was done and did not leave."""

FAREWELL = 10.0
"""Seconds that a program has to exit once it says that its work is done."""

_LOOK = 0.5


@dataclass(frozen=True)
class Patience:
    """`timeout` for all of it, `silence` between two signs of life (0: no limit), both in seconds.

    A sign of life is output, or a new value of `progress`, the time when the program last wrote what it has done.
    `is_done`: whether it says that its work is done; it is asked in a thread.
    """

    timeout: float
    silence: float = 0
    progress: Callable[[], float] = lambda: 0.0
    is_done: Callable[[], bool] = lambda: False


async def reached(patience: Patience, printed: Callable[[], int], is_lingering: Callable[[], bool]) -> Cut:
    """Waits until one of the limits is reached. `printed` counts the bytes of output so far.

    `is_lingering` is asked in a thread, once after each progress, when none has followed for FAREWELL seconds.
    """
    begun = heard = moved = time.monotonic()
    output, progress, was_asked = printed(), patience.progress(), False
    step = min(_LOOK, patience.timeout / 4, patience.silence / 4 or _LOOK)
    while True:
        await asyncio.sleep(step)
        now = time.monotonic()
        if (latest := patience.progress()) != progress:
            progress, moved, heard, was_asked = latest, now, now, False
        if (size := printed()) != output:
            output, heard = size, now
        if now - begun >= patience.timeout:
            return "timeout"
        if patience.silence and now - heard >= patience.silence:
            return "silence"
        if progress and now - moved >= FAREWELL and not was_asked:
            was_asked = True
            if await asyncio.to_thread(is_lingering):
                return "lingering"
