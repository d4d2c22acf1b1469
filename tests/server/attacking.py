"""The real server in a process of its own, and what an attacker sends: bytes, as they are."""

import contextlib
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

TOKEN = "a-token-that-nobody-guesses"
LOOPS = "/api/loops/v2"
SAFE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class Heard:
    """An answer, or as much of it as came; status 0 where the server hung up without one."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known == name), None)

    @property
    def json(self) -> Any:  # Any: parsed JSON
        return orjson.loads(self.body)


@dataclass
class Attacked:
    port: int
    project: Path
    log: Path
    process: "subprocess.Popen[str]" = field(repr=False)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return f"loopwright_token_{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=15)

    def send(self, data: bytes) -> Heard:
        """Exactly these bytes, and the first answer to them."""
        with self.connect() as wire:
            with contextlib.suppress(OSError):  # it may hang up in between, with or without an answer
                wire.sendall(data)
            return answer(wire)

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, *, token: str | None = TOKEN,
        host: str | None = "", kind: str | None = "application/json", **headers: str,
    ) -> Heard:  # fmt: skip
        """A request whose every part may be wrong; the header `some_name` is sent as `some-name`."""
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [] if host is None else [f"Host: {host or self.host}"]
        lines += [f"Authorization: Bearer {token}"] if token else []
        lines += [f"Content-Length: {len(body)}"] if body is not None else []
        lines += [f"Content-Type: {kind}"] if body is not None and kind else []
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b""))

    def create(self, title: str = "A loop", **more: object) -> Heard:
        return self.ask(LOOPS, "POST", orjson.dumps({"title": title, "agent": "builtin", **more}))

    @property
    def is_well(self) -> bool:
        return self.process.poll() is None and self.ask("/api/health", token=None).status == 200


def answer(wire: socket.socket) -> Heard:
    """Reads one whole answer, or to the end."""
    data = b""
    while True:
        head, found, body = data.partition(b"\r\n\r\n")
        if found:
            status, *lines = head.decode("latin-1").split("\r\n")
            headers = tuple((n.lower(), v.strip()) for n, _, v in (line.partition(":") for line in lines))
            length = next((int(value) for name, value in headers if name == "content-length"), None)
            if length is not None and len(body) >= length:
                return Heard(int(status.split()[1]), headers, body[:length])
        try:
            more = wire.recv(1 << 16)
        except OSError:
            more = b""
        if not more:
            return Heard(int(status.split()[1]), headers, body) if found else Heard(0, (), data)
        data += more


@contextmanager
def attacked_server(base: Path, *options: str) -> Iterator[Attacked]:
    project, log = base / "shop", base / "log"
    project.mkdir()
    argv = [
        sys.executable, "-m", "loopwright", "serve", "--port", "0", "--token", TOKEN, "--project", str(project),
        *options,
    ]  # fmt: skip
    environment = {**os.environ, "XDG_STATE_HOME": str(base / "state")}
    with log.open("w") as errors:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
    try:
        assert process.stdout is not None
        said = re.search(r":(\d+)/", process.stdout.readline())
        assert said, log.read_text()
        yield Attacked(int(said[1]), project, log, process)
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout:
            process.stdout.close()
