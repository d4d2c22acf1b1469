import asyncio

import pytest

from flowgate import AsyncGate, CostTooHigh, SlidingWindow, TokenBucket


def make_gate(clock, capacity=1, **settings):
    return AsyncGate(TokenBucket(capacity, 1, clock), clock.sleep, **settings)


def test_acquire_waits(clock):
    async def main():
        gate = make_gate(clock)
        return [await gate.acquire() for _ in range(3)], gate.waited

    assert asyncio.run(main()) == ([0.0, 1.0, 1.0], 2.0)
    assert clock.now == 1002.0


def test_callers_pass_in_order(clock):
    async def main():
        gate = make_gate(clock)
        passed = []

        async def caller(name):
            await gate.acquire()
            passed.append((name, clock.now))

        await asyncio.gather(*(caller(name) for name in "abc"))
        return passed

    assert asyncio.run(main()) == [("a", 1000.0), ("b", 1001.0), ("c", 1002.0)]


def test_too_many_waiting(clock):
    async def main():
        gate = make_gate(clock, max_waiting=2)

        async def slow(seconds):
            await asyncio.sleep(0)
            clock.tick(seconds)

        gate.sleep = slow
        await gate.acquire()
        results = await asyncio.gather(
            *(gate.acquire() for _ in range(3)), return_exceptions=True
        )
        return [type(result).__name__ for result in results], gate.waiting

    assert asyncio.run(main()) == (["float", "float", "QueueFull"], 0)


def test_failed_acquire_frees_its_place(clock):
    async def main():
        gate = make_gate(clock, max_waiting=1)
        for _ in range(2):
            with pytest.raises(CostTooHigh):
                await gate.acquire(5)
        return gate.waiting, await gate.acquire()

    assert asyncio.run(main()) == (0, 0.0)


def test_run_returns_the_result(clock):
    async def double(number):
        return number * 2

    async def main():
        return await make_gate(clock).run(double, 4)

    assert asyncio.run(main()) == 8


def test_failed_work_costs_nothing(clock):
    async def fail():
        await asyncio.sleep(0)
        raise KeyError("x")

    async def main():
        gate = make_gate(clock, capacity=3)
        with pytest.raises(KeyError):
            await gate.run(fail, cost=2)
        return gate.limit.check().remaining

    assert asyncio.run(main()) == 3


def test_map_keeps_the_order_and_the_limit(clock):
    async def stamp(item):
        return item, clock.now

    async def main():
        gate = AsyncGate(SlidingWindow(2, 10, clock), clock.sleep)
        return await gate.map(stamp, "abcde")

    result = asyncio.run(main())
    assert [item for item, _ in result] == list("abcde")
    assert max(moment for _, moment in result) == 1020.0


def test_map_of_nothing(clock):
    async def main():
        return await make_gate(clock).map(None, [])

    assert asyncio.run(main()) == []
