"""Real processes on one folder, some of them killed."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict
from loopwright.store.disk import Disk
from loopwright.store.lease import find_holder
from tests.store.making import EDITED, ID, files_at, journal_of, json_of, loop, retitle, tagging
from tests.store.stranger import independent_replay

ROOT = Path(__file__).parent.parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}


@contextmanager
def worker(root: Path, *command: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.worker", str(root), *command],
        env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def rest(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    return process.stdout.read().split()


def test_eight_processes_lose_nothing_and_readers_see_whole_files(tmp_path: Path) -> None:
    from contextlib import ExitStack

    with files_at(tmp_path) as store, ExitStack() as stack:
        store.create(loop(), actor="user")
        workers = [stack.enter_context(worker(tmp_path, "tags", f"w{n}", "50")) for n in range(8)]
        reads, last = 0, 0
        while any(process.poll() is None for process in workers):
            seen = json.loads(json_of(tmp_path).read_bytes())
            assert seen["engine"]["rev"] >= last, "a file never goes back"
            last = seen["engine"]["rev"]
            exact = store.read(ID)
            assert exact.engine.rev >= last
            assert len(exact.tags or ()) == exact.engine.rev - 1
            reads += 1
        acknowledged = [tag for process in workers for tag in rest(process)]
        assert len(acknowledged) == 400
        state = store.read(ID)
    assert sorted(state.tags or ()) == sorted(acknowledged)
    assert state.engine.incidents == ()
    assert reads > 10
    assert independent_replay(journal_of(tmp_path).read_bytes()) == state.model_dump(mode="json")


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
    with worker(tmp_path, "tags", "w", "100000") as process:
        told = [line(process) for _ in range(chance.randint(1, 60))]
        spin = chance.randint(0, 20_000)
        while spin:
            spin -= 1
        process.send_signal(signal.SIGKILL)
        told += rest(process)
    told = [tag for tag in told if tag.startswith("w-")]
    with files_at(tmp_path) as store:
        tags = store.read(ID).tags or ()
        assert list(tags[: len(told)]) == told
        assert len(tags) <= len(told) + 1, "at most one was kept whose acknowledgement was cut off"
        assert store.list().total == 1
        after = retitle(store, "Goes on")
        assert after.tags == tags
        assert after.engine.incidents == ()
    assert independent_replay(journal_of(tmp_path).read_bytes()) == after.model_dump(mode="json")


def test_a_lease_ends_with_its_process(tmp_path: Path) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        with worker(tmp_path, "lease") as process:
            assert line(process) == "1"
            assert store.holder(ID) == process.pid
            with pytest.raises(Conflict, match=str(process.pid)), store.lease(ID):
                pass
            with pytest.raises(Conflict):
                store.delete(ID, actor="user")
            process.kill()
            process.wait()
            assert store.holder(ID) is None
            with store.lease(ID) as lease:
                assert lease.epoch == 2


def test_a_forked_child_holds_no_lease(tmp_path: Path) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        with worker(tmp_path, "fork") as process:
            assert {line(process), line(process)} == {"child", "1"}
            process.wait()
            assert store.holder(ID) is None, "the child lives on, but the lease does not"
            with store.lease(ID) as lease:
                assert lease.epoch == 2


def test_a_recycled_process_id_is_nobody(tmp_path: Path) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        with store.lease(ID):
            path = tmp_path / ".workflow/.loop" / f"{ID}.lease"
            signed = json.loads(path.read_text())
            assert find_holder(Disk(), str(path)) == os.getpid()
            path.write_text(json.dumps({**signed, "started": signed["started"] - 1}))
            assert find_holder(Disk(), str(path)) is None
            path.write_text("")
            assert find_holder(Disk(), str(path)) is None


def test_two_stores_see_each_other(tmp_path: Path) -> None:
    with files_at(tmp_path) as one, files_at(tmp_path) as two:
        one.create(loop(), actor="user")
        assert [s.title for s in two.list().items] == ["A title"]
        for n in range(5):
            mine, other = (one, two) if n % 2 else (two, one)
            mine.update(ID, tagging(str(n)), actor="user", event=EDITED)
            assert len(other.read(ID).tags or ()) == n + 1
            assert [len(s.tags or ()) for s in other.list().items] == [n + 1]
        one.create(loop("loop-2"), actor="user")
        assert two.list().total == 2
        one.delete(ID, actor="user")
        assert [s.loop_id for s in two.list().items] == ["loop-2"]


def test_a_reader_that_is_still_reading_keeps_its_file(tmp_path: Path) -> None:
    """The JSON file is written over only when nobody has it open."""
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        retitle(store, "One")
        with json_of(tmp_path).open("rb") as slow:
            before = slow.read(100)
            for n in range(5):
                retitle(store, f"Title {n}")
            document = json.loads(before + slow.read())
        assert document["title"] == "One"
        assert store.read(ID).title == "Title 4"
