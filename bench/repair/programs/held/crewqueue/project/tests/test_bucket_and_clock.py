import asyncio

import pytest

from crewqueue import ManualClock, TokenBucket


def test_bucket_starts_full(clock):
    bucket = TokenBucket(1, 2, clock)
    assert [bucket.take(), bucket.take(), bucket.take()] == [True, True, False]


def test_bucket_refills_with_time(clock):
    bucket = TokenBucket(0.5, 2, clock)
    bucket.take(2)
    clock.advance(1)
    assert not bucket.take()
    clock.advance(1)
    assert bucket.take()


def test_bucket_never_holds_more_than_its_capacity(clock):
    bucket = TokenBucket(10, 3, clock)
    clock.advance(60)
    assert bucket.tokens == 3
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_wait_time(clock):
    bucket = TokenBucket(2, 4, clock)
    assert bucket.wait_time(4) == 0
    bucket.take(4)
    assert bucket.wait_time(1) == 0.5
    clock.advance(0.25)
    assert bucket.wait_time(2) == 0.75


@pytest.mark.parametrize("rate, capacity", [(0, 1), (-1, 1), (1, 0)])
def test_bad_bucket(clock, rate, capacity):
    with pytest.raises(ValueError):
        TokenBucket(rate, capacity, clock)


def test_bucket_refuses_more_than_it_can_hold(clock):
    with pytest.raises(ValueError):
        TokenBucket(1, 2, clock).take(3)


def test_sleepers_wake_in_order():
    async def main():
        clock = ManualClock(100)
        woken = []

        async def sleeper(name, seconds):
            await clock.sleep(seconds)
            woken.append((name, clock.now()))

        tasks = [asyncio.ensure_future(sleeper(*pair)) for pair in [("c", 3), ("a", 1), ("b", 1)]]
        await asyncio.sleep(0)
        assert clock.next_wake == 101
        clock.advance(2)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert woken == [("a", 102), ("b", 102)]
        clock.advance(1)
        await asyncio.gather(*tasks)
        return woken

    assert asyncio.run(main())[-1] == ("c", 103)
