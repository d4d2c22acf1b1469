"""What comes over the wire and is hardly HTTP: slow, endless, doubled, broken off."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.surfaces.server import gate
from loopwright.surfaces.server import http_server as wire
from tests.server.attacking import LOOPS, TOKEN, Attacked, answer, attacked_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with attacked_server(tmp_path_factory.mktemp("wire")) as running:
        yield running
        assert running.is_well
        assert "Traceback" not in running.log.read_text()
        assert TOKEN not in running.log.read_text()


def head(server: Attacked, *lines: str, first: str = f"GET {LOOPS} HTTP/1.1") -> bytes:
    own = (f"Host: {server.host}", f"Authorization: Bearer {TOKEN}")
    return "\r\n".join([first, *own, *lines, "", ""]).encode("latin-1")


def test_slow_heads_and_bodies_end_while_others_are_served(server: Attacked) -> None:
    posted = head(server, "Content-Type: application/json", "Content-Length: 500", first=f"POST {LOOPS} HTTP/1.1")
    begun = time.monotonic()
    silent = [server.connect() for _ in range(100)]
    heads = [server.connect() for _ in range(100)]
    for slow in heads:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
    bodies = [server.connect() for _ in range(100)]
    for slow in bodies:
        slow.sendall(posted + b"{")
    asked = []
    while time.monotonic() - begun < wire.PATIENCE / 2:
        at = time.monotonic()
        assert server.ask(LOOPS).status == 200
        asked.append(time.monotonic() - at)
        for slow in heads:
            slow.sendall(b"x")
    assert sorted(asked)[len(asked) // 2] < 1, "nobody else waits for them"
    for slow in (*silent, *heads):
        slow.settimeout(wire.PATIENCE * 3)
        assert answer(slow).status == 0, "hung up on"
    heard = []
    for slow in bodies:
        slow.settimeout(gate.PATIENCE * 3)
        heard.append(answer(slow).status)
    assert set(heard) == {408}
    assert time.monotonic() - begun < gate.PATIENCE * 2
    for slow in (*silent, *heads, *bodies):
        slow.close()


@pytest.mark.parametrize(
    "line",
    ["X: " + "a" * 70_000, "\r\n".join(f"X-{n}: {'a' * 60}" for n in range(1_200)), "Cookie: " + "a=b; " * 20_000],
)
def test_a_head_that_goes_on(server: Attacked, line: str) -> None:
    assert server.send(head(server, line)[:-2]).status in (400, 431)


def memory(server: Attacked) -> int:
    """In kilobytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())
    assert found
    return int(found[1])


def test_an_endless_head_is_not_kept(server: Attacked) -> None:
    before = memory(server)
    with server.connect() as endless:
        try:
            for _ in range(2_000):
                endless.sendall(b"X: " + b"a" * 65_000 + b"\r\n")
        except OSError:
            pass
        else:
            raise AssertionError("it took 130 MB of headers")
    assert memory(server) - before < 20_000, "kilobytes"


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 2", "Transfer-Encoding: chunked"), ("Content-Length: 2", "Content-Length: 3"),
        ("Content-Length: 2", "Content-Length: 2"), ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: xchunked",), ("Transfer-Encoding : chunked",), ("Transfer-Encoding: gzip",),
        (" Content-Length: 2",), ("Content-Length : 2",), ("Transfer-Encoding:\x0bchunked",),
        ("Content-Length: 2", "transfer-encoding: chunked", "Transfer-Encoding: identity"),
    ],
)  # fmt: skip
def test_no_second_request_is_smuggled(server: Attacked, lines: tuple[str, ...]) -> None:
    """However long the body is taken to be, what hides in it never makes a loop."""
    hidden = head(server, "Content-Type: application/json", "Content-Length: 34", first=f"POST {LOOPS} HTTP/1.1")
    hidden += b'{"title":"hidden","agent":"bash"} '
    own = head(server, "Content-Type: application/json", *lines, first=f"POST {LOOPS} HTTP/1.1")
    heard = server.send(own + b"0\r\n\r\n" + hidden)
    assert heard.status in (0, 400, 413, 501), heard
    assert "hidden" not in server.ask(LOOPS).body.decode()


def test_requests_in_one_go_are_answered_in_order(server: Attacked) -> None:
    with server.connect() as many:
        many.sendall(b"".join(head(server, first=f"GET {LOOPS}/none-{n} HTTP/1.1") for n in range(50)))
        data = b""
        while data.count(b"none-49") < 1:
            data += many.recv(1 << 16)
    assert re.findall(rb"not found: none-(\d+)", data) == [b"%d" % n for n in range(50)]


