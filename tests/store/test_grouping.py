"""Turns: one works, the others come along; and what one thread makes together shares its syncs."""

import contextlib
import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, Invalid, NotFound, UncertainCommit
from loopwright.core.record import JournalEvent
from loopwright.store.files import FileStore
from loopwright.store.group_commit import GroupCommit, GroupedWork, carry_out_together
from loopwright.store.lease import Flock, NotAtOnce
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.store.faulty import Died, FaultyDisk, Trouble, lose_power
from tests.store.making import HandClock, files_at, loop


def test_who_is_alone_works_in_its_own_thread() -> None:
    seen: list[tuple[list[str], int]] = []
    turns: GroupCommit[str] = GroupCommit(lambda items, busy: seen.append(([*items], threading.get_ident())))
    turns.run("a")
    turns.run("b")
    assert seen == [(["a"], threading.get_ident()), (["b"], threading.get_ident())]


def test_those_who_wait_share_the_next_turn() -> None:
    started, go_on = threading.Event(), threading.Event()
    batches: list[list[int]] = []

    def work(items: Sequence[int], busy: object) -> None:
        batches.append([*items])
        if len(batches) == 1:
            started.set()
            assert go_on.wait(10)

    turns: GroupCommit[int] = GroupCommit(work)
    first = threading.Thread(target=turns.run, args=(0,))
    first.start()
    assert started.wait(10)
    others = [threading.Thread(target=turns.run, args=(n,)) for n in (1, 2, 3)]
    for thread in others:
        thread.start()
    while len(turns._waiting) < 3:
        threading.Event().wait(0.001)
    go_on.set()
    for thread in (first, *others):
        thread.join(10)
    assert batches[0] == [0]
    assert sorted(n for batch in batches[1:] for n in batch) == [1, 2, 3]
    assert len(batches) == 2


def test_a_turn_that_breaks_lets_the_next_one_in() -> None:
    def work(items: Sequence[str], busy: object) -> None:
        if "bad" in items:
            raise KeyboardInterrupt

    turns: GroupCommit[str] = GroupCommit(work)
    with pytest.raises(KeyboardInterrupt):
        turns.run("bad")
    turns.run("good")


