"""The real clock."""

import secrets
import time
from datetime import datetime, timedelta, timezone

from loopwright.domain.errors import Invalid


class SystemClock:
    """The machine's time, written in a fixed offset such as +08:00."""

    def __init__(self, offset: str = "+08:00") -> None:
        self._zone = _zone(offset)

    def now(self) -> datetime:
        return datetime.now(self._zone)

    def monotonic(self) -> float:
        return time.monotonic()

    def token(self) -> str:
        return secrets.token_hex(16)

    async def sleep(self, seconds: float) -> None:
        import asyncio  # slow to load, and most commands of the command line never sleep

        await asyncio.sleep(seconds)


def _zone(offset: str) -> timezone:
    try:
        parsed = datetime.fromisoformat(f"2000-01-01T00:00:00{offset}").utcoffset()
    except ValueError as error:
        raise Invalid(f"timezone: {offset!r} is no offset; write it like +08:00 or Z") from error
    return timezone(parsed or timedelta(0))
