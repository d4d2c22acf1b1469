import asyncio

import pytest

from crewqueue import Crew, ManualClock


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def log():
    return []


@pytest.fixture
def work(clock, log):
    """Makes async functions that take some time and write into the log."""

    def make(seconds=0, fail_times=0, error=ValueError):
        left = [fail_times]

        async def function(name="job"):
            log.append((clock.now(), name))
            await clock.sleep(seconds)
            if left[0] > 0:
                left[0] -= 1
                raise error(name)
            return f"{name} ok"

        return function

    return make


@pytest.fixture
def crew(clock):
    return Crew(workers=1, clock=clock)


@pytest.fixture
def run():
    return lambda crew: asyncio.run(crew.run())
