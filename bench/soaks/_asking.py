"""A client of the HTTP API: plain http.client, one connection that is kept."""

import http.client
from dataclasses import dataclass, field
from typing import Any

import orjson

Json = Any  # parsed JSON


@dataclass(frozen=True)
class Answer:
    status: int
    body: Json
    etag: str | None

    @property
    def data(self) -> Json:
        return self.body["data"]


@dataclass
class Client:
    """Not for several threads."""

    port: int
    token: str
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def ask(self, method: str, path: str, body: Json = None, if_match: str | None = None) -> Answer:
        """OSError or HTTPException where no whole answer came: then it may have been done or not."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if if_match is not None:
            headers["If-Match"] = if_match
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self._connection.request(method, path, None if body is None else orjson.dumps(body), headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        return Answer(answer.status, orjson.loads(text), answer.headers["etag"])

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
