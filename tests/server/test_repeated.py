"""A request that comes again byte for byte gets what it would get if it came for the first time."""

import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS as KIND
from loopwright.workflows.loop.model import LoopState
from tests.server.attacking import LOOPS, TOKEN, Attacked, Heard, answer, attacked_server
from tests.store.making import json_of, loop, retitle


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with attacked_server(tmp_path_factory.mktemp("repeated")) as running:
        yield running
        assert "Traceback" not in running.log.read_text()


@pytest.fixture
def store(server: Attacked) -> Iterator[FileStore[LoopState]]:
    """Another process, as far as the server can tell."""
    with FileStore(server.project, KIND, SystemClock()) as opened:
        yield opened


NUMBERS = itertools.count()


def request(server: Attacked, id: str, *lines: str, method: str = "GET", token: str = TOKEN) -> bytes:
    own = (f"Host: {server.host}", f"Authorization: Bearer {token}")
    return "\r\n".join([f"{method} {LOOPS}/{id} HTTP/1.1", *own, *lines, "", ""]).encode()


def first_time(server: Attacked, id: str) -> Heard:
    """The same question in bytes that were never sent before."""
    return server.send(request(server, id, f"X-Number: {next(NUMBERS)}"))


def counted(server: Attacked) -> int:
    text = server.ask("/metrics").body.decode()
    found = re.search(
        r'request_seconds_count\{method="GET",route="/api/loops/v2/\{loop_id\}",status="200"\} (\S+)', text
    )
    return int(float(found[1])) if found else 0


def test_whatever_happens_to_the_run_both_get_the_same(server: Attacked, store: FileStore[LoopState]) -> None:
    chance, id = random.Random(7), "loop-same"
    asked, driving = request(server, id), list[ExitStack]()

    def drive() -> None:
        """Takes the lease, or gives it back."""
        if driving:
            driving.pop().close()
            return
        with ExitStack() as stack:
            stack.enter_context(store.lease(id))
            driving.append(stack.pop_all())

    deeds: dict[str, Callable[[], object]] = {
        "commit": lambda: retitle(store, f"T{next(NUMBERS)}", id),
        "edit through the server": lambda: server.ask(f"{LOOPS}/{id}", "PUT", b'{"notes": "%d"}' % next(NUMBERS)),
        "edit the file": lambda: edit_file(server.project, id),
        "break the file": lambda: json_of(server.project, id).write_bytes(b'{"half'),
        "drive": drive,
        "delete": lambda: store.delete(id, actor="user"),
        "look": lambda: None,
    }
    is_there = False
    for _ in range(150):
        deed = chance.choice([name for name in deeds if name != "delete" or not driving]) if is_there else "create"
        deeds.get(deed, lambda: store.create(loop(id), actor="user"))()
        is_there = deed != "delete"
        heard, usual = server.send(asked), first_time(server, id)
        assert (heard.status, heard.headers, heard.body) == (usual.status, usual.headers, usual.body), deed
    for stack in driving:
        stack.close()


def edit_file(project: Path, id: str) -> None:
    file = json_of(project, id)
    try:
        state = json.loads(file.read_bytes())
    except ValueError:
        return
    file.write_text(json.dumps({**state, "title": f"T{next(NUMBERS)}"}))


def test_every_repetition_is_counted(server: Attacked) -> None:
    asked = request(server, server.create().json["data"]["loop_id"])
    before = counted(server)
    with server.connect() as wire:
        for _ in range(20):
            wire.sendall(asked)
            assert answer(wire).status == 200
    assert counted(server) == before + 20


def test_a_known_version_stays_304_until_it_is_another(server: Attacked) -> None:
    made = server.create().json["data"]["loop_id"]
    tag = first_time(server, made).header("etag")
    asked = request(server, made, f"If-None-Match: {tag}")

    def status() -> bytes:
        """One that has no body has no length either."""
        with server.connect() as wire:
            wire.sendall(asked)
            return wire.recv(len(b"HTTP/1.1 200"))

    assert [status() for _ in range(3)] == [b"HTTP/1.1 304"] * 3
    server.ask(f"{LOOPS}/{made}", "PUT", b'{"notes": "another"}')
    assert [status() for _ in range(3)] == [b"HTTP/1.1 200"] * 3


def test_only_the_very_same_request_is_taken_for_it(server: Attacked) -> None:
    made = server.create().json["data"]["loop_id"]
    asked = request(server, made)
    assert server.send(asked).status == server.send(asked).status == 200
    assert server.send(request(server, made, token=TOKEN[:-1])).status == 401
    assert server.send(asked.replace(b"127.0.0.1", b"127.0.0.2")).status == 403
    assert server.send(request(server, made, f"Host: {server.host}")).status == 400
    assert server.send(request(server, made, "Origin: http://elsewhere")).status == 403
    assert server.send(request(server, made, method="DELETE")).status == 200
    assert server.send(asked).status == 404


@pytest.mark.parametrize("cut", [1, 30, -2, -1])
def test_one_that_comes_in_pieces_is_read_as_one(server: Attacked, cut: int) -> None:
    asked = request(server, server.create().json["data"]["loop_id"])
    with server.connect() as wire:
        for _ in range(2):
            wire.sendall(asked)
            whole = answer(wire)
        for piece in (asked[:cut], asked[cut:]):
            wire.sendall(piece)
            wire.settimeout(0.2)
            heard = answer(wire)
            wire.settimeout(15)
        assert heard == whole


def test_many_at_once_are_answered_in_order(server: Attacked) -> None:
    """A pipeline, and one whose body says what a known request says."""
    ids = [server.create(title=f"Loop {n}").json["data"]["loop_id"] for n in range(3)]
    asked = [request(server, id) for id in ids]
    for one in asked * 2:
        assert server.send(one).status == 200
    with server.connect() as wire:
        wire.sendall(b"".join(asked))
        data = b""
        while data.count(b"HTTP/1.1 200 OK") < 3 or not data.endswith(b"}"):
            data += wire.recv(1 << 16)
        assert re.findall(rb'"loop_id":"([^"]+)"', data) == [id.encode() for id in ids]
    with server.connect() as wire:
        lines = "Content-Type: application/json", f"Content-Length: {len(asked[0])}"
        wire.sendall(request(server, ids[0], *lines, method="PUT"))
        wire.sendall(asked[0])
        assert answer(wire).status == 400, "no JSON"


def test_a_connection_ends_when_it_is_asked_to(server: Attacked) -> None:
    asked = request(server, server.create().json["data"]["loop_id"], "Connection: close")
    for _ in range(3):
        with server.connect() as wire:
            wire.sendall(asked)
            assert answer(wire).status == 200
            assert wire.recv(1) == b""