@pytest.mark.parametrize(
    ("data", "statuses"),
    [
        (b"\x00" * 100, (0, 400)), (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500, (0, 400)),
        (b"GET\r\n\r\n", (0, 400)), (b"GET / HTTP/9.9\r\n\r\n", (0, 400)), (b"GET /\r\n\r\n", (0, 400, 403)),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (0, 400)), (b"\r\n" * 1000 + b"x\r\n\r\n", (0, 400)),
        (b"GET / HTTP/1.0\r\n\r\n", (403,)), (b"GET / HTTP/1.1\r\n\r\n", (403,)),
        (b"GET / HTTP/1.1\nHost: x\n\n", (400, 403)),
        (b"HTTP/1.1 200 OK\r\n\r\n", (0, 400)), (b"CONNECT evil.example:80 HTTP/1.1\r\nHost: x\r\n\r\n", (0, 400, 403)),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", (400, 403)),
        (b"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n", (400, 403)), (b"G\xc3\x8bT / HTTP/1.1\r\n\r\n", (0, 400)),
    ],
)  # fmt: skip
def test_what_is_no_request(server: Attacked, data: bytes, statuses: tuple[int, ...]) -> None:
    assert server.send(data).status in statuses
    assert server.is_well


@pytest.mark.parametrize("method", ["TRACE", "OPTIONS", "HEAD", "PROPFIND", "LINK", "PUT", "PURGE"])
def test_other_methods(server: Attacked, method: str) -> None:
    line = f"{method} {LOOPS} HTTP/1.1"
    with server.connect() as one:
        one.sendall(head(server, "X-Secret: yes", first=line))
        heard = one.recv(1 << 16)
    assert heard.split()[1] in (b"400", b"405"), heard
    assert b"X-Secret" not in heard
    assert TOKEN.encode() not in heard


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
def test_no_other_protocol(server: Attacked, upgrade: str) -> None:
    heard = server.ask(LOOPS, Connection="Upgrade", Upgrade=upgrade, Sec_WebSocket_Key="x", Sec_WebSocket_Version="13")
    assert heard.status != 101
    assert server.ask(LOOPS, token=None, Connection="Upgrade", Upgrade=upgrade).status in (400, 401)


@pytest.mark.parametrize("at", [1, 20, 60, 150, 220, 260])
def test_who_goes_away_in_between(server: Attacked, at: int) -> None:
    body = b'{"title":"gone","agent":"builtin"}' + b" " * 200
    whole = head(
        server, "Content-Type: application/json", f"Content-Length: {len(body)}", first=f"POST {LOOPS} HTTP/1.1"
    )
    with server.connect() as going:
        going.sendall((whole + body)[:at])
    assert server.is_well
    assert "gone" not in server.ask(LOOPS).body.decode()


@pytest.mark.parametrize(
    "last", ["-1", "x", "9" * 400, "1e9", "../..", "0:0:0", "\xff", "NaN", '{"a": 1}', "1,2", "a:b"]
)
def test_a_forged_place_in_the_stream(server: Attacked, last: str) -> None:
    loop = server.create().json["data"]["loop_id"]
    for path in ("/api/stream", f"{LOOPS}/{loop}/stream"):
        with server.connect() as listening:
            listening.sendall(head(server, f"Last-Event-ID: {last}", first=f"GET {path} HTTP/1.1"))
            heard = listening.recv(1 << 16)
        assert heard.split()[1] in (b"200", b"400"), (path, heard)
        assert b"Traceback" not in heard
    server.ask(f"{LOOPS}/{loop}", "DELETE")


def test_more_streams_than_anybody_needs(server: Attacked) -> None:
    streams, refused = [], 0
    for _ in range(300):
        one = server.connect()
        streams.append(one)
        one.sendall(head(server, first="GET /api/stream HTTP/1.1"))
        if one.recv(1 << 16).split()[1] == b"429":
            refused += 1
            break
    assert refused, "no end to it"
    assert server.ask(LOOPS).status == 200, "everything else goes on"
    for one in streams:
        one.close()
    deadline = time.monotonic() + 30
    while True:
        with server.connect() as one:
            one.sendall(head(server, first="GET /api/stream HTTP/1.1"))
            if one.recv(1 << 16).split()[1] == b"200":
                break
        assert time.monotonic() < deadline, "closed streams make room"
