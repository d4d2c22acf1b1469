"""A disk that fails: nothing is acknowledged that is not kept, and nothing is kept that was refused."""

import errno
import threading
from pathlib import Path

import pytest

from loopwright.core.errors import StoreError, UncertainCommit
from loopwright.store.disk import Disk
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from tests.store.making import (
    EDITED,
    ID,
    HandClock,
    files_at,
    journal_of,
    json_of,
    loop,
    retitle,
    tagging,
)
from tests.store.stranger import independent_replay


class FailingDisk(Disk):
    """Fails the calls that are named in `failing` with the error given there."""

    def __init__(self) -> None:
        self.failing: dict[str, int] = {}
        self.calls: list[str] = []

    def _try(self, call: str) -> None:
        self.calls.append(call)
        if call in self.failing:
            raise OSError(self.failing[call], "injected")

    def append(self, fd: int, at: int, data: bytes) -> None:
        if "append" in self.failing:
            super().append(fd, at, data[: len(data) // 2])
        self._try("append")
        super().append(fd, at, data)

    def sync(self, fd: int) -> None:
        self._try("sync")
        super().sync(fd)

    def sync_folder(self, path: str) -> None:
        self._try("sync_folder")
        super().sync_folder(path)

    def truncate(self, fd: int, size: int) -> None:
        self._try("truncate")
        super().truncate(fd, size)

    def replace(self, path: str, data: bytes, *, durable: bool = False) -> None:
        self._try("replace")
        super().replace(path, data, durable=durable)

    def swap(self, path: str, data: bytes, *, fresh: bool) -> None:
        self._try("swap")
        super().swap(path, data, fresh=fresh)


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk()


def on(root: Path, disk: FailingDisk) -> FileStore:  # type: ignore[type-arg]  # the loops' own
    return FileStore(root, LOOPS, HandClock(), disk=disk)


def test_a_step_is_one_append_one_sync_one_swap(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        disk.calls.clear()
        retitle(store, "B")
        assert disk.calls == ["append", "sync", "swap", "append"]


def test_a_creation_syncs_its_folder_too(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        disk.calls.clear()
        store.create(loop("loop-2"), actor="user")
        assert [call for call in disk.calls if call.startswith("sync")] == ["sync", "sync_folder"]


def test_a_full_disk_refuses_and_keeps_what_was(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        state = retitle(store, "Kept")
        journal = journal_of(tmp_path).read_bytes()
        disk.failing = {"append": errno.ENOSPC}
        for _ in range(2):
            with pytest.raises(StoreError, match="could not be written"):
                retitle(store, "Refused")
            assert journal_of(tmp_path).read_bytes() == journal
        assert store.read(ID) == state
        disk.failing = {}
        assert retitle(store, "Goes on").engine.rev == state.engine.rev + 1
    assert independent_replay(journal_of(tmp_path).read_bytes())["title"] == "Goes on"


def test_a_failed_creation_leaves_the_id_free(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop("loop-0"), actor="user")
        disk.failing = {"append": errno.ENOSPC}
        with pytest.raises(StoreError):
            store.create(loop(), actor="user")
        disk.failing = {}
        assert store.create(loop(), actor="user").engine.rev == 1


def test_what_can_not_be_taken_back_is_uncertain(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        disk.failing = {"append": errno.EIO, "truncate": errno.EIO}
        with pytest.raises(UncertainCommit):
            retitle(store, "Half a line")
        disk.failing = {}
        with pytest.raises(UncertainCommit):
            retitle(store, "Refused")
    with files_at(tmp_path) as store:
        assert store.read(ID).title == "A title"
        assert retitle(store, "By another process").engine.rev == 2


def test_a_failed_sync_closes_the_loop_for_writing_and_is_never_tried_again(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        store.create(loop("loop-2"), actor="user")
        disk.failing = {"sync": errno.EIO}
        with pytest.raises(UncertainCommit, match="may or may not"):
            retitle(store, "Who knows")
        disk.failing = {}
        disk.calls.clear()
        for attempt in (retitle, retitle):
            with pytest.raises(UncertainCommit, match="failed earlier"):
                attempt(store, "Refused")
        with pytest.raises(UncertainCommit):
            store.recover(ID, actor="user")
        assert disk.calls == []
        assert store.read(ID).title in ("A title", "Who knows")
        assert retitle(store, "Others go on", "loop-2").title == "Others go on"


@pytest.mark.parametrize("call", ["swap", "replace"])
def test_a_projection_that_fails_is_no_error_and_is_made_up_for(tmp_path: Path, disk: FailingDisk, call: str) -> None:
    task = {"task_id": "t", "description": "d", "created_at": "2026-01-22T10:00:00+08:00"}
    task["updated_at"] = task["created_at"]
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        disk.failing = {call: errno.ENOSPC}
        with_tasks = loop(engine={"tasks": [task]}).engine.tasks
        state = store.update(ID, lambda s: s.evolve(engine=s.engine.evolve(tasks=with_tasks)), actor="u", event=EDITED)
        state = store.update(ID, tagging("a"), actor="user", event=EDITED)
        assert store.read(ID) == state
        with files_at(tmp_path) as other:
            assert other.read(ID) == state
        disk.failing = {}
        state = store.update(ID, tagging("b"), actor="user", event=EDITED)
        assert state.engine.incidents == ()
        assert b'"b"' in json_of(tmp_path).read_bytes()
        assert b'"task_id":"t"' in (json_of(tmp_path).with_suffix(".tasks.jsonl")).read_bytes()
    names = {path.name for path in json_of(tmp_path).parent.iterdir()}
    assert names == {f"{ID}.json", f"{ID}.events.ndjson", f"{ID}.lock", f"{ID}.tasks.jsonl"}


def test_those_who_came_along_learn_of_the_failure_too(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        before = store.read(ID)
        disk.failing = {"append": errno.ENOSPC}
        refused: list[BaseException] = []

        def work(n: int) -> None:
            try:
                store.update(ID, tagging(str(n)), actor="user", event=EDITED)
            except StoreError as error:
                refused.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 6
        assert store.read(ID) == before


def test_a_burst_shares_syncs_and_the_file_catches_up(tmp_path: Path, disk: FailingDisk) -> None:
    with on(tmp_path, disk) as store:
        store.create(loop(), actor="user")
        disk.calls.clear()
        start = threading.Barrier(8)

        def work(me: int) -> None:
            start.wait()
            for n in range(20):
                store.update(ID, tagging(f"{me}-{n}"), actor="user", event=EDITED)

        threads = [threading.Thread(target=work, args=(me,)) for me in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.events(ID)) == 161
        assert disk.calls.count("sync") < 160
        assert disk.calls.count("swap") <= disk.calls.count("sync")
        with files_at(tmp_path) as other:
            assert other.read(ID) == store.read(ID)
    assert independent_replay(journal_of(tmp_path).read_bytes())["engine"]["rev"] == 161
    assert b'"rev": 161' in json_of(tmp_path).read_bytes()
