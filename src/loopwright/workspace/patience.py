"""How long a program may run, be silent, or stay when its work is done."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Cut = Literal["timeout", "silence", "lingering"]
"""Why a program was ended by us: it took too long, it showed no sign of life, it was done and did not leave."""

_LOOK = 0.5

WORDS: dict[Cut, str] = {
    "timeout": "took longer than {timeout:g} s and was ended (setting {setting})",
    "silence": "gave no sign of life for {silence:g} s and was ended (setting silence_timeout)",
    "lingering": "was done, did not exit within {farewell:g} s, and was ended",
}
"""What to say of a program that was cut; `setting` is the one that holds the timeout."""


@dataclass(frozen=True)
class Patience:
    """Seconds: `timeout` for all of it, `silence` between two signs of life (0: no limit), `farewell` to exit.

    A sign of life is output, or a new value of `progress`, the time when the program last wrote what it has done.
    `is_done`: whether it says that its work is done; it is asked in a thread.
    """

    timeout: float
    silence: float = 0
    farewell: float = 10
    progress: Callable[[], float] = lambda: 0.0
    is_done: Callable[[], bool] = lambda: False

    def told(self, cut: Cut, setting: str) -> str:
        """What became of the program, in words that follow its name."""
        return WORDS[cut].format(timeout=self.timeout, silence=self.silence, farewell=self.farewell, setting=setting)


async def reached(patience: Patience, printed: Callable[[], int], is_lingering: Callable[[], bool]) -> Cut:
    """Waits until one of the limits is reached. `printed` counts the bytes of output so far.

    `is_lingering` is asked in a thread, once after each progress, when none has followed for `farewell` seconds.
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
        if progress and now - moved >= patience.farewell and not was_asked:
            was_asked = True
            if await asyncio.to_thread(is_lingering):
                return "lingering"
