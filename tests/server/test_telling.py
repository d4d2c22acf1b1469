"""What a stream tells of a cycle: four roles and the engine write at the same time, and a reader may leave anywhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import Invalid
from loopwright.core.record import JournalEvent
from loopwright.store import tail
from loopwright.store.files import FileStore
from loopwright.surfaces.server import run_event_stream
from loopwright.surfaces.server.kinds import CYCLES, LOOPS
from loopwright.surfaces.server.run_event_stream import RunEventStream
from loopwright.surfaces.server.sse import StreamPosition, parse_position
from loopwright.wiring.stores import CYCLES as KIND
from loopwright.workflows.cycle.model import CycleState
from tests.fakes import FakeClock

AT = "2026-01-22T10:00:00+08:00"
ID = "cycle-1"
FILES = tuple(transcript.file for transcript in CYCLES.transcripts)


class Told(NamedTuple):
    event: str
    id: str
    data: Any  # Any: parsed JSON

    @property
    def what(self) -> object:
        return self.data["seq"] if self.event == "entry" else self.data["text"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore[CycleState]]:
    with FileStore(tmp_path, KIND, FakeClock()) as store:
        yield begun(store)


def begun(store: FileStore[CycleState]) -> FileStore[CycleState]:
    store.create(CycleState(cycle_id=ID, title="T", description="D", created_at=AT, updated_at=AT), actor="cli")
    return store


def commit(store: FileStore[CycleState], title: str) -> None:
    store.update(ID, lambda s: s.evolve(title=title), actor="runner", event=JournalEvent(type="edited"))


def say(store: FileStore[CycleState], place: int, text: str, ts: int = 0) -> None:
    line = {"ts": f"{ts:09}", "after": store.read(ID).engine.rev, "kind": "said", "text": text}
    store.append_progress(ID, FILES[place], [orjson.dumps(line)])


def heard(teller: RunEventStream) -> list[Told]:
    """All that there is to tell."""
    found = b""
    while True:
        found += teller.look(exact=True)
        if not teller.more:
            return [_event(block) for block in found.decode().split("\n\n") if block]


def _event(block: str) -> Told:
    fields = dict(line.split(": ", 1) for line in block.split("\n"))
    return Told(fields["event"], fields["id"], orjson.loads(fields["data"]))


def from_start(store: FileStore[CycleState], last: str = "0") -> RunEventStream:
    return RunEventStream(store, CYCLES, ID, parse_position(last, "after", len(FILES)))


def test_all_transcripts_are_told_in_the_order_of_events(store: FileStore[CycleState]) -> None:
    say(store, 0, "ra 1", 1)
    say(store, 2, "cd 2", 2)
    say(store, 0, "ra 3", 3)
    commit(store, "B")
    say(store, 4, "engine 4", 4)
    say(store, 1, "ep 5", 5)
    told = heard(from_start(store))
    assert [one.what for one in told] == [1, "ra 1", "cd 2", "ra 3", 2, "engine 4", "ep 5"]
    assert [one.data.get("role") for one in told] == [None, "ra", "cd", "ra", None, None, "ep"]
    assert {one.data["cycle_id"] for one in told if one.event == "entry"} == {ID}


def test_who_comes_anew_hears_what_comes_from_now_on(store: FileStore[CycleState]) -> None:
    say(store, 0, "old")
    teller = RunEventStream(store, CYCLES, ID, None)
    assert heard(teller) == []
    say(store, 3, "new")
    commit(store, "B")
    assert [one.what for one in heard(teller)] == ["new", 2]


def test_a_number_alone_is_where_its_lines_begin(store: FileStore[CycleState]) -> None:
    say(store, 0, "a")
    commit(store, "B")
    say(store, 1, "b")
    assert [one.what for one in heard(from_start(store, "2"))] == ["b"]


def test_a_long_voice_holds_the_others_up_where_they_come_later(
    store: FileStore[CycleState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        run_event_stream, "lines_from", lambda path, at, file=None: tail.lines_from(path, at, file, 400)
    )
    for n in range(60):
        say(store, 0, f"ra {n:02}", 2 * n)
    for n in range(5):
        say(store, 1, f"ep {n:02}", 24 * n + 1)
    told = [one.data["ts"] for one in heard(from_start(store)) if one.event == "note"]
    assert len(told) == 65
    assert told == sorted(told)


@given(st.lists(st.one_of(st.integers(0, 4), st.none()), max_size=12), st.data())
def test_any_event_can_be_gone_on_from(
    tmp_path_factory: pytest.TempPathFactory, course: list[int | None], data: st.DataObject
) -> None:
    with FileStore(tmp_path_factory.mktemp("cycle"), KIND, FakeClock()) as opened:
        store = begun(opened)
        for n, place in enumerate(course):
            commit(store, f"T{n}") if place is None else say(store, place, f"said {n}", n)
        whole = heard(from_start(store))
        left = data.draw(st.integers(0, len(whole)))
        behind = heard(from_start(store, whole[left - 1].id)) if left else whole
    assert [one.what for one in behind] == [one.what for one in whole[left:]]
    assert sum(one.event == "note" for one in whole) == sum(place is not None for place in course)


@pytest.mark.parametrize("text", ["1.2", "1.2.3.4.5", "1.2.3.4.5.6.7", "1.", "-1", "1.2.3.4.5.x", "", "1..2.3.4.5"])
def test_an_id_says_where_each_voice_is(text: str) -> None:
    with pytest.raises(Invalid, match=r"SEQ or SEQ(\.OFFSET){5}, such as 12(\.3400){5}"):
        parse_position(text, "after", len(CYCLES.transcripts))


def test_ids_are_read_as_they_are_written() -> None:
    for kind in (LOOPS, CYCLES):
        place = StreamPosition(7, tuple(range(len(kind.transcripts))))
        assert parse_position(str(place), "after", len(kind.transcripts)) == place
    assert parse_position("7", "after", 5) == StreamPosition(7)
