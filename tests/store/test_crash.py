"""A process that dies at any one of its system calls: what it acknowledged is there, and its place is usable."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loopwright.core.errors import NotFound
from loopwright.store.disk import Disk
from loopwright.store.files import FileStore
from loopwright.store.kind import StateKind
from loopwright.store.mac_chain import SealFolder
from loopwright.wiring.stores import LOOPS
from tests.store.making import EDITED, ID, SHORT, HandClock, loop, retitle, tagging, tuning
from tests.store.stranger import independent_replay
from tests.tables import each

CALLS = ("append", "sync", "truncate", "replace", "swap", "sync_folder", "make_folder", "remove", "remove_folder")


class Sort(NamedTuple):
    """States side by side, and states with folders of their own."""

    kind: StateKind[Any]  # Any: what is written is the same
    made: Callable[..., Any]
    sealed: bool = False

    def store(self, root: Path, disk: Disk | None = None) -> FileStore[Any]:
        seals = SealFolder(root.parent / f"{root.name}-seals") if self.sealed else None
        return FileStore(root, self.kind, HandClock(), disk=disk, seals=seals)


SORTS = {"loops": Sort(LOOPS, loop), "tunings": Sort(SHORT, tuning), "loops with MACs": Sort(LOOPS, loop, sealed=True)}


class Died(BaseException):
    """No handler of the program knows this one, as none knows of a kill."""


class DyingDisk(Disk):
    """Dies at the n-th call, and at every one after it; an append that dies has written half of its bytes."""

    def __init__(self, dies_at: int) -> None:
        self.left = dies_at

    def _live(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Died

    def append(self, fd: int, at: int, data: bytes) -> None:
        if self.left == 0:
            super().append(fd, at, data[: len(data) // 2])
        self._live()
        super().append(fd, at, data)

    def sync(self, fd: int) -> None:
        self._live()
        super().sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        self._live()
        super().truncate(fd, size)

    def replace(self, path: str, data: bytes, *, durable: bool = False) -> None:
        self._live()
        super().replace(path, data, durable=durable)

    def swap(self, path: str, data: bytes, *, fresh: bool) -> None:
        self._live()
        super().swap(path, data, fresh=fresh)

    def sync_folder(self, path: str) -> None:
        self._live()
        super().sync_folder(path)

    def make_folder(self, path: Path) -> None:
        self._live()
        super().make_folder(path)

    def remove(self, path: str) -> None:
        self._live()
        super().remove(path)

    def remove_folder(self, path: str) -> None:
        self._live()
        super().remove_folder(path)


def life(sort: Sort, root: Path, disk: Disk) -> Iterator[str | None]:
    """A state's life; yields its title each time it was acknowledged, None when the state is gone."""
    store = sort.store(root, disk)
    yield store.create(sort.made(title="0"), actor="user").title
    for n in (1, 2, 3):
        yield retitle(store, str(n)).title
    with store.lease(ID) as lease:
        yield store.read(ID).title
        yield retitle(store, "4", epoch=lease.epoch).title
    store.write_progress(ID, {"develop.md": b"x"})
    store.delete(ID, actor="user")
    yield None
    yield store.create(sort.made(title="5"), actor="user").title
    store.close()


def titles_until_death(sort: Sort, root: Path, dies_at: int) -> tuple[list[str | None], bool]:
    told: list[str | None] = []
    try:
        told.extend(life(sort, root, DyingDisk(dies_at)))
    except Died:
        return told, True
    return told, False


def whole_life(sort: Sort, tmp_path: Path) -> int:
    tmp_path.mkdir()
    disk = DyingDisk(10_000)
    list(life(sort, tmp_path, disk))
    return 10_000 - disk.left


@pytest.mark.parametrize("sort", SORTS.values(), ids=SORTS)
def test_death_at_every_call(tmp_path: Path, sort: Sort) -> None:
    calls = whole_life(sort, tmp_path / "whole")
    assert calls > 50
    following = {None: "5", "0": "1", "1": "2", "2": "3", "3": "4", "4": None, "5": None}
    for dies_at in range(calls):
        root = tmp_path / str(dies_at)
        root.mkdir()
        told, died = titles_until_death(sort, root, dies_at)
        assert died
        acknowledged = told[-1] if told else "nothing"
        possible = {acknowledged, following[acknowledged]} if told else {None, "0"}
        with sort.store(root) as store:
            try:
                seen: str | None = store.read(ID).title
            except NotFound:
                seen = None
            assert seen in possible, f"died at call {dies_at} after {told}"
            assert [s.title for s in store.list().items] == ([] if seen is None else [seen])
            assert store.damaged() == {}
            if seen is None:
                store.create(sort.made(title="new"), actor="user")
            with store.lease(ID):
                after = store.update(ID, tagging("after"), actor="user", event=EDITED)
            assert after.engine.incidents == ()
            assert store.read(ID).tags == ("after",)
        journal = Path(sort.kind.layout(root / sort.kind.folder).paths(ID).journal)
        assert independent_replay(journal.read_bytes())["tags"] == ["after"]


@each("call", CALLS)
def test_every_call_is_one_that_can_die(call: str) -> None:
    assert call in DyingDisk.__dict__
