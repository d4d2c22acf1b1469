"""Streams over HTTP: what is told, where it begins, how many there may be, and that nothing is left of them."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import orjson
import pytest

from bench.soaks._asking import Client
from loopwright.core.transcript import TRANSCRIPT
from loopwright.store.files import FileStore
from loopwright.surfaces.server.sse import MOST_STREAMS
from loopwright.workflows.loop.model import LoopState
from tests.browser.served import ROOT, Served, served
from tests.server.listening import Listener
from tests.store.making import EDITED, files_at, loop
from tests.waiting import until

ALL = "/api/stream"


class Here:
    """The loop of the test that runs: an id is never used again, as in life."""

    number = 0

    @property
    def id(self) -> str:
        return f"loop-n{self.number}"

    @property
    def one(self) -> str:
        return f"/api/loops/v2/{self.id}/stream"


HERE = Here()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for all tests of this module, on two projects."""
    with served(tmp_path_factory.mktemp("served")) as server:
        server.project(name="first")
        server.project(name="second")
        server.start()
        yield server


@pytest.fixture
def store(server: Served) -> Iterator[FileStore[LoopState]]:
    """The first project's, as another process has it, with one loop; empty again afterwards."""
    with files_at(server.projects[0]) as store:
        HERE.number += 1
        store.create(loop(HERE.id), actor="cli")
        yield store
        reader = Listener(server.port, server.token, ALL).start()
        if HERE.id in store.revs():
            retitle(store, "told to all, so that its end is told too")
        for id in store.revs():
            store.delete(id, actor="cli")
            until(partial(is_told_as_gone, reader, id))
        reader.stop()


def is_told_as_gone(reader: Listener, id: str) -> bool:
    return any(one.data["loop_id"] == id and one.data["loop"] is None for one in reader.of("entry"))


Listen = Callable[..., Listener]


@pytest.fixture
def listen(server: Served) -> Iterator[Listen]:
    begun: list[Listener] = []

    def begin(path: str, last_id: str = "") -> Listener:
        begun.append(Listener(server.port, server.token, path, last_id=last_id).start())
        return begun[-1]

    yield begin
    for one in begun:
        one.stop()


def retitle(store: FileStore[LoopState], title: str, id: str = "") -> None:
    store.update(id or HERE.id, lambda s: s.evolve(title=title), actor="user", event=EDITED)


def note(after: int, text: str) -> bytes:
    return orjson.dumps({"ts": "2026-01-22T10:00:00+00:00", "after": after, "kind": "said", "text": text})


def told(reader: Listener) -> list[object]:
    return [one.data["seq"] if one.event == "entry" else one.data.get("text", one.event) for one in list(reader.seen)]


def until_told(reader: Listener, what: list[object]) -> None:
    until(lambda: len(reader.seen) >= len(what))
    assert told(reader) == what


def test_one_loop_is_told_as_it_goes_on(store: FileStore[LoopState], listen: Listen) -> None:
    reader = listen(HERE.one)
    retitle(store, "B")
    until_told(reader, [2])
    store.append_progress(HERE.id, TRANSCRIPT, [note(2, "x"), note(2, "y")])
    until_told(reader, [2, "x", "y"])
    assert reader.seen[0].data == {
        "loop_id": HERE.id, "seq": 2, "ts": reader.seen[0].data["ts"], "actor": "user", "type": "edited",
        "data": {"by": "a test"}, "words": reader.seen[0].data["words"],
    }  # fmt: skip
    assert reader.seen[-1].data == orjson.loads(note(2, "y"))


def test_notes_and_entries_come_in_the_order_of_events(store: FileStore[LoopState], listen: Listen) -> None:
    store.append_progress(HERE.id, TRANSCRIPT, [note(1, "a")])
    retitle(store, "B")
    store.append_progress(HERE.id, TRANSCRIPT, [note(2, "b"), note(2, "c")])
    retitle(store, "C")
    until_told(listen(f"{HERE.one}?after=0"), [1, "a", 2, "b", "c", 3])
    until_told(listen(f"{HERE.one}?after=1"), ["a", 2, "b", "c", 3])
    until_told(listen(f"{HERE.one}?after=2"), ["b", "c", 3])


