"""One connection: as uvicorn has it, with an end to what somebody takes their time for, or never ends."""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PATIENCE = 10.0
"""Seconds until the head of a request has to be there."""
LONGEST_HEAD = 1 << 16
"""Bytes."""
TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)


class Wire(HttpToolsProtocol):
    """A head that does not come within PATIENCE, or goes on beyond LONGEST_HEAD, ends its connection."""

    _is_in_head = False
    _head = 0
    _waiting: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
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

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(PATIENCE, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
