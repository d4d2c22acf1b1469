"""A client that asks as fast as a server answers: bare sockets, requests made beforehand, one thread."""

import selectors
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

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


class _Client:
    """One connection that is kept alive, with one request under way."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent = 0
        self._answer = b""

    def ask(self, request: bytes) -> None:
        self._answer, self.sent = b"", time.perf_counter_ns()
        self.socket.sendall(request)

    def answer(self) -> bytes | None:
        """What came, or None while it is not all there."""
        more = self.socket.recv(1 << 20)
        if not more:
            raise ConnectionError(f"the server hung up after {self._answer[:200]!r}")
        self._answer += more
        end = self._answer.find(HEAD_END)
        if end < 0:
            return None
        head = self._answer[:end].lower()
        if b"transfer-encoding: chunked" in head:
            return self._answer if self._answer.endswith(LAST_CHUNK) else None
        at = head.index(b"content-length:") + len(b"content-length:")
        stop = head.find(b"\r", at)
        length = int(head[at : stop if stop >= 0 else None])
        return self._answer if len(self._answer) >= end + len(HEAD_END) + length else None


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
    taken: list[float] = []
    counts = [0] * clients
    last = b""
    with selectors.DefaultSelector() as waiting:
        group = [_Client(address) for _ in range(clients)]
        begun = time.perf_counter()
        for number, client in enumerate(group):
            waiting.register(client.socket, selectors.EVENT_READ, (number, client))
            client.ask(asked(number, 0))
        while (now := time.perf_counter()) - begun < seconds or not taken:
            for key, _ in waiting.select(1):
                number, client = key.data
                answer = client.answer()
                if answer is None:
                    continue
                if not answer.startswith(b"HTTP/1.1 2"):
                    raise AssertionError(f"not a success: {answer[:600]!r}")
                taken.append((time.perf_counter_ns() - client.sent) / 1000)
                last = answer
                counts[number] += 1
                client.ask(asked(number, counts[number]))
        for client in group:
            client.socket.close()
    return Load(taken, now - begun, last)
