"""While a runner lives, nothing that is done to its files gains anything: it remembers, and puts everything back."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.errors import Conflict, NotFound, StoreError
from loopwright.store.files import FileStore
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.store.making import EDITED, ID, files_at, loop, retitle, tagging
from tests.store.stranger import independent_replay
from tests.store.tampering import ATTACKS, Files

TASK = {"task_id": "t", "description": "d", "created_at": "2026-01-22T10:00:00+08:00"}
STATE: dict[str, Any] = {  # fields as they come from a file
    "status": "running",
    "current_iteration": 2,
    "skill_state": {"completed_actions": ["INIT"]},
    "engine": {"tasks": [{**TASK, "updated_at": TASK["created_at"]}]},
}


def some_history(store: FileStore[LoopState]) -> None:
    store.create(loop(**STATE), actor="user")
    for n in range(4):
        store.update(ID, tagging(f"before-{n}"), actor="user", event=EDITED)


def assert_untouched(state: LoopState, good: LoopState) -> None:
    """All but what is counted and recorded, and what every command may change."""
    loose = {"updated_at": good.updated_at, "engine": good.engine, "max_iterations": good.max_iterations}
    assert state.evolve(**loose) == good
    books = {"rev", "digest", "journal_bytes", "incidents"}
    assert state.engine.evolve(**{name: getattr(good.engine, name) for name in books}) == good.engine


def assert_all_files_agree(root: Path, state: LoopState) -> None:
    files = Files(root, ID)
    assert independent_replay(files.journal.read_bytes()) == json.loads(files.json.read_bytes())
    assert json.loads(files.json.read_bytes()) == state.model_dump(mode="json")
    assert [json.loads(line)["task_id"] for line in files.tasks.read_text().splitlines()] == ["t"]
    assert (files.top / ".gitignore").read_text() == "*\n"
    with files_at(root) as other:
        assert other.read(ID) == state


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("notices", ["reading", "committing", "writing progress"])
def test_whatever_is_done_meanwhile_gains_nothing(tmp_path: Path, name: str, notices: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    with files_at(root) as store:
        some_history(store)
        with store.lease(ID) as lease:
            store.write_progress(ID, {"develop.md": b"x"})
            good = store.update(ID, tagging("mine"), actor="runner", event=EDITED, epoch=lease.epoch)
            ATTACKS[name](Files(root, ID), random.Random(SEED))
            if notices == "reading":
                assert_untouched(store.read(ID), good)
            elif notices == "writing progress":
                store.append_progress(ID, "changes.log", [b"{}"])
            after = store.update(ID, tagging("after"), actor="runner", event=EDITED, epoch=lease.epoch)
            assert_untouched(after.evolve(tags=good.tags), good)
            assert store.read(ID) == after
            assert_all_files_agree(root, after)
            with files_at(root) as other:
                assert other.holder(ID) is not None
                with pytest.raises(Conflict), other.lease(ID):
                    pass
        with store.lease(ID) as lease:
            assert lease.epoch == 2
    precious = root / "precious.txt"
    assert not precious.exists() or precious.read_text() == "precious", "nothing was written through a link"


@pytest.mark.parametrize(
    "name", ["succeeded", "succeeded everywhere", "skill state", "epoch", "settings", "validation", "line duplicated",
             "rm -rf .workflow", "journal truncated", "tombstone", ".workflow a link elsewhere"],
)  # fmt: skip
def test_what_was_put_back_is_recorded(tmp_path: Path, name: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    with files_at(root) as store:
        some_history(store)
        with store.lease(ID):
            ATTACKS[name](Files(root, ID), random.Random(SEED))
            kinds = {incident.kind for incident in store.read(ID).engine.incidents}
    assert kinds & {"journal_forged", "state_rebuilt"}, kinds


def test_commands_of_others_count_while_a_runner_lives(tmp_path: Path) -> None:
    from loopwright.workflows.loop import commands

    with files_at(tmp_path) as store, files_at(tmp_path) as other:
        some_history(store)
        with store.lease(ID) as lease:
            other.update(ID, commands.pause, actor="user", event=EDITED)
            retitle(other, "Theirs")
            assert (store.read(ID).status, store.read(ID).title) == ("paused", "Theirs")
            other.update(ID, lambda s: commands.resume(s, live=True), actor="user", event=EDITED)
            other.update(ID, lambda s: commands.edit(s, {"max_iterations": 50}), actor="user", event=EDITED)
            at = store.read(ID).updated_at
            store.update(ID, tagging("mine"), actor="runner", event=EDITED, epoch=lease.epoch)
            after = other.update(ID, lambda s: commands.stop(s, at), actor="user", event=EDITED)
            assert store.read(ID) == after
            assert (after.status, after.max_iterations, after.engine.outcome) == ("failed", 50, "stopped")
            again = other.update(ID, commands.reopen, actor="user", event=EDITED)
            assert store.read(ID) == again
            assert again.engine.incidents == ()


def test_what_others_acknowledged_before_the_folder_went_is_kept(tmp_path: Path) -> None:
    with files_at(tmp_path) as store, files_at(tmp_path) as other:
        some_history(store)
        with store.lease(ID):
            other.update(ID, tagging("theirs"), actor="user", event=EDITED)
            history = len(store.events(ID))
            other.update(ID, tagging("theirs too"), actor="user", event=EDITED)
            ATTACKS["rm -rf .workflow"](Files(tmp_path, ID), random.Random(1))
            with pytest.raises(NotFound):
                other.read(ID)
            assert (store.read(ID).tags or ())[-2:] == ("theirs", "theirs too")
            assert len(store.events(ID)) == history + 2, "no line of the history is lost"
            assert other.read(ID) == store.read(ID)


def test_a_folder_that_is_removed_again_and_again(tmp_path: Path) -> None:
    """Somebody runs rm -rf .workflow in a loop of his own beside the runner."""
    import shutil
    import threading

    ended = threading.Event()

    def remover() -> None:
        while not ended.wait(0.04):
            shutil.rmtree(tmp_path / ".workflow", ignore_errors=True)

    with files_at(tmp_path) as store:
        some_history(store)
        with store.lease(ID) as lease:
            thread = threading.Thread(target=remover)
            thread.start()
            try:
                for n in range(60):
                    store.update(ID, tagging(f"n-{n}"), actor="runner", event=EDITED, epoch=lease.epoch)
                    store.append_progress(ID, "transcript.ndjson", [b"{}"])
            finally:
                ended.set()
                thread.join()
            after = store.read(ID)
            assert (after.tags or ())[4:] == tuple(f"n-{n}" for n in range(60))
            store.update(ID, tagging("last"), actor="runner", event=EDITED, epoch=lease.epoch)
            assert_all_files_agree(tmp_path, store.read(ID))


def test_the_lease_is_one_also_without_its_file(tmp_path: Path) -> None:
    with files_at(tmp_path) as store, files_at(tmp_path) as other:
        some_history(store)
        with store.lease(ID):
            Files(tmp_path, ID).lease.unlink()
            with pytest.raises(Conflict), other.lease(ID):
                pass
            store.read(ID)
            assert other.holder(ID) is not None, "the file is back"
        with other.lease(ID) as lease:
            assert lease.epoch == 2


def test_a_journal_that_goes_while_a_line_is_appended_keeps_nothing_quietly(tmp_path: Path) -> None:
    from loopwright.store.disk import Disk
    from loopwright.wiring.stores import LOOPS
    from tests.store.making import HandClock

    class Removing(Disk):
        """Somebody removes the journal between the append and the sync."""

        armed = False

        def sync(self, fd: int) -> None:
            super().sync(fd)
            if self.armed:
                Files(tmp_path, ID).journal.unlink()
                self.armed = False

    disk = Removing()
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk) as store:
        some_history(store)
        disk.armed = True
        with pytest.raises(StoreError, match="removed while it was being written"):
            retitle(store, "Acknowledged?")
        assert retitle(store, "Goes on with the JSON file").tags == tuple(f"before-{n}" for n in range(4))
        with store.lease(ID):
            disk.armed = True
            assert retitle(store, "Kept").title == "Kept"
    with files_at(tmp_path) as store:
        assert store.read(ID).title == "Kept"