def test_any_event_can_be_gone_on_from(store: FileStore[LoopState], listen: Listen) -> None:
    store.append_progress(HERE.id, TRANSCRIPT, [note(1, "a")])
    retitle(store, "B")
    store.append_progress(HERE.id, TRANSCRIPT, [note(2, "b")])
    whole = listen(f"{HERE.one}?after=0")
    until_told(whole, [1, "a", 2, "b"])
    for n, one in enumerate(list(whole.seen)):
        until_told(listen(f"{HERE.one}?after=0", one.id), [1, "a", 2, "b"][n + 1 :])


def test_all_loops_of_all_projects_are_told(server: Served, store: FileStore[LoopState], listen: Listen) -> None:
    everything, second = listen(ALL), listen(f"{ALL}?project=second")
    retitle(store, "B")
    with files_at(server.projects[1]) as other:
        other.create(loop("loop-9"), actor="cli")
        retitle(other, "D", "loop-9")
        until(lambda: len(everything.seen) == 3 and len(second.seen) == 2)
        other.delete("loop-9", actor="cli")
        until(lambda: len(everything.seen) == 4 and len(second.seen) == 3)
    first, *_, gone = everything.seen
    assert (first.data["project"], first.data["loop_id"], first.data["seq"]) == ("first", HERE.id, 2)
    assert (first.data["loop"]["title"], first.data["loop"]["rev"]) == ("B", 2)
    assert (gone.data["project"], gone.data["loop_id"], gone.data["loop"]) == ("second", "loop-9", None)
    assert gone.data["type"] == "deleted"
    assert second.seqs() == {"loop-9": [1, 2, 3]}
    for one in everything.seen[:3]:
        again = listen(ALL, one.id)
        until(lambda again=again: bool(again.seen))  # type: ignore[misc]  # a lambda's default
        assert [known.id for known in again.seen] == [gone.id], "what its journal held is gone with it"


def test_a_deleted_loop_is_gone(store: FileStore[LoopState], listen: Listen) -> None:
    reader = listen(HERE.one)
    store.delete(HERE.id, actor="cli")
    until(lambda: bool(reader.of("gone")))
    until(lambda: bool(reader.refused))
    assert set(reader.refused) == {404}


def test_a_folder_that_was_removed_and_comes_back(
    server: Served, store: FileStore[LoopState], listen: Listen, tmp_path: Path
) -> None:
    readers = [listen(HERE.one), listen(ALL)]
    folder = server.projects[0] / ".workflow"
    shutil.copytree(folder, tmp_path / "kept")
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "kept", folder)
    with files_at(server.projects[0]) as other:
        retitle(other, "B")
        for reader in readers:
            until(lambda reader=reader: 2 in reader.seqs().get(HERE.id, []))  # type: ignore[misc]  # a lambda's default
        assert [reader.seqs()[HERE.id] for reader in readers] == [[2], [2]]


@pytest.mark.parametrize("forged", ["nonsense", "-1", "1.2.3", "1.", "1e5", "1" * 40, "٣", "0x1", "1.-5", "é"])
def test_ids_that_no_event_had_are_refused(server: Served, store: FileStore[LoopState], forged: str) -> None:
    for path in (HERE.one, ALL):
        status, text = refused(server, path, forged)
        assert (status, b"Last-Event-ID" in text) == (400, True)


@pytest.mark.parametrize("far", ["999999999.999999999", "0.5", "1.7", "1.99999"])
def test_ids_of_another_time_do_no_harm(store: FileStore[LoopState], listen: Listen, far: str) -> None:
    store.append_progress(HERE.id, TRANSCRIPT, [note(1, "a"), note(1, "b")])
    reader = listen(HERE.one, far)
    retitle(store, "B")
    until(lambda: 2 in reader.seqs().get(HERE.id, []))
    assert told(reader)[-1] == 2


def test_who_comes_from_another_feed_is_told_to_load_again(store: FileStore[LoopState], listen: Listen) -> None:
    reader = listen(ALL, "0123456789abcdef.5.1")
    retitle(store, "B")
    until(lambda: len(reader.seen) == 2)
    assert [one.event for one in reader.seen] == ["reset", "entry"]
    name, number, seq = reader.seen[1].id.split(".")
    assert len(listen(ALL, f"{name}.{int(number) + 50}.{seq}").of("reset")) <= 1


