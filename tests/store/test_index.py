"""Listing costs what its page costs, and is true at every moment."""

from datetime import timedelta
from pathlib import Path

import pytest

from loopwright.store.change_notifier import FolderChangeWatcher
from loopwright.store.disk import Disk
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from tests.store.making import HandClock, files_at, journal_of, json_of, loop, retitle


class CountingDisk(Disk):
    def __init__(self) -> None:
        self.reads = 0

    def read(self, path: str) -> bytes | None:
        self.reads += 1
        return super().read(path)


def test_a_second_list_reads_only_what_has_changed(tmp_path: Path) -> None:
    disk = CountingDisk()
    with files_at(tmp_path) as writer, FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store:
        for n in range(40):
            writer.create(loop(f"loop-{n}"), actor="user")
        assert store.list(limit=5).total == 40
        disk.reads = 0
        assert store.list(limit=5).total == 40
        assert disk.reads == 0
        for id in ("loop-0", "loop-7"):
            retitle(writer, "B", id)
        disk.reads = 0
        page = store.list(limit=5)
        assert [state.loop_id for state in page.items if state.title == "B"] == ["loop-0"], "the page has loop-0 only"
        assert disk.reads == 4, "both JSON files for the order; one of them for the page, where memory is behind"


def test_without_a_watch_everything_is_looked_at_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system may have no watch left to give; there is no other way to make it so."""
    monkeypatch.setattr(FolderChangeWatcher, "on", lambda folder, root: None)
    with files_at(tmp_path) as writer, files_at(tmp_path) as store:
        for n in range(3):
            writer.create(loop(f"loop-{n}"), actor="user")
            assert store.list().total == n + 1
        retitle(writer, "B", "loop-1")
        assert {s.title for s in store.list().items} == {"A title", "B"}
        writer.delete("loop-1", actor="user")
        assert store.list().total == 2


def test_more_news_than_the_kernel_keeps_means_a_new_look(tmp_path: Path) -> None:
    watch = FolderChangeWatcher.on(tmp_path, tmp_path)
    assert watch is not None
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    here, there = tmp_path / "here", tmp_path / "there"
    here.touch()
    for _ in range(limit // 2 + 10):
        here.rename(there)
        here, there = there, here
    assert watch.changed() is None
    watch.close()
    assert watch.changed() is None


def test_a_folder_that_goes_away_and_comes_back(tmp_path: Path) -> None:
    import shutil

    with files_at(tmp_path) as store:
        assert store.list().total == 0
        store.create(loop(), actor="user")
        assert store.list().total == 1
        shutil.rmtree(tmp_path / ".workflow")
        assert store.list().total == 0
        store.create(loop(), actor="user")
        assert store.list().total == 1


def test_changes_by_hand_are_seen(tmp_path: Path) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        assert store.list(status="running").total == 0
        text = json_of(tmp_path).read_text()
        json_of(tmp_path).write_text(text.replace('"created"', '"running"', 1))
        assert store.list(status="running").total == 1
        journal_of(tmp_path).write_bytes(b"")
        json_of(tmp_path).write_bytes(b"{")
        assert store.list().total == 0
        assert len(store.damaged()) == 1


def test_order_follows_the_moment_not_the_text(tmp_path: Path) -> None:
    clock = HandClock()
    with FileStore(tmp_path, LOOPS, clock) as store:
        store.create(loop("loop-a"), actor="user")
        clock.at = (clock.at + timedelta(seconds=1)).astimezone(tz=None)
        store.create(loop("loop-b"), actor="user")
        clock.at += timedelta(seconds=1)
        store.create(loop("loop-c"), actor="user")
        assert [s.loop_id for s in store.list().items] == ["loop-c", "loop-b", "loop-a"]
