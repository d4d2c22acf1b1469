"""A call that only looks ends when nobody waits for it any more, also in the middle of its own work."""

import asyncio
import threading
from contextlib import suppress

import pytest

from loopwright.core.threads import CallCancelledError, look_in_thread


def test_an_endless_call_is_ended() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        try:
            while True:
                with suppress(ValueError):
                    int("no number")
        finally:
            ended.set()

    async def cancelled() -> None:
        task = asyncio.ensure_future(look_in_thread(work))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert ended.is_set()


def test_one_that_takes_the_error_for_its_own_is_ended_again() -> None:
    begun = threading.Event()
    taken: list[CallCancelledError] = []

    def work() -> None:
        while len(taken) < 2:
            begun.set()
            try:
                while True:
                    pass
            except CallCancelledError as error:
                taken.append(error)

    async def cancelled() -> None:
        task = asyncio.ensure_future(look_in_thread(work))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        await asyncio.wait({task})

    asyncio.run(cancelled())
    assert len(taken) == 2


def test_answers_and_errors_come_through() -> None:
    assert asyncio.run(look_in_thread(int, "7")) == 7
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(look_in_thread(int, "x"))
