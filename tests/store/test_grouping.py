"""Turns: one works, the others come along; those who create wait together for the sync of their folder."""

import contextlib
import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, NotFound, StoreError, UncertainCommit
from loopwright.store.files import FileStore
from loopwright.store.writer import GroupCommit
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

    def work(items: Sequence[int], busy: Callable[[], bool]) -> None:
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
    def work(items: Sequence[str], busy: Callable[[], bool]) -> None:
        if "bad" in items:
            raise KeyboardInterrupt

    turns: GroupCommit[str] = GroupCommit(work)
    with pytest.raises(KeyboardInterrupt):
        turns.run("bad")
    turns.run("good")


class GatedDisk(FaultyDisk):
    """The first sync of the states' folder waits until it is let go; `told` has every sync in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.first, self.go_on = threading.Event(), threading.Event()

    def sync(self, fd: int) -> None:
        name = Path(os.readlink(f"/proc/self/fd/{fd}")).name
        super().sync(fd)
        self.told.append(name.split(".")[0])

    def sync_folder(self, path: str) -> None:
        if path.endswith(LOOPS.folder):
            self.told.append("folder")
            if not self.first.is_set():
                self.first.set()
                assert self.go_on.wait(10)
        super().sync_folder(path)


class Creation(threading.Thread):
    """Somebody who creates a loop; `error` is what they were told."""

    def __init__(self, store: FileStore[LoopState], id: str) -> None:
        super().__init__()
        self._store, self.id = store, id
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._store.create(loop(self.id), actor="user")
        except BaseException as error:  # noqa: BLE001  # a death too
            self.error = error


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[tuple[GatedDisk, list[Creation]]]:
    """Four creations: the first is at the sync of the folder, the others wait for the next one."""
    disk = GatedDisk()
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store:
        all_of_them = [Creation(store, f"loop-{n}") for n in range(4)]
        all_of_them[0].start()
        assert disk.first.wait(10)
        for one in all_of_them[1:]:
            one.start()
        (turns,) = store._writer._folders._turns.values()
        while len(turns._waiting) < 3:
            threading.Event().wait(0.001)
        yield disk, all_of_them
        disk.dead = False


def let_go(disk: GatedDisk, creations: list[Creation]) -> list[str]:
    """Who was told that theirs is created."""
    disk.go_on.set()
    for one in creations:
        one.join(10)
    return [one.id for one in creations if one.error is None]


def test_creations_that_wait_share_a_sync_of_their_folder(gated: tuple[GatedDisk, list[Creation]]) -> None:
    disk, creations = gated
    assert let_go(disk, creations) == ["loop-0", "loop-1", "loop-2", "loop-3"]
    assert disk.told[:2] == ["loop-0", "folder"]
    assert sorted(disk.told[2:5]) == ["loop-1", "loop-2", "loop-3"], "each journal before the folder that has its name"
    assert disk.told[5:] == ["folder"]


@pytest.mark.parametrize("trouble", ["broken", "dies before", "dies after"])
def test_a_folder_that_fails_to_sync_fails_exactly_those_who_waited_for_it(
    tmp_path: Path, gated: tuple[GatedDisk, list[Creation]], trouble: Trouble
) -> None:
    disk, creations = gated
    disk.once("sync_folder", trouble, nth=1)
    told = let_go(disk, creations)
    assert told == ["loop-0"] or (trouble != "broken" and not told), "a death may also come before its answer"
    assert all(isinstance(one.error, (UncertainCommit, StoreError, Died)) for one in creations[1:])
    with files_at(tmp_path) as later:
        assert later.read("loop-0").title == "A title"
        for one in creations[1:]:
            with contextlib.suppress(NotFound, Conflict):
                later.create(loop(one.id), actor="user")
            assert later.read(one.id).title == "A title", "whatever was left of it is in nobody's way"


def test_a_journal_that_fails_to_sync_fails_its_creator_alone(tmp_path: Path) -> None:
    disk = GatedDisk()
    disk.go_on.set()
    disk.once("sync", "broken", nth=1)
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store:
        creations = [Creation(store, f"loop-{n}") for n in range(6)]
        for one in creations:
            one.start()
        kept = let_go(disk, creations)
        (failed,) = (one for one in creations if one.error)
        assert isinstance(failed.error, UncertainCommit)
        with files_at(tmp_path) as later:
            assert {state.loop_id for state in later.list().items} == {*kept}


def test_what_was_created_together_survives_a_loss_of_power(
    tmp_path: Path, gated: tuple[GatedDisk, list[Creation]]
) -> None:
    disk, creations = gated
    disk.once("sync_folder", "dies after", nth=1)
    kept = let_go(disk, creations)
    lose_power(tmp_path / LOOPS.folder, disk.durable, random.Random(1))
    with files_at(tmp_path) as later:
        assert {*kept} <= {state.loop_id for state in later.list().items}
