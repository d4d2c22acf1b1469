"""News posted to an address."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loopwright import __version__
from loopwright.domain.notices import Letter
from loopwright.ports import Clock

if TYPE_CHECKING:
    import httpx2

SECONDS = 10.0
"""How long one try may take."""
PAUSES = (1.0, 4.0)
"""Seconds before the second and the third try."""
AGAIN = frozenset({408, 425, 429})
"""Refusals that may pass, as those from 500 on may; others do not."""


@dataclass(frozen=True)
class Webhook:
    """Implements ports.Notifier: JSON by POST. The address may hold a key: only its host is ever told.

    It follows no redirect: what was meant for one host is given to no other.
    """

    url: str
    clock: Clock
    seconds: float = SECONDS

    async def notify(self, letter: Letter) -> str | None:
        import httpx2

        body = letter.model_dump_json().encode()
        headers = {"content-type": "application/json", "user-agent": f"loopwright/{__version__}"}
        async with httpx2.AsyncClient(timeout=self.seconds, headers=headers) as client:
            for pause in (*PAUSES, None):
                problem, may_pass = await self._try(client, body)
                if problem is None or not may_pass:
                    return problem
                if pause is not None:
                    await self.clock.sleep(pause)
        return f"{problem} (tried {len(PAUSES) + 1} times)"

    async def _try(self, client: "httpx2.AsyncClient", body: bytes) -> tuple[str | None, bool]:
        """What was wrong, and whether another try may help. The answer's text is not read."""
        import httpx2

        host = urlsplit(self.url).hostname
        try:
            async with asyncio.timeout(self.seconds), client.stream("POST", self.url, content=body) as response:
                status = response.status_code
        except (TimeoutError, httpx2.TimeoutException):
            return f"notify_url: {host} did not answer within {self.seconds:g} s", True
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            return f"notify_url: {host} can not be reached ({type(error).__name__})", True
        if status < 300:
            return None, False
        if status < 400:
            return f"notify_url: {host} points elsewhere ({status}); give the address that it points to", False
        return f"notify_url: {host} answered {status}", status >= 500 or status in AGAIN
