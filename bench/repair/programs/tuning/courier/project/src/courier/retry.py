"""Try again after a failure."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any


class Reject(Exception):
    """Raised by a handler that will not take a message, now or later."""


class GaveUp(Exception):
    def __init__(self, tries: int, cause: Exception):
        super().__init__(f"gave up after {tries} tries: {cause}")
        self.tries = tries
        self.cause = cause


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


@dataclass(frozen=True)
class Policy:
    """How often to try again and how long to wait before that.

    The first wait is ``delay``; each further one is ``factor`` times as long, up to ``longest``.
    """

    retries: int = 0
    delay: float = 0.0
    factor: float = 2.0
    longest: float = 60.0
    on: tuple[type[Exception], ...] = (Exception,)
    sleep: Callable[[float], Awaitable[None]] = _sleep

    def wait(self, failures: int) -> float:
        """Seconds to wait after so many failures."""
        return min(self.delay * self.factor ** (failures - 1), self.longest)

    def again(self, error: Exception, failures: int) -> bool:
        if isinstance(error, Reject) or not isinstance(error, self.on):
            return False
        return failures <= self.retries


async def attempt(
    call: Callable[[], Awaitable[Any]],
    policy: Policy,
    on_failure: Callable[[int, Exception], Awaitable[None]] | None = None,
) -> tuple[Any, int]:
    """The result of a call and how many tries it took.

    Failures that are not to be tried again are passed on; ``GaveUp`` after the last try.
    """
    failures = 0
    while True:
        try:
            return await call(), failures + 1
        except Exception as error:
            failures += 1
            if on_failure is not None:
                await on_failure(failures, error)
            if not policy.again(error, failures):
                if failures > 1:
                    raise GaveUp(failures, error) from error
                raise
            seconds = policy.wait(failures)
            if seconds > 0:
                await policy.sleep(seconds)
