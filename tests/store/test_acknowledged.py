"""What a reader is told was acknowledged, or is durable now: never a line whose writer may have to take it back."""

import errno
import threading
from pathlib import Path

import pytest

from loopwright.core.errors import StoreError, UncertainCommit
from loopwright.store.disk import Disk
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from tests.store.faulty import Died, FaultyDisk
from tests.store.making import EDITED, ID, HandClock, files_at, journal_of, json_of, loop, retitle, tagging


def test_what_a_dead_writer_left_unsynced_is_durable_once_it_was_read(tmp_path: Path) -> None:
    durable: dict[str, bytes] = {}
    writer, reader = FaultyDisk(durable), FaultyDisk(durable)
    with FileStore(tmp_path, LOOPS, HandClock(), disk=reader) as other:
        one = FileStore(tmp_path, LOOPS, HandClock(), disk=writer)
        one.create(loop(), actor="user")
        writer.once("sync", "dies before")
        with pytest.raises(Died):
            retitle(one, "Never acknowledged")
        assert durable[str(journal_of(tmp_path))] != journal_of(tmp_path).read_bytes()
        assert other.read(ID).title == "Never acknowledged"
        assert durable[str(journal_of(tmp_path))] == journal_of(tmp_path).read_bytes()


def test_a_reader_that_can_not_make_it_durable_says_so(tmp_path: Path) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        json_of(tmp_path).unlink()
    disk = FaultyDisk()
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store:
        disk.once("sync", "broken")
        with pytest.raises(StoreError):
            store.read(ID)
        assert store.read(ID).title == "A title"


def test_a_reader_syncs_nothing_while_the_file_is_up_to_date(tmp_path: Path) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        disk = FaultyDisk()
        with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as other:
            assert other.read(ID).title == "A title"
            assert other.list().total == 1
            assert "sync" not in disk.calls


def test_a_failed_sync_takes_its_line_back(tmp_path: Path) -> None:
    """Else another process would append behind a line that may never reach the disk, and acknowledge that."""
    disk = FaultyDisk()
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store, files_at(tmp_path) as other:
        store.create(loop(), actor="user")
        before = journal_of(tmp_path).read_bytes()
        disk.once("sync", "broken")
        with pytest.raises(UncertainCommit):
            retitle(store, "Who knows")
        assert journal_of(tmp_path).read_bytes() == before
        assert retitle(other, "Goes on").engine.rev == 2
        assert store.read(ID).title == "Goes on"


class Slow(Disk):
    """Stops in the middle of an append until it is told to go on, and then fails."""

    def __init__(self) -> None:
        self.halfway, self.go_on = threading.Event(), threading.Event()
        self.armed = False

    def append(self, fd: int, at: int, data: bytes) -> None:
        if not self.armed:
            return super().append(fd, at, data)
        whole_lines = data.rfind(b"\n", 0, -1) + 1
        super().append(fd, at, data[: whole_lines or len(data)])
        self.halfway.set()
        assert self.go_on.wait(10)
        raise OSError(errno.ENOSPC, "injected")


@pytest.mark.parametrize("what", ["read", "events", "list"])
def test_nobody_sees_a_line_that_is_taken_back(tmp_path: Path, what: str) -> None:
    disk = Slow()
    seen: list[object] = []
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store, files_at(tmp_path) as other:
        store.create(loop(), actor="user")
        disk.armed = True
        refused: list[StoreError] = []

        def write() -> None:
            try:
                store.update(ID, tagging("never"), actor="user", event=EDITED)
            except StoreError as error:
                refused.append(error)

        def look() -> None:
            if what == "read":
                seen.append(other.read(ID).tags)
            elif what == "list":
                seen.append(other.list().items[0].tags)
            else:
                seen.append(other.events(ID)[1:] or None)

        writer, reader = threading.Thread(target=write), threading.Thread(target=look)
        writer.start()
        assert disk.halfway.wait(10)
        reader.start()
        reader.join(0.1)
        assert seen in ([], [None]), "it waits, or says what was acknowledged"
        disk.go_on.set()
        writer.join(10)
        reader.join(10)
        assert seen == [None]
        assert len(refused) == 1
        disk.armed = False


def test_a_writer_that_stands_still_does_not_keep_readers_for_ever(tmp_path: Path) -> None:
    disk = Slow()
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store, files_at(tmp_path) as other:
        store.create(loop(), actor="user")
        disk.armed = True

        def write() -> None:
            with pytest.raises(StoreError):
                retitle(store, "x")

        writer = threading.Thread(target=write)
        writer.start()
        assert disk.halfway.wait(10)
        assert other.read(ID).title in ("A title", "x")
        disk.go_on.set()
        writer.join(10)
        disk.armed = False
