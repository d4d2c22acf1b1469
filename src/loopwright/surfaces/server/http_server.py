"""The server process: where it listens, and how it ends."""

import signal
import socket
from asyncio import TimerHandle, Transport
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from types import FrameType
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from loopwright.core.errors import Invalid
from loopwright.surfaces.server.gate import GateRules

PATIENCE = 10.0
"""Seconds until the head of a request has to be there."""
LONGEST_HEAD = 1 << 16
"""Bytes."""
TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)


class HttpProtocol(HttpToolsProtocol):
    """A head that does not come within PATIENCE, or goes on beyond LONGEST_HEAD, ends its connection.

    uvicorn has no limit for either: by itself it has taken a head of 32 MB, and waits for one as long as it may take.
    """

    _is_in_head = False
    _head = 0
    _request = b""
    """What came as one piece while nothing else was under way."""
    _waiting: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._request = data if self._is_at_rest else b""
        if self._request and (answer := self.app_state["repeated"].answer(data)) is not None:
            self._wait_no_more()
            self.transport.write(answer)
            self.on_response_complete()
            return
        super().data_received(data)
        if not self._is_in_head:
            self._wait_no_more()
            return
        self._head += len(data)
        if self._head > LONGEST_HEAD:
            self.transport.write(TOO_LONG)
            self.transport.close()
        elif self._waiting is None:
            self._wait()

    def on_message_begin(self) -> None:
        self._is_in_head, self._head = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        super().on_headers_complete()
        self.scope["state"]["request"] = self._request

    @property
    def _is_at_rest(self) -> bool:
        """Whether what comes next is the beginning of a request, and nothing has to be sent before its answer."""
        before = self.cycle
        is_over = before is None or (before.response_complete and not before.more_body)
        return is_over and not (self._is_in_head or self.flow.write_paused or self.transport.is_closing())

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(PATIENCE, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
HTTP = 80
"""The port that browsers leave out."""
CONNECTIONS = 800
"""At the same time; one more is told to come again. A process can usually open 1,024 files."""


@dataclass(frozen=True)
class ListenAddress:
    """Where the server listens; port 0 lets the system choose one."""

    host: str
    port: int

    @property
    def is_local(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_everywhere(self) -> bool:
        """Whether it listens on every address of the machine."""
        return not self.is_local and self.host in ("0.0.0.0", "::", "")

    def rules(self, token: str, allowed: Sequence[str] = ()) -> GateRules:
        """The names under which this server may be asked; `allowed` are those that somebody added."""
        names = {self._own.lower()} | {name.lower() for name in allowed}
        if self.is_local:
            names |= {*LOCAL_NAMES}
        elif self.is_everywhere:
            names |= {*LOCAL_NAMES, socket.gethostname().lower()}
        hosts = {f"{name}:{self.port}" for name in names} | {name.lower() for name in allowed}
        if self.port == HTTP:
            hosts |= names
        return GateRules(token, frozenset(hosts), self.port, any_address=self.is_everywhere)

    def url(self, token: str) -> str:
        """To open on this machine."""
        own = "127.0.0.1" if self.is_everywhere else self._own
        return f"http://{own}:{self.port}/?token={quote(token, safe='')}"

    @property
    def _own(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def bind_socket(place: ListenAddress) -> tuple[socket.socket, ListenAddress]:
    """The socket that listens there. Invalid where that cannot be."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((place.host, place.port))
    except OSError as error:
        listening.close()
        raise Invalid(
            f"cannot listen on {place.host}:{place.port}: {error.strerror}; "
            "is a server running there? --port names another"
        ) from error
    listening.listen(2048)
    listening.set_inheritable(False)
    return listening, ListenAddress(place.host, listening.getsockname()[1])


class HttpServer(uvicorn.Server):
    """Ends streams before it waits for the last answers, and without a signal to itself: there is more to close."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if ending := self.lifespan.state.get("ending"):
            ending()
        await super().shutdown(sockets)


def serve_app(app: ASGIApp, listening: socket.socket) -> None:
    """Answers until it is interrupted or terminated."""
    config = uvicorn.Config(
        app,
        http=HttpProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=3,
        limit_concurrency=CONNECTIONS,
    )
    HttpServer(config).run(sockets=[listening])
