"""What every store promises to those who wait for changes: the same tests on the files and on the fake."""

import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.errors import NotFound
from loopwright.core.ports import ChangeWatcher, StateChanges, Store
from loopwright.store.files import FileStore
from loopwright.store.kind import StateKind
from loopwright.wiring.stores import LOOPS
from tests.memory_store import MemoryStore
from tests.store.making import SHORT, HandClock, loop, retitle, tuning

AnyStore = Store[Any]
"""Any: the suite is for states side by side, and for those in folders of their own."""
Made = Callable[..., Any]
Watch = Callable[[AnyStore], ChangeWatcher]
KINDS: dict[str, tuple[StateKind[Any], Made]] = {"loops": (LOOPS, loop), "tunings": (SHORT, tuning)}


@pytest.fixture(params=KINDS)
def made(request: pytest.FixtureRequest) -> Made:
    return KINDS[request.param][1]


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path, made: Made) -> Iterator[AnyStore]:
    kind = next(kind for kind, makes in KINDS.values() if makes is made)
    if request.param == "memory":
        with MemoryStore(kind, HandClock(), tmp_path) as memory:
            yield memory
    else:
        with FileStore(tmp_path, kind, HandClock()) as files:
            yield files


@pytest.fixture
def watch() -> Iterator[Watch]:
    opened: list[ChangeWatcher] = []

    def begin(store: AnyStore) -> ChangeWatcher:
        watching = store.watch()
        assert watching is not None
        opened.append(watching)
        return watching

    yield begin
    for one in opened:
        one.close()


def taken(watching: ChangeWatcher) -> StateChanges | None:
    """What is told, once the descriptor says that there is something."""
    assert select.select([watching.fileno()], [], [], 10)[0], "nothing is told"
    return watching.changes()


def told(watching: ChangeWatcher) -> bool:
    """Whether anything is, at once. A descriptor may wake somebody up for nothing."""
    return bool(select.select([watching.fileno()], [], [], 0)[0]) and watching.changes() != StateChanges(
        *[frozenset()] * 3
    )


def test_a_commit_is_told_when_it_can_be_read(store: AnyStore, made: Made, watch: Watch) -> None:
    store.create(made(), actor="user")
    watching = watch(store)
    retitle(store, "B")
    changes = taken(watching)
    assert changes is not None
    assert changes.shown == {"loop-1"}
    assert changes.written == frozenset()
    assert [entry.seq for entry in store.shown("loop-1", 1).entries] == [2]
    assert select.select([watching.fileno()], [], [], 0)[0] == []


def test_new_loops_and_deleted_ones_are_told(store: AnyStore, made: Made, watch: Watch) -> None:
    store.create(made(), actor="user")
    watching = watch(store)
    store.create(made("loop-2"), actor="user")
    assert (changes := taken(watching)) is not None
    assert "loop-2" in changes.shown
    store.delete("loop-1", actor="user")
    assert (changes := taken(watching)) is not None
    assert changes.shown == {"loop-1"}
    with pytest.raises(NotFound):
        store.shown("loop-1")


def test_progress_files_are_told_to_those_who_want_to_hear(store: AnyStore, made: Made, watch: Watch) -> None:
    store.create(made(), actor="user")
    watching = watch(store)
    store.append_progress("loop-1", "a.log", [b"1"])
    assert not told(watching)
    watching.hear("loop-1")
    watching.changes()
    store.append_progress("loop-1", "a.log", [b"2"])
    assert (changes := taken(watching)) is not None
    assert changes == StateChanges(frozenset(), frozenset(), frozenset({"loop-1"}))
    watching.ignore("loop-1")
    watching.changes()
    store.append_progress("loop-1", "a.log", [b"3"])
    assert not told(watching)


def test_progress_files_may_come_later(store: AnyStore, made: Made, watch: Watch) -> None:
    store.create(made(), actor="user")
    watching = watch(store)
    watching.hear("loop-1")
    store.append_progress("loop-1", "a.log", [b"1"])
    assert (changes := taken(watching)) is not None
    assert changes.noted == {"loop-1"}
    store.append_progress("loop-1", "a.log", [b"2"])
    assert (changes := taken(watching)) is not None
    assert changes.noted == {"loop-1"}


def test_progress_files_in_folders_are_told_too(store: AnyStore, made: Made, watch: Watch) -> None:
    store.create(made(), actor="user")
    watching = watch(store)
    watching.hear("loop-1")
    for n in range(2):
        for name in ("ra/transcript.ndjson", "coordination/timeline.md", "a.log"):
            store.append_progress("loop-1", name, [b"%d" % n])
            changes = taken(watching)
            assert changes is not None
            assert changes.noted == {"loop-1"}, f"{name}, {n}"
    store.write_progress("loop-1", {"ra/requirements.md": b"# R"})
    assert (changes := taken(watching)) is not None
    assert changes.noted == {"loop-1"}
    watching.ignore("loop-1")
    store.append_progress("loop-1", "ra/transcript.ndjson", [b"3"])
    retitle(store, "B")
    assert (changes := taken(watching)) is not None
    assert changes.noted == frozenset()


def test_what_is_shown_are_the_state_and_what_led_to_it(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    for title in "BCD":
        retitle(store, title)
    state, entries = store.shown("loop-1", 2)
    assert state == store.read("loop-1")
    assert entries == tuple(store.events("loop-1", 2))
    assert [entry.seq for entry in entries] == [3, 4]
    assert store.shown("loop-1", 9).entries == ()
    with pytest.raises(NotFound):
        store.shown("loop-x")


def test_the_numbers_of_the_last_commits(store: AnyStore, made: Made) -> None:
    assert store.revs() == {}
    store.create(made(), actor="user")
    store.create(made("loop-2"), actor="user")
    retitle(store, "B")
    assert store.revs() == {"loop-1": 2, "loop-2": 1}
    store.delete("loop-1", actor="user")
    assert store.revs() == {"loop-2": 1}
