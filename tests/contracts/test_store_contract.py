"""What every store promises: the same tests on the files and on the fake."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loopwright.core.errors import Conflict, IllegalTransition, Invalid, NotFound
from loopwright.core.ports import Store
from loopwright.store.files import FileStore
from loopwright.store.kind import StateKind
from loopwright.wiring.stores import CYCLES, LOOPS
from loopwright.workflows.cycle import commands as cycle_commands
from loopwright.workflows.loop import commands as loop_commands
from loopwright.workflows.tuning import commands as tuning_commands
from tests.memory_store import MemoryStore
from tests.store.making import EDITED, SHORT, HandClock, cycle, loop, retitle, tagging, titled, tuning
from tests.tables import each

Made = Callable[..., Any]
AnyStore = Store[Any]
"""Any: the suite is for every kind."""


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


class Sort(NamedTuple):
    """One kind of state, and how such a state is made."""

    kind: StateKind[Any]  # Any: the suite is for every kind
    made: Callable[..., Any]
    pause: Callable[[Any], Any]
    rename: Callable[[Any, str], Any]
    status: str = "created"


SORTS = {
    "loops": Sort(LOOPS, loop, loop_commands.pause, lambda s, id: s.evolve(loop_id=id)),
    "cycles": Sort(CYCLES, cycle, cycle_commands.pause, lambda s, id: s.evolve(cycle_id=id)),
    "tunings": Sort(
        SHORT, tuning, tuning_commands.pause, lambda s, id: s.evolve(engine=s.engine.evolve(id=id)), "pending"
    ),
}


@pytest.fixture(params=SORTS)
def sort(request: pytest.FixtureRequest) -> Sort:
    return SORTS[request.param]


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: HandClock, sort: Sort) -> Iterator[AnyStore]:
    if request.param == "memory":
        with MemoryStore(sort.kind, clock, tmp_path) as memory:
            yield memory
    else:
        with FileStore(tmp_path, sort.kind, clock) as files:
            yield files


@pytest.fixture
def made(sort: Sort) -> Made:
    return sort.made


def test_a_created_state_reads_back(store: AnyStore, made: Made) -> None:
    created = store.create(made(), actor="user")
    assert created.title == "A title"
    assert created.engine.rev == 1
    assert store.read("loop-1") == created


def test_an_id_is_taken_once(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    with pytest.raises(Conflict, match="already exists"):
        store.create(made(title="Another"), actor="user")
    assert store.read("loop-1").title == "A title"


def test_unknown_ids_are_not_found_and_leave_nothing_behind(store: AnyStore, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="loop-x"):
        store.read("loop-x")
    with pytest.raises(NotFound):
        retitle(store, "B", "loop-x")
    with pytest.raises(NotFound):
        store.events("loop-x")
    with pytest.raises(NotFound):
        store.delete("loop-x", actor="user")
    with pytest.raises(NotFound), store.lease("loop-x"):
        pass
    with pytest.raises(NotFound):
        store.recover("loop-x", actor="user")
    assert list(tmp_path.rglob("*")) == []


def test_unsafe_ids_never_touch_a_path(store: AnyStore, sort: Sort) -> None:
    @each("id", ["../up", "a/b", "", ".hidden", "a.json", "x" * 200, "é"])
    def are_refused(id: str) -> None:
        with pytest.raises(Invalid, match=f"Invalid {sort.kind.name} ID"):
            store.read(id)
        with pytest.raises(Invalid):
            store.progress_path(id)
        with pytest.raises(Invalid):
            retitle(store, "B", id)

    are_refused()


def test_an_update_returns_what_is_read_afterwards(store: AnyStore, made: Made, clock: HandClock) -> None:
    store.create(made(), actor="user")
    clock.at += timedelta(seconds=5)
    updated = retitle(store, "B")
    assert updated.title == "B"
    assert updated.updated_at == "2026-01-22T10:00:05.000+08:00"
    assert updated.engine.rev == 2
    assert store.read("loop-1") == updated


def test_a_rule_that_returns_its_argument_commits_nothing(store: AnyStore, made: Made) -> None:
    created = store.create(made(), actor="user")
    assert store.update("loop-1", lambda state: state, actor="user", event=EDITED) == created
    assert [entry.seq for entry in store.events("loop-1")] == [1]


def test_what_a_rule_raises_reaches_the_caller_and_nothing_is_committed(
    store: AnyStore, made: Made, sort: Sort
) -> None:
    created = store.create(made(), actor="user")
    with pytest.raises(IllegalTransition, match=f"Cannot pause {sort.kind.name} with status: {sort.status}"):
        store.update("loop-1", sort.pause, actor="user", event=EDITED)
    assert store.read("loop-1") == created
    assert retitle(store, "B").engine.rev == 2


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_what_a_file_can_not_hold_is_refused(store: AnyStore, made: Made, text: str) -> None:
    created = store.create(made(extra={"n": 1}), actor="user")
    with pytest.raises(Invalid):
        store.update("loop-1", lambda s: s.evolve(notes=text), actor="user", event=EDITED)
    with pytest.raises(Invalid):
        store.update("loop-1", lambda s: s.evolve(extra={"n": float("nan")}), actor="user", event=EDITED)
    assert store.read("loop-1") == created
    assert retitle(store, "B").title == "B"


def test_what_is_nested_too_deeply_is_refused_as_a_whole(store: AnyStore, made: Made) -> None:
    """Around the depth at which one of the ways to write and read gives up, and far beyond."""
    refused = []
    for depth in (*range(240, 262), 400, 2000):
        id, deep = f"loop-{depth}", nested(depth)
        created = store.create(made(id, extra={"a": {"b": 1}}), actor="user")
        try:
            store.update(id, partial(deepened, deep), actor="user", event=EDITED)
        except Invalid:
            assert store.read(id) == created, depth
            refused.append(depth)
        after = retitle(store, "B", id)
        assert store.read(id) == after, depth
        assert after.engine.rev == len(store.events(id)), depth
    assert 240 not in refused
    assert 2000 in refused


def deepened(deep: object, state: Any) -> Any:  # Any: the suite is for every kind
    return state.evolve(extra={"a": {"b": deep}})


def nested(depth: int) -> object:
    deep: object = 1
    for _ in range(depth):
        deep = [deep]
    return deep


def test_an_id_can_not_change(store: AnyStore, made: Made, sort: Sort) -> None:
    store.create(made(), actor="user")
    with pytest.raises(Invalid, match="id cannot change"):
        store.update("loop-1", lambda s: sort.rename(s, "loop-2"), actor="user", event=EDITED)


def test_updated_at_never_goes_back(store: AnyStore, made: Made, clock: HandClock) -> None:
    clock.at += timedelta(hours=1)
    before = store.create(made(), actor="user").updated_at
    clock.at -= timedelta(hours=2)
    assert retitle(store, "B").updated_at == before


def test_events_tell_who_did_what_in_order(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    for n in range(5):
        retitle(store, f"Title {n}", "loop-1")
    entries = store.events("loop-1", after=2)
    assert [entry.seq for entry in entries] == [3, 4, 5, 6]
    assert [(entry.actor, entry.event) for entry in entries] == [("user", EDITED)] * 4
    assert [entry.event.type for entry in store.events("loop-1")][:2] == ["created", "edited"]
    assert list(store.events("loop-1", after=99)) == []


def test_every_commit_can_be_read_again(store: AnyStore, made: Made) -> None:
    revs = [store.create(made(), actor="user"), *(retitle(store, f"Title {n}", "loop-1") for n in range(3))]
    assert [store.read_at("loop-1", n) for n in (1, 2, 3, 4)] == revs
    for rev in (0, 5, -1):
        with pytest.raises(NotFound):
            store.read_at("loop-1", rev)


def test_lists_are_newest_first_in_pages_and_by_status(
    store: AnyStore, sort: Sort, made: Made, clock: HandClock
) -> None:
    for n in range(7):
        clock.at += timedelta(seconds=1)
        store.create(made(f"loop-{n}", status="running" if n % 2 else "created"), actor="user")
    assert [sort.kind.id_of(s) for s in store.list(limit=3).items] == ["loop-6", "loop-5", "loop-4"]
    assert [sort.kind.id_of(s) for s in store.list(limit=3, offset=5).items] == ["loop-1", "loop-0"]
    assert store.list(limit=0).total == 7
    running = store.list(status="running")
    assert (running.total, [sort.kind.id_of(s) for s in running.items]) == (3, ["loop-5", "loop-3", "loop-1"])
    clock.at += timedelta(seconds=1)
    retitle(store, "Newest", "loop-0")
    assert [s.title for s in store.list(limit=1).items] == ["Newest"]
    store.delete("loop-0", actor="user")
    assert store.list().total == 6
    assert store.damaged() == {}


def test_a_search_looks_into_id_title_description_and_tags(
    store: AnyStore, sort: Sort, made: Made, clock: HandClock
) -> None:
    given: list[dict[str, object]] = [
        {"title": "Mend the PARSER"}, {"description": "a parser"},
        {"tags": ("Parsers",)} if sort.kind.name == "loop" else {"description": "Parsers"}, {},
    ]  # fmt: skip
    for n, fields in enumerate(given):
        clock.at += timedelta(seconds=1)
        store.create(made(f"loop-{n}", **fields), actor="user")
    page = store.list(search=" parser ", limit=2)
    assert ([sort.kind.id_of(s) for s in page.items], page.total) == (["loop-2", "loop-1"], 3)
    assert [sort.kind.id_of(s) for s in store.list(search="PARSER", offset=2).items] == ["loop-0"]
    assert [sort.kind.id_of(s) for s in store.list(search="OOP-3").items] == ["loop-3"]
    assert store.list(search="parser", status="running").total == 0
    assert store.list(search="straße").total == store.list(search="nothing").total == 0
    store.update("loop-3", lambda s: titled(s.evolve(notes="parser"), "STRASSE"), actor="user", event=EDITED)
    found = [sort.kind.id_of(s) for s in store.list(search="straße").items]
    assert found == ["loop-3"], "by its title, not by its notes"
    assert store.list(search="  ").total == 4


def test_deleted_means_gone_and_the_id_is_free_again(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    store.write_progress("loop-1", {"develop.md": b"# hello\n"})
    store.delete("loop-1", actor="user")
    with pytest.raises(NotFound):
        store.read("loop-1")
    assert store.list().total == 0
    assert store.create(made(title="Again"), actor="user").engine.rev == 1
    assert [entry.event.type for entry in store.events("loop-1")] == ["created"]


def test_one_lease_at_a_time(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    assert store.holder("loop-1") is None
    with store.lease("loop-1") as lease:
        assert lease.epoch == store.read("loop-1").engine.epoch == 1
        assert store.holder("loop-1") == os.getpid()
        with pytest.raises(Conflict), store.lease("loop-1"):
            pass
        with pytest.raises(Conflict):
            store.delete("loop-1", actor="user")
    assert store.holder("loop-1") is None
    with store.lease("loop-1") as lease:
        assert lease.epoch == 2


def test_an_old_epoch_is_refused(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    with store.lease("loop-1") as old:
        retitle(store, "By the old one", epoch=old.epoch)
    with store.lease("loop-1") as new:
        with pytest.raises(Conflict, match="another runner"):
            retitle(store, "Too late", epoch=old.epoch)
        retitle(store, "By the new one", epoch=new.epoch)
    assert store.read("loop-1").title == "By the new one"


def test_threads_lose_nothing(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    errors: list[BaseException] = []

    def work(me: int) -> None:
        for n in range(10):
            tag = f"{me}-{n}"
            state = store.update("loop-1", tagging(tag), actor="user", event=EDITED)
            if tag not in (state.tags or ()):
                errors.append(AssertionError(f"{tag} was acknowledged, but is not in {state.tags}"))

    threads = [threading.Thread(target=work, args=(me,)) for me in range(8)]
    with ExitStack() as stack:
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
    assert errors == []
    state = store.read("loop-1")
    assert sorted(state.tags or ()) == sorted(f"{me}-{n}" for me in range(8) for n in range(10))
    assert [entry.seq for entry in store.events("loop-1")] == list(range(1, 82))
    assert state.engine.rev == 81


def test_progress_files_are_replaced_and_logs_grow(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    store.write_progress("loop-1", {"develop.md": b"one\n", "debug.md": b""})
    store.write_progress("loop-1", {"develop.md": b"two\n"})
    folder = store.progress_path("loop-1")
    assert (folder / "develop.md").read_bytes() == b"two\n"
    store.append_progress("loop-1", "changes.log", [b'{"n":1}', b'{"n":2}\n'])
    with (folder / "changes.log").open("ab") as log:
        log.write(b'{"n":3, torn')
    store.append_progress("loop-1", "changes.log", [b'{"n":4}'])
    assert (folder / "changes.log").read_bytes() == b'{"n":1}\n{"n":2}\n{"n":4}\n'


def test_progress_names_stay_in_their_folder(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")

    @each(
        "name",
        ["../x", "", ".", "..", "a\0b", "/x", "x/", "a//b", "a/./b", "ra/../x", "ra/..", "a/b/c/d", "ra\0/x"],
    )
    def are_refused(name: str) -> None:
        with pytest.raises(Invalid):
            store.write_progress("loop-1", {name: b""})
        with pytest.raises(Invalid):
            store.append_progress("loop-1", name, [b""])

    are_refused()


def test_progress_names_may_have_folders(store: AnyStore, made: Made) -> None:
    store.create(made(), actor="user")
    store.write_progress("loop-1", {"ra/requirements.md": b"two\n", "ra/history/requirements-v1.0.0.md": b"one\n"})
    store.append_progress("loop-1", "coordination/timeline.md", [b"# Timeline", b""])
    store.append_progress("loop-1", "coordination/timeline.md", ["- \u00e4".encode()])
    folder = store.progress_path("loop-1")
    assert (folder / "ra" / "history" / "requirements-v1.0.0.md").read_bytes() == b"one\n"
    assert (folder / "coordination" / "timeline.md").read_text() == "# Timeline\n\n- \u00e4\n"


@pytest.mark.parametrize("place", ["", "ra", "ra/history", "ra/history/x.md"])
@pytest.mark.parametrize("what", ["a link", "a link to nowhere", "something else"])
def test_nothing_is_written_through_a_link(store: AnyStore, made: Made, tmp_path: Path, place: str, what: str) -> None:
    """Whoever put something there finds it beside; a link in a file's own place is replaced by the file."""
    store.create(made(), actor="user")
    path = store.progress_path("loop-1") / place
    outside = tmp_path / "outside"
    outside.mkdir()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():  # the folder of a state that has its own
        shutil.rmtree(path)
    if what == "something else":
        path.mkdir() if path.suffix == ".md" else path.write_text("mine")
    else:
        path.symlink_to(outside if what == "a link" else tmp_path / "nowhere")
    store.write_progress("loop-1", {"ra/history/x.md": b"x"})
    store.append_progress("loop-1", "ra/history/y.log", [b"y"])
    folder = store.progress_path("loop-1") / "ra" / "history"
    assert (folder / "x.md").read_bytes() == b"x"
    assert (folder / "y.log").read_bytes() == b"y\n"
    assert not path.is_symlink()
    assert list(outside.iterdir()) == []
    is_replaced = path.suffix == ".md" and what != "something else"
    assert is_replaced or list(path.parent.glob(f"{path.name}.damaged-*"))


def test_recover_of_a_healthy_state_changes_nothing(store: AnyStore, made: Made) -> None:
    created = store.create(made(), actor="user")
    assert store.recover("loop-1", actor="user") == created
    assert store.read("loop-1") == created
