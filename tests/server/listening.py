"""A reader of server-sent events that is not ours: plain sockets, the rules of the HTML standard, and reconnecting."""

import http.client
import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import orjson


@dataclass(frozen=True)
class Seen:
    """One event. `at`: when it was received, by time.monotonic."""

    event: str
    id: str
    data: Any  # Any: parsed JSON
    at: float


@dataclass
class Listener:
    """Reads `path` in a thread of its own until it is stopped; comes back with Last-Event-ID whenever it is cut off.

    With `chance` it goes away by itself at random moments. `refused`: statuses that were no 200.
    """

    port: int
    token: str
    path: str
    chance: random.Random | None = None
    seen: list[Seen] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    last_id: str = ""
    connections: int = 0

    def __post_init__(self) -> None:
        self._stopped = False
        self._connection: http.client.HTTPConnection | None = None
        self.connected = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> "Listener":
        self._thread.start()
        assert self.connected.wait(30), (self.path, self.refused)
        return self

    def stop(self) -> None:
        self._stopped = True
        connection = self._connection
        if connection is not None and connection.sock is not None:
            connection.sock.shutdown(2)
        self._thread.join(30)
        assert not self._thread.is_alive()

    def of(self, event: str) -> list[Seen]:
        return [one for one in list(self.seen) if one.event == event]

    def seqs(self) -> dict[str, list[int]]:
        """By loop, what was received of the journal, in order."""
        found = defaultdict[str, list[int]](list)
        for one in self.of("entry"):
            found[one.data["loop_id"]].append(one.data["seq"])
        return dict(found)

    def _run(self) -> None:
        while not self._stopped:
            try:
                self._read()
            except (OSError, http.client.HTTPException, AttributeError, ValueError):
                time.sleep(0.02)

    def _read(self) -> None:
        connection = self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream"}
        if self.last_id:
            headers["Last-Event-ID"] = self.last_id
        try:
            connection.request("GET", self.path, headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                self.refused.append(answer.status)
                time.sleep(0.05)
                return
            assert answer.headers["content-type"].startswith("text/event-stream")
            self.connections += 1
            self._take(answer)
        finally:
            connection.close()

    def _take(self, answer: http.client.HTTPResponse) -> None:
        event, data, last_id, left = "message", list[str](), self.last_id, self._patience()
        while line := answer.readline():
            if self._stopped:
                return
            name, _, value = line.decode().rstrip("\n").partition(":")
            value = value.removeprefix(" ")
            if line == b"\n":
                self.last_id = last_id
                self.connected.set()
                if data:
                    self.seen.append(Seen(event, last_id, orjson.loads("\n".join(data)), time.monotonic()))
                    left -= 1
                event, data = "message", []
                if left <= 0:
                    return
            elif name == "event":
                event = value
            elif name == "data":
                data.append(value)
            elif name == "id":
                last_id = value

    def _patience(self) -> float:
        """Events after which it goes away."""
        return self.chance.choice([1, 2, 5, 20, 100]) if self.chance else float("inf")