def test_a_transcript_that_begins_anew_is_read_from_there(store: FileStore[LoopState], listen: Listen) -> None:
    store.append_progress(HERE.id, TRANSCRIPT, [note(1, "first"), note(1, "second")])
    reader = listen(f"{HERE.one}?after=0")
    until_told(reader, [1, "first", "second"])
    path = store.progress_path(HERE.id) / TRANSCRIPT
    path.write_bytes(note(1, "x") + b"\n")
    until_told(reader, [1, "first", "second", "x"])
    path.write_bytes(b'no JSON\n["a list"]\n{"kind": 5}\n\xff\xfe\n' + note(1, "y\nz") + b"\n" + b"torn")
    until_told(reader, [1, "first", "second", "x", "y\nz"])


def test_a_flood_is_told_in_order(store: FileStore[LoopState], listen: Listen) -> None:
    reader = listen(HERE.one)
    store.append_progress(HERE.id, TRANSCRIPT, [note(1, f"{n} {'x' * 300}") for n in range(10_000)])
    retitle(store, "B")
    until(lambda: len(reader.seen) >= 10_001)
    assert [str(one).split()[0] for one in told(reader)] == [*map(str, range(10_000)), "2"]


def test_there_is_a_limit_and_what_ends_is_not_counted(server: Served, store: FileStore[LoopState]) -> None:
    begun = descriptors(server)
    for _ in range(2):
        streams = [opened(server, HERE.one if n % 2 else ALL) for n in range(MOST_STREAMS)]
        assert refused(server, ALL)[0] == 429
        assert refused(server, HERE.one)[0] == 429
        with Client(server.port, server.token) as client:
            assert client.ask("GET", f"/api/loops/v2/{HERE.id}").status == 200
        for one in streams:
            one.close()
        until(lambda: descriptors(server) <= begun + 5)
        opened(server, ALL).close()


def test_somebody_who_does_not_read_holds_up_nobody(
    server: Served, store: FileStore[LoopState], listen: Listen
) -> None:
    before = resident(server)
    sleepers = [opened(server, f"{HERE.one}?after=0") for _ in range(5)]
    reader = listen(HERE.one)
    for n in range(20):
        store.append_progress(HERE.id, TRANSCRIPT, [note(1, "x" * 1000) for _ in range(1000)])
        retitle(store, f"title {n}")
    until(lambda: len(reader.of("entry")) == 20 and len(reader.of("note")) == 20_000)
    assert resident(server) - before < 60 << 20
    for one in sleepers:
        one.close()


def test_another_process_is_heard(server: Served, store: FileStore[LoopState], listen: Listen) -> None:
    reader = listen(ALL)
    done = subprocess.run(
        [sys.executable, "-m", "tests.server.writer", str(server.projects[0]), "7", "20", HERE.id, HERE.id], cwd=ROOT
    )
    assert done.returncode == 0
    until(lambda: len(reader.seen) >= 20)
    assert reader.seqs()[HERE.id] == list(range(2, 22))


def test_the_end_of_the_server_ends_the_streams_at_once(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        root = server.project()
        with files_at(root) as store:
            store.create(loop(), actor="cli")
        server.start()
        streams = [opened(server, path) for path in (ALL, "/api/loops/v2/loop-1/stream")]
        assert server.process is not None
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) is not None
        assert time.monotonic() - begun < 2.5, "it waited for them"
        for one in streams:
            assert b"event" not in one.read_all()
        assert b"Traceback" not in (tmp_path / "serve.log").read_bytes()


class Stream:
    """An open one that nobody reads."""

    def __init__(self, server: Served, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        host = f"127.0.0.1:{server.port}"
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        self._socket.sendall(head.encode())
        got = b""
        while b"id: " not in got:
            got += self._socket.recv(1024)
        assert got.startswith(b"HTTP/1.1 200"), got
        lines = got.lower()
        assert b"x-accel-buffering: no" in lines
        assert b"cache-control: no-store" in lines
        assert b"retry: 1000" in lines

    def read_all(self) -> bytes:
        got = b""
        while more := self._socket.recv(1 << 16):
            got += more
        self.close()
        return got

    def close(self) -> None:
        self._socket.close()


def opened(server: Served, path: str) -> Stream:
    return Stream(server, path)


def refused(server: Served, path: str, last_id: str = "") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        headers = {"Authorization": f"Bearer {server.token}".encode()}
        if last_id:
            headers["Last-Event-ID"] = last_id.encode()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def descriptors(server: Served) -> int:
    assert server.process is not None
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def resident(server: Served) -> int:
    assert server.process is not None
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
