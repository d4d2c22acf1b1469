"""Waiting for a limit in asynchronous code."""

import asyncio


class AsyncGate:
    """Lets callers through one after the other as a limit allows.

    sleep is an async function of seconds. At most max_waiting callers may
    wait; others are turned away at once.
    """

    def __init__(self, limit, sleep=asyncio.sleep, max_waiting=None):
        self.limit = limit
        self.sleep = sleep
        self.max_waiting = max_waiting
        self.waiting = 0
        self.waited = 0.0
        self._lock = asyncio.Lock()

    async def acquire(self, cost=1):
        """Wait until the limit allows cost; seconds that this took."""
        if self._lock.locked() and self.waiting == self.max_waiting:
            raise asyncio.QueueFull
        self.waiting += 1
        try:
            async with self._lock:
                return await self._pass(cost)
        finally:
            self.waiting -= 1

    async def _pass(self, cost):
        spent = 0.0
        while True:
            decision = self.limit.hit(cost)
            if decision.allowed:
                self.waited += spent
                return spent
            await self.sleep(decision.retry_after)
            spent += decision.retry_after

    async def run(self, work, *args, cost=1):
        """Await work(*args) after the gate; a failed call costs nothing."""
        await self.acquire(cost)
        try:
            return await work(*args)
        except Exception:
            self.limit.give_back(cost)
            raise

    async def map(self, work, items, cost=1):
        """Results of work for each item, in the order of the items."""
        tasks = [self.run(work, item, cost=cost) for item in items]
        return list(await asyncio.gather(*tasks))
