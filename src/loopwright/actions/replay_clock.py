"""The time of a replay."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from loopwright.ports import Clock


class ReplayClock:
    """The time as it was, and the chances as they fell; it never waits."""

    def __init__(self, real: Clock) -> None:
        self._real, self._now = real, datetime.fromisoformat("1970-01-01T00:00:00+00:00")
        self._tokens: list[str] = []

    def set(self, at: str, ids: Sequence[str]) -> None:
        """An action begins; `ids` end with the digits that were drawn in it."""
        self._now = max(self._now, datetime.fromisoformat(at))
        self._tokens = [id.rpartition("-")[2] * 4 for id in ids]

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def monotonic(self) -> float:
        return self._real.monotonic()

    def token(self) -> str:
        return self._tokens.pop(0) if self._tokens else self._real.token()

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        await asyncio.sleep(0)
