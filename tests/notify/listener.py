"""An HTTP server of our own that answers as it is told: real sockets, and whatever one meets out there."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

SILENCE = 0
"""Instead of a status: nothing is ever answered."""
FLOOD = 1
"""A success whose text never ends."""


@dataclass
class Listener:
    """`answers` are statuses in order, the last one for ever; `heard` the bodies, `heads` the requests' heads."""

    answers: Sequence[int]
    port: int = 0
    heard: list[Any] = field(default_factory=list)  # Any: parsed JSON
    heads: list[str] = field(default_factory=list)

    def url(self, rest: str = "/hook", user: str = "") -> str:
        return f"http://{user}127.0.0.1:{self.port}{rest}"

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head.decode(), reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            writer.close()

    async def _answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = next(int(line[15:]) for line in head.lower().splitlines() if line.startswith("content-length:"))
        self.heard.append(json.loads(await reader.readexactly(length)))
        self.heads.append(head)
        status = self.answers[min(len(self.heard), len(self.answers)) - 1]
        if status == SILENCE:
            await asyncio.Event().wait()
        if status == FLOOD:
            writer.write(b"HTTP/1.1 200 x\r\ncontent-length: 999999999999\r\n\r\n")
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()
        more = f"location: {self.url('/elsewhere')}\r\n" if 300 <= status < 400 else ""
        writer.write(f"HTTP/1.1 {status} x\r\ncontent-length: 0\r\n{more}\r\n".encode())
        await writer.drain()


@asynccontextmanager
async def listening(*answers: int) -> AsyncIterator[Listener]:
    """Until the block ends; whoever still waits for an answer then is cut off."""
    listener, talks = Listener(answers), set[asyncio.Task[None]]()

    async def begun(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks.add(task)
        await listener.talk(reader, writer)

    server = await asyncio.start_server(begun, "127.0.0.1", 0)
    listener.port = server.sockets[0].getsockname()[1]
    try:
        yield listener
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
