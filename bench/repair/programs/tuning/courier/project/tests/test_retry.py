import asyncio

import pytest

from courier import GaveUp, Policy, Reject, attempt


def flaky(*outcomes):
    left = list(outcomes)

    async def call():
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return call


def policy(waits=None, **more):
    async def sleep(seconds):
        if waits is not None:
            waits.append(seconds)

    return Policy(sleep=sleep, **more)


def test_success_at_once():
    assert asyncio.run(attempt(flaky("ok"), policy())) == ("ok", 1)


def test_success_in_the_end():
    call = flaky(OSError("1"), OSError("2"), "ok")
    assert asyncio.run(attempt(call, policy(retries=2))) == ("ok", 3)


def test_giving_up():
    call = flaky(OSError("1"), OSError("2"), OSError("3"), "too late")
    with pytest.raises(GaveUp, match="gave up after 3 tries: 3") as caught:
        asyncio.run(attempt(call, policy(retries=2)))
    assert isinstance(caught.value.cause, OSError)


def test_no_retries_passes_the_error_on():
    with pytest.raises(OSError, match="1"):
        asyncio.run(attempt(flaky(OSError("1")), policy()))


@pytest.mark.parametrize("error", [Reject("no"), KeyError("x")])
def test_some_errors_are_final(error):
    with pytest.raises(type(error)):
        asyncio.run(attempt(flaky(error, "never"), policy(retries=5, on=(OSError, Reject))))


def test_waits_grow_up_to_a_limit():
    waits = []
    call = flaky(*[OSError()] * 5, "ok")
    asyncio.run(attempt(call, policy(waits, retries=5, delay=1.0, factor=3.0, longest=20.0)))
    assert waits == [1.0, 3.0, 9.0, 20.0, 20.0]


def test_no_delay_no_wait():
    waits = []
    asyncio.run(attempt(flaky(OSError(), "ok"), policy(waits, retries=1)))
    assert waits == []


def test_failures_are_told():
    told = []

    async def note(count, error):
        told.append((count, str(error)))

    asyncio.run(attempt(flaky(OSError("a"), OSError("b"), "ok"), policy(retries=2), note))
    assert told == [(1, "a"), (2, "b")]
