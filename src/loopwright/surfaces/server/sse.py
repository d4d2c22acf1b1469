"""Server-sent events as bytes, and the answer that sends them as long as somebody reads.

Not the one of sse-starlette: that one patches uvicorn for the whole process, looks twice a second whether the server
ends, and writes event by event; this one sends what has gathered at once, and is ended from outside.
"""

import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import NamedTuple

import anyio
import orjson
from anyio import CancelScope
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from loopwright.core.errors import Invalid
from loopwright.surfaces.server.api_response import make_refusal

MOST_STREAMS = 200

RETRY = b"retry: 1000\n"
"""Milliseconds until a browser connects again."""
PING_SECONDS = 15.0
WRITE_SECONDS = 30.0
"""A client that takes nothing for so long is left to itself; it comes back where it was."""
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


def encode_event(event: str, data: Mapping[str, object], id: str) -> bytes:
    """One event. What JSON writers give has no line break."""
    return b"event: %s\nid: %s\ndata: %s\n\n" % (event.encode(), id.encode(), orjson.dumps(data))


def encode_opening(id: str) -> bytes:
    """Tells the browser where it is, and is no event."""
    return RETRY + f"id: {id}\n\n".encode()


def encode_ping(id: str) -> bytes:
    """A sign of life, that also says how far everything has been told."""
    return f": \nid: {id}\n\n".encode()


def encode_reset(id: str) -> bytes:
    """What was missed cannot be told any more."""
    return encode_event("reset", {}, id)


class StreamRegistry:
    """All that are being sent: how many they may be, and how they end with the server."""

    def __init__(self, most: int = MOST_STREAMS) -> None:
        self._most = most
        self._endings: set[CancelScope] = set()
        self._closed = False

    @property
    def open(self) -> int:
        return len(self._endings)

    def refusal(self) -> Response | None:
        if self._closed:
            return make_refusal("the server is ending", 503)
        if self.open >= self._most:
            return make_refusal(f"too many streams at once (at most {self._most}); close some", 429)
        return None

    @contextmanager
    def counted(self, ending: CancelScope) -> Iterator[None]:
        self._endings.add(ending)
        try:
            yield
        finally:
            self._endings.discard(ending)

    def close(self) -> None:
        """Ends them all, and takes no more."""
        self._closed = True
        for ending in tuple(self._endings):
            ending.cancel()


class EventStream(StreamingResponse):
    """Sends what `blocks` gives until that ends, the client goes or takes nothing any more, or the server ends."""

    media_type = "text/event-stream"

    def __init__(self, blocks: AsyncGenerator[bytes, None], streams: StreamRegistry) -> None:
        super().__init__(blocks, headers=HEADERS)
        self._blocks, self._streams = blocks, streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if refusal := self._streams.refusal():
            await refusal(scope, receive, send)
            return
        with anyio.CancelScope() as ending, self._streams.counted(ending):

            async def send_in_time(message: Message) -> None:
                with anyio.move_on_after(WRITE_SECONDS) as patience:
                    await send(message)
                if patience.cancelled_caught:
                    ending.cancel()

            async with aclosing(self._blocks):
                await super().__call__(scope, receive, send_in_time)
        if ending.cancelled_caught:
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await send({"type": "http.response.body", "body": b"", "more_body": False})


_FORM = re.compile(r"(0|[1-9][0-9]{0,15})((?:\.(?:0|[1-9][0-9]{0,15})){0,8})", re.ASCII)

_PLACE = re.compile(r"([0-9a-f]{16})\.(0|[1-9][0-9]{0,15})\.(0|[1-9][0-9]{0,15})", re.ASCII)


class StreamPosition(NamedTuple):
    """In the stream of one run: after the journal's entry `seq`, and so many bytes of each of its transcripts.

    Without offsets: at the lines that were written after that entry.
    """

    seq: int
    offsets: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ".".join(map(str, (self.seq, *self.offsets)))


def parse_position(text: str, name: str, transcripts: int) -> StreamPosition:
    """Invalid for what no event's id says; `name` is what it was given as. `transcripts`: how many there are."""
    found = _FORM.fullmatch(text)
    offsets = tuple(map(int, found[2].split(".")[1:])) if found else ()
    if found is None or len(offsets) not in (0, transcripts):
        form, such = "SEQ" + ".OFFSET" * transcripts, "12" + ".3400" * transcripts
        raise Invalid(f"{name}: an event's id is SEQ or {form}, such as {such} (got {text[:60]!r})")
    return StreamPosition(int(found[1]), offsets)


class LogPosition(NamedTuple):
    """In the stream of all loops: in the record `number` of that feed, behind its entry `seq`."""

    feed: str
    number: int
    seq: int

    def __str__(self) -> str:
        return f"{self.feed}.{self.number}.{self.seq}"


def parse_log_position(text: str) -> LogPosition:
    """Invalid for what no event's id says."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise Invalid(f"Last-Event-ID: not the id of an event of this stream (got {text[:60]!r})")
    return LogPosition(found[1], int(found[2]), int(found[3]))
