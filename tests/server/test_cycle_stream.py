"""Streams of cycles over HTTP, beside those of loops: of one, of all, and after the server was killed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest

from loopwright.core.record import JournalEvent
from loopwright.store.files import FileStore
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle.model import CycleState
from tests.browser.served import Served, served
from tests.fakes import FakeClock
from tests.server.listening import Listener
from tests.store.making import files_at, loop
from tests.waiting import until

AT = "2026-01-22T10:00:00+08:00"
ID = "cycle-1"
ONE, ALL = f"/api/cycles/{ID}/stream", "/api/stream"

Listen = Callable[..., Listener]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served")) as server:
        server.project(name="first")
        server.start()
        yield server


@pytest.fixture
def listen(server: Served) -> Iterator[Listen]:
    begun: list[Listener] = []

    def begin(path: str, last_id: str = "") -> Listener:
        begun.append(Listener(server.port, server.token, path, last_id=last_id).start())
        return begun[-1]

    yield begin
    for one in begun:
        one.stop()


def cycles_at(root: Path) -> FileStore[CycleState]:
    return FileStore(root, CYCLES, FakeClock())


def retitle(store: FileStore[CycleState], title: str) -> None:
    store.update(ID, lambda s: s.evolve(title=title), actor="runner", event=JournalEvent(type="edited"))


def say(store: FileStore[CycleState], file: str, text: str) -> None:
    line = {"ts": AT, "after": store.read(ID).engine.rev, "kind": "said", "text": text}
    store.append_progress(ID, file, [orjson.dumps(line)])


def test_a_cycle_is_told_from_its_beginning_to_its_end(server: Served, listen: Listen) -> None:
    everything = listen(ALL)
    with cycles_at(server.projects[0]) as store, files_at(server.projects[0]) as loops:
        store.create(CycleState(cycle_id=ID, title="T", description="D", created_at=AT, updated_at=AT), actor="cli")
        until(lambda: len(everything.of("cycle_entry")) == 1)
        one = listen(ONE)
        say(store, "ra/transcript.ndjson", "by ra, whose folder comes with it")
        until(lambda: len(one.of("note")) == 1)
        say(store, "ra/transcript.ndjson", "and more")
        say(store, "transcript.ndjson", "by the engine")
        until(lambda: len(one.of("note")) == 3)
        assert [note.data.get("role") for note in one.of("note")] == ["ra", "ra", None]
        retitle(store, "B")
        loops.create(loop("loop-1"), actor="cli")
        until(lambda: len(one.of("entry")) == 1 and len(everything.seen) == 3)
        assert {event.data["cycle_id"] for event in one.of("entry")} == {ID}
        brief = everything.of("cycle_entry")[-1].data
        assert (brief["project"], brief["cycle_id"], brief["cycle"]["title"]) == ("first", ID, "B")
        assert [event.data["loop_id"] for event in everything.of("entry")] == ["loop-1"], (
            "for those who know only loops"
        )

        server.kill()
        retitle(store, "C")
        server.start()
        until(lambda: len(one.of("entry")) == 2 and len(everything.of("cycle_entry")) == 3)
        again = listen(ONE, one.of("note")[0].id)
        until(lambda: len(again.seen) == 4)
        assert [event.data.get("text", event.data.get("seq")) for event in again.seen] == [
            "and more", "by the engine", 2, 3,
        ]  # fmt: skip

        store.delete(ID, actor="cli")
        until(lambda: bool(one.of("gone")) and len(everything.of("cycle_entry")) == 4)
        assert one.of("gone")[0].data == {"cycle_id": ID}
        gone = everything.of("cycle_entry")[-1].data
        assert (gone["type"], gone["cycle"]) == ("deleted", None)
        assert not everything.of("reset")
