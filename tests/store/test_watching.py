"""Waiting for changes in a folder that comes, goes and floods."""

import select
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loopwright.processes.inotify import Inotify
from loopwright.store.change_notifier import FolderChangeWatcher
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.store.making import files_at, journal_of, json_of, loop, retitle


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore[LoopState]]:
    with files_at(tmp_path) as store:
        yield store


def told(watching: FolderChangeWatcher) -> bool:
    return bool(select.select([watching.fileno()], [], [], 10)[0])


def begun(tmp_path: Path) -> FolderChangeWatcher:
    watching = FolderChangeWatcher.on(tmp_path / LOOPS.folder, tmp_path)
    assert watching is not None
    return watching


@pytest.mark.parametrize("there", ["", ".workflow"])
def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path, store: FileStore[LoopState], there: str) -> None:
    (tmp_path / there).mkdir(exist_ok=True)
    with closing(begun(tmp_path)) as watching:
        (tmp_path / "something else").write_text("")
        (tmp_path / there / "or other").mkdir(parents=True)
        changes = watching.changes()
        assert changes == (frozenset(), frozenset(), frozenset())
        store.create(loop(), actor="user")
        assert told(watching)
        assert watching.changes() is None, "look at all, and begin anew"
    with closing(begun(tmp_path)) as watching:
        retitle(store, "B")
        assert (changes := watching.changes()) is not None
        assert changes.shown == {"loop-1"}


@pytest.mark.parametrize("gone", [".workflow", LOOPS.folder])
def test_a_folder_that_goes_is_noticed(tmp_path: Path, store: FileStore[LoopState], gone: str) -> None:
    store.create(loop(), actor="user")
    with closing(begun(tmp_path)) as watching:
        shutil.rmtree(tmp_path / gone)
        assert told(watching)
        assert watching.changes() is None


def test_a_folder_that_is_moved_away_is_noticed(tmp_path: Path, store: FileStore[LoopState]) -> None:
    store.create(loop(), actor="user")
    with closing(begun(tmp_path)) as watching:
        (tmp_path / LOOPS.folder).rename(tmp_path / "elsewhere")
        assert watching.changes() is None


def test_an_overflow_is_noticed(tmp_path: Path, store: FileStore[LoopState]) -> None:
    store.create(loop(), actor="user")
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    one, other = (tmp_path / LOOPS.folder / name for name in ("a.json", "b.json"))
    one.write_text("")
    with closing(begun(tmp_path)) as watching:
        for _ in range(most // 4 + 1):
            one.rename(other)
            other.rename(one)
        assert watching.changes() is None


def test_nobody_is_woken_for_progress_files_that_nobody_hears(tmp_path: Path, store: FileStore[LoopState]) -> None:
    store.create(loop(), actor="user")
    store.append_progress("loop-1", "a.log", [b"1"])
    with closing(begun(tmp_path)) as watching:
        watching.hear("loop-1")
        watching.ignore("loop-1")
        watching.changes()
        store.append_progress("loop-1", "a.log", [b"2"])
        assert select.select([watching.fileno()], [], [], 0)[0] == []


def test_no_watch_is_no_failure(tmp_path: Path, store: FileStore[LoopState], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inotify, "opened", classmethod(lambda cls: None))
    assert store.watch() is None


def test_a_commit_that_is_not_shown_is_told_as_written(tmp_path: Path, store: FileStore[LoopState]) -> None:
    store.create(loop(), actor="user")
    with closing(begun(tmp_path)) as watching:
        with journal_of(tmp_path).open("ab") as journal:
            journal.write(b"{")
        assert (changes := watching.changes()) is not None
        assert changes.shown == frozenset()
        assert changes.written == {"loop-1"}


def test_a_file_that_is_behind_its_journal_shows_what_it_has(tmp_path: Path, store: FileStore[LoopState]) -> None:
    """As after the death of a writer between the sync and the JSON file."""
    store.create(loop(), actor="user")
    before = json_of(tmp_path).read_bytes()
    retitle(store, "B")
    json_of(tmp_path).write_bytes(before)
    with files_at(tmp_path) as other:
        assert other.shown("loop-1").state.engine.rev == 1
        assert [entry.seq for entry in other.shown("loop-1").entries] == [1]
        assert other.read("loop-1").engine.rev == 2
        assert other.revs() == {"loop-1": 2}


@pytest.mark.parametrize("strange", [b"", b"{}", b"\0" * 200])
def test_a_file_that_shows_no_commit_is_not_believed(
    tmp_path: Path, store: FileStore[LoopState], strange: bytes
) -> None:
    store.create(loop(), actor="user")
    retitle(store, "B")
    json_of(tmp_path).write_bytes(strange)
    with files_at(tmp_path) as other:
        assert other.shown("loop-1").state == other.read("loop-1")
        assert [entry.seq for entry in other.shown("loop-1").entries] == [1, 2]


def test_a_progress_folder_that_comes_and_goes_is_heard(tmp_path: Path, store: FileStore[LoopState]) -> None:
    store.create(loop(), actor="user")
    folder = store.progress_path("loop-1")
    with closing(begun(tmp_path)) as watching:
        watching.hear("loop-1")
        for n in range(3):
            store.append_progress("loop-1", "a.log", [b"%d" % n])
            assert (changes := watching.changes()) is not None
            assert changes.noted == {"loop-1"}
            store.append_progress("loop-1", "a.log", [b"more"])
            assert (changes := watching.changes()) is not None
            assert changes.noted == {"loop-1"}
            shutil.rmtree(folder)
            watching.changes()
