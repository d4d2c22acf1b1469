"""A clock that moves when it is told to."""

import asyncio
import heapq
from itertools import count


class ManualClock:
    """Time in seconds; ``sleep`` registers, ``advance`` wakes the sleepers in order."""

    def __init__(self, start=0.0):
        self._now = start
        self._sleepers = []
        self._order = count()

    def now(self):
        return self._now

    async def sleep(self, seconds):
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._order), future))
        await future

    @property
    def next_wake(self):
        """When the next sleeper is due; None when nobody sleeps."""
        return self._sleepers[0][0] if self._sleepers else None

    def advance(self, seconds):
        """Move forward and wake everybody who is due by then."""
        self.move_to(self._now + seconds)

    def move_to(self, moment):
        self._now = max(self._now, moment)
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)
