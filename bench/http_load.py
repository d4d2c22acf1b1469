"""A client that asks as fast as a server answers: requests made beforehand, one thread."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, cast

import uvloop

HEAD_END = b"\r\n\r\n"
LAST_CHUNK = b"\r\n0\r\n\r\n"


class Load(NamedTuple):
    """What came of a round: `taken` in microseconds, one for each answer; the bytes of the last one."""

    taken: list[float]
    seconds: float
    last: bytes

    @property
    def per_second(self) -> float:
        return len(self.taken) / self.seconds

    def percentile(self, part: float) -> float:
        return sorted(self.taken)[min(len(self.taken) - 1, int(len(self.taken) * part))]


class _Round:
    """What all clients of a round have in common; `done` once it is over, or has failed."""

    def __init__(self, seconds: float, asked: Callable[[int, int], bytes]) -> None:
        self.asked, self.taken, self.last = asked, list[float](), b""
        self.begun, self.end = 0, 0
        self._seconds = seconds
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def begin(self) -> None:
        self.begun = time.perf_counter_ns()
        self.end = self.begun + int(self._seconds * 1e9)

    def fail(self, words: str) -> None:
        if not self.done.done():
            self.done.set_exception(AssertionError(words))


class _Client(asyncio.Protocol):
    """One connection that is kept alive, with one request under way."""

    def __init__(self, number: int, whole: _Round) -> None:
        self._number, self._round = number, whole
        self._count, self._sent, self._answer = 0, 0, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._round.fail(f"the server hung up after {self._answer[:200]!r}")

    def ask(self) -> None:
        self._answer, self._sent = b"", time.perf_counter_ns()
        self._transport.write(self._round.asked(self._number, self._count))
        self._count += 1

    def data_received(self, data: bytes) -> None:
        answer = self._answer = self._answer + data
        if not _is_whole(answer):
            return
        now, whole = time.perf_counter_ns(), self._round
        if not answer.startswith(b"HTTP/1.1 2"):
            whole.fail(f"not a success: {answer[:600]!r}")
        elif not whole.done.done():
            whole.taken.append((now - self._sent) / 1000)
            whole.last = answer
            if now < whole.end:
                self.ask()
            else:
                whole.done.set_result(None)


def _is_whole(answer: bytes) -> bool:
    end = answer.find(HEAD_END)
    if end < 0:
        return False
    head = answer[:end].lower()
    if b"transfer-encoding: chunked" in head:
        return answer.endswith(LAST_CHUNK)
    at = head.index(b"content-length:") + len(b"content-length:")
    stop = head.find(b"\r", at)
    return len(answer) >= end + len(HEAD_END) + int(head[at : stop if stop >= 0 else None])


def request(method: str, path: str, address: tuple[str, int], token: str, body: bytes = b"") -> bytes:
    """All of one request, as a browser's script or a program would send it."""
    lines = [
        f"{method} {path} HTTP/1.1", f"Host: {address[0]}:{address[1]}", f"Authorization: Bearer {token}",
        "Accept: application/json", "User-Agent: bench",
    ]  # fmt: skip
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def load(address: tuple[str, int], clients: int, seconds: float, asked: Callable[[int, int], bytes]) -> Load:
    """`asked(client, n)` is what a client sends as its n-th request; one at least. Every answer has to be a success."""
    return uvloop.run(_load(address, clients, seconds, asked))


async def _load(address: tuple[str, int], clients: int, seconds: float, asked: Callable[[int, int], bytes]) -> Load:
    loop = asyncio.get_running_loop()
    whole = _Round(seconds, asked)
    made = [await loop.create_connection(partial(_Client, n, whole), *address) for n in range(clients)]
    whole.begin()
    for _, client in made:
        client.ask()
    await whole.done
    ended = time.perf_counter_ns()
    for transport, _ in made:
        transport.abort()
    return Load(whole.taken, (ended - whole.begun) / 1e9, whole.last)
