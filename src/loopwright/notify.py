"""Ways to tell somebody of news of a loop."""

import asyncio
import socket
import tempfile
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loopwright import __version__
from loopwright.core.errors import Invalid
from loopwright.core.notices import Notification
from loopwright.core.ports import Clock
from loopwright.core.text import clean_line, clip_text, json_line
from loopwright.processes.environment import ALL
from loopwright.processes.process import Patience, ProcessResult, run_group

if TYPE_CHECKING:
    import httpx2


SECONDS = 30.0
OUTPUT = 4000
"""Bytes of what it prints that are looked at."""


@dataclass(frozen=True)
class CommandNotifier:
    """Implements ports.Notifier: the letter on stdin, its main points in the environment; ended with all it started.

    It carries the run's mark: like all that a run starts it cannot permit it anything.
    """

    argv: tuple[str, ...]
    project: Path
    seconds: float = SECONDS

    async def notify(self, letter: Notification) -> str | None:
        try:
            return self._problem(await self._run(letter))
        except (Invalid, OSError) as error:
            return f"notify_command: {error}"

    async def _run(self, letter: Notification) -> ProcessResult:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(json_line(letter.model_dump(mode="json")).encode() + b"\n")
            stdin.seek(0)
            return await run_group(
                self.argv,
                cwd=self.project,
                marker=letter.id,
                patience=Patience(self.seconds),
                env=_environment(letter),
                stdin=stdin.fileno(),
                output_cap=OUTPUT,
                needs=None,
                passed=ALL,
            )

    def _problem(self, ran: ProcessResult) -> str | None:
        if ran.exit_code == 0:
            return None
        if ran.exit_code is None:
            return f"notify_command: {Path(self.argv[0]).name} took longer than {self.seconds:g} s and was ended"
        lines = [clean_line(line) for line in ran.output.splitlines() if line.strip()]
        said = f": {clip_text(lines[-1], 200)}" if lines else ""
        return f"notify_command: {Path(self.argv[0]).name} exited with {ran.exit_code}{said}"


def _environment(letter: Notification) -> dict[str, str]:
    known = {
        "EVENT": letter.event,
        "LOOP_ID" if letter.loop_id else "CYCLE_ID": letter.id,
        "STATUS": letter.status,
        "OUTCOME": letter.outcome or "",
        "TITLE": letter.title,
        "TEXT": letter.text,
    }
    return {f"LOOPWRIGHT_{name}": value.replace("\0", "") for name, value in known.items()}


class PrivateAddressError(Exception):
    """A host on this machine or in a private network, where whoever wrote the settings may have no business."""


async def _public_address(host: str) -> str:
    """One of the host's, once all of them are known to be public. PrivateAddressError, OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = [ip_address(str(place[0]).partition("%")[0]) for *_, place in found]
    for address in addresses:
        inner = getattr(address, "ipv4_mapped", None) or address
        if not inner.is_global or inner.is_multicast:
            raise PrivateAddressError
    return str(addresses[0])


WEBHOOK_SECONDS = 10.0
"""How long one try may take."""
PAUSES = (1.0, 4.0)
"""Seconds before the second and the third try."""
AGAIN = frozenset({408, 425, 429})
"""Refusals that may pass, as those from 500 on may; others do not."""


@dataclass(frozen=True)
class WebhookNotifier:
    """Implements ports.Notifier: JSON by POST. The address may hold a key: only its host is ever told.

    It follows no redirect: what was meant for one host is given to no other. A host that is not among `hosts` must
    have public addresses only; it is looked up once a try, and what was checked is what is connected to.
    """

    url: str
    clock: Clock
    seconds: float = WEBHOOK_SECONDS
    hosts: tuple[str, ...] = ()

    async def notify(self, letter: Notification) -> str | None:
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

        host = urlsplit(self.url).hostname or ""
        try:
            url = httpx2.URL(self.url)
            async with asyncio.timeout(self.seconds):
                to = url if host in self.hosts else url.copy_with(host=await _public_address(host))
                named = {"host": url.netloc.decode("ascii")}
                more = {"sni_hostname": url.raw_host.decode("ascii")}
                async with client.stream("POST", to, content=body, headers=named, extensions=more) as response:
                    status = response.status_code
        except PrivateAddressError:
            return f"notify_url: {host} is not public; name it in notify_hosts if it is meant", False
        except (TimeoutError, httpx2.TimeoutException):
            return f"notify_url: {host} did not answer within {self.seconds:g} s", True
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            return f"notify_url: {host} cannot be reached ({type(error).__name__})", True
        if status < 300:
            return None, False
        if status < 400:
            return f"notify_url: {host} redirects ({status}); use the address it redirects to", False
        return f"notify_url: {host} answered {status}", status >= 500 or status in AGAIN