class Watched(FaultyDisk):
    """`told` has every sync in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def sync(self, fd: int) -> None:
        name = Path(os.readlink(f"/proc/self/fd/{fd}")).name
        super().sync(fd)
        self.told.append(name.split(".")[0])

    def sync_folder(self, path: str) -> None:
        super().sync_folder(path)
        if path.endswith(LOOPS.folder):
            self.told.append("folder")


@pytest.fixture
def disk() -> Watched:
    return Watched()


@pytest.fixture
def store(tmp_path: Path, disk: Watched) -> Iterator[FileStore[LoopState]]:
    """With the loop `old`."""
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store:
        store.create(loop("old"), actor="user")
        disk.told.clear()
        yield store
        disk.dead = False


def create(store: FileStore[LoopState], n: int) -> LoopState:
    return store.create(loop(f"loop-{n}"), actor="user")


def rename(store: FileStore[LoopState], id: str, title: str) -> LoopState:
    return store.update(id, lambda s: s.evolve(title=title), actor="user", event=JournalEvent(type="edited"))


def together(*works: Callable[[], LoopState]) -> list[str | Exception | None]:
    """The titles that they come to, or the errors."""
    asked = [GroupedWork(work=work) for work in works]
    carry_out_together(asked)
    return [one.error or (one.result.title if one.result else None) for one in asked]


def test_what_is_made_together_shares_syncs(store: FileStore[LoopState], disk: Watched) -> None:
    works = [partial(create, store, 0), partial(rename, store, "old", "new"), partial(create, store, 1)]
    assert together(*works) == ["A title", "new", "A title"]
    assert sorted(disk.told[:3]) == ["loop-0", "loop-1", "old"], "each journal before the folder that has its name"
    assert disk.told[3:] == ["folder"]


def test_who_has_to_wait_goes_alone(store: FileStore[LoopState], tmp_path: Path) -> None:
    create(store, 0)
    lock = Flock.take(str(tmp_path / LOOPS.folder / "loop-0.lock"))
    with contextlib.ExitStack() as stack:
        stack.callback(lock.release)
        first, twice, locked = together(
            partial(rename, store, "old", "1"),
            partial(rename, store, "old", "2"),
            partial(rename, store, "loop-0", "3"),
        )
    assert first == "1"
    assert isinstance(twice, NotAtOnce)
    assert isinstance(locked, NotAtOnce)
    assert store.read("old").title == "1"
    assert rename(store, "loop-0", "3").title == "3"


def test_a_refusal_is_nobody_elses(store: FileStore[LoopState], tmp_path: Path) -> None:
    missing, renamed, unsafe = together(*(partial(rename, store, id, "new") for id in ("none", "old", "old/")))
    assert renamed == "new"
    assert isinstance(missing, NotFound)
    assert isinstance(unsafe, Invalid)
    with files_at(tmp_path) as later:
        assert later.read("old").title == "new"


def test_nobody_reads_what_is_not_durable(store: FileStore[LoopState], tmp_path: Path) -> None:
    def look() -> LoopState:
        assert store.read("old").title == "A title", "and nobody waits for it"
        with files_at(tmp_path) as another:
            assert another.shown("old").state.title == "A title"
        return store.read("old")

    assert together(partial(rename, store, "old", "new"), look) == ["new", "A title"]
    assert store.read("old").title == "new"


@pytest.mark.parametrize("trouble", ["broken", "dies before", "dies after"])
def test_a_folder_that_fails_to_sync_fails_exactly_those_whose_names_are_new(
    tmp_path: Path, store: FileStore[LoopState], disk: Watched, trouble: Trouble
) -> None:
    disk.once("sync_folder", trouble)
    try:
        told = together(partial(create, store, 0), partial(rename, store, "old", "new"), partial(create, store, 1))
    except Died:
        told = list[str | Exception | None]()
    if trouble == "broken":
        assert isinstance(told[0], UncertainCommit)
        assert isinstance(told[2], UncertainCommit)
        assert told[1] == "new"
    else:
        assert not told
    with files_at(tmp_path) as later:
        assert later.read("old").title in ("A title", "new")[trouble == "broken" :]
        for n in range(2):
            with contextlib.suppress(NotFound, Conflict):
                later.create(loop(f"loop-{n}"), actor="user")
            assert later.read(f"loop-{n}").title == "A title", "whatever was left of it is in nobody's way"


def test_a_journal_that_fails_to_sync_fails_alone(tmp_path: Path, store: FileStore[LoopState], disk: Watched) -> None:
    disk.once("sync", "broken", nth=1)
    told = together(*(partial(create, store, n) for n in range(6)))
    (failed,) = (n for n, one in enumerate(told) if isinstance(one, UncertainCommit))
    assert told.count("A title") == 5
    with files_at(tmp_path) as later:
        assert {state.loop_id for state in later.list().items} == {
            "old",
            *(f"loop-{n}" for n in range(6) if n != failed),
        }


@pytest.mark.parametrize("call", ["append", "sync", "sync_folder", "exchange", "rename"])
@pytest.mark.parametrize("nth", range(4))
def test_what_was_acknowledged_together_survives_a_loss_of_power(
    tmp_path: Path, store: FileStore[LoopState], disk: Watched, call: str, nth: int
) -> None:
    told = together(*(partial(create, store, n) for n in range(3)))
    assert told == ["A title"] * 3
    disk.once(call, "dies after", nth=nth)
    told = ["A title"] * 4
    with contextlib.suppress(Died):
        told = together(*(partial(rename, store, id, "new") for id in ("old", "loop-0", "loop-1", "loop-2")))
    lose_power(tmp_path / LOOPS.folder, disk.durable, random.Random(nth))
    with files_at(tmp_path) as later:
        for id, title in zip(("old", "loop-0", "loop-1", "loop-2"), told, strict=True):
            assert later.read(id).title in (title, "new")
