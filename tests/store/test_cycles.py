"""Cycles in the files of a store: changes from outside, forgery while a runner lives, and rebuilding a lost one."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.core.errors import Corrupt
from loopwright.store.files import FileStore
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.documents import render
from loopwright.workflows.cycle.logs import additions
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.rebuild import QUESTION
from tests.domain.cycle_making import begun, created, driven, running
from tests.store.making import EDITED, HandClock

ID = created().cycle_id


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore[CycleState]]:
    with FileStore(tmp_path, CYCLES, HandClock()) as store:
        yield store


def shown(store: FileStore[CycleState], state: CycleState) -> CycleState:
    """Stored, with its documents."""
    state = store.create(state, actor="user")
    store.write_progress(ID, render(state, None, {}))
    for name, lines in additions(state, {}).items():
        store.append_progress(ID, name, lines)
    return state


def test_where_its_files_are(store: FileStore[CycleState], tmp_path: Path) -> None:
    state = shown(store, driven(running()))
    top = tmp_path / ".workflow" / ".cycle"
    assert json.loads((top / f"{ID}.json").read_text()) == state.model_dump(mode="json")
    assert (top / f"{ID}.progress" / "ra" / "requirements.md").read_text().startswith("<!-- version 1.0.0 · ")
    store.delete(ID, actor="user")
    assert not (top / f"{ID}.progress").exists()


def test_a_status_written_into_the_file_is_a_command(store: FileStore[CycleState], tmp_path: Path) -> None:
    store.create(running(), actor="user")
    path = tmp_path / CYCLES.folder / f"{ID}.json"
    raw = json.loads(path.read_text())
    raw |= {
        "status": "failed",
        "requirements": {"version": "1.0.0", "specification": "x", "last_updated": raw["created_at"]},
    }
    path.write_text(json.dumps(raw))
    state = store.update(ID, lambda s: s.evolve(max_iterations=9), actor="user", event=EDITED)
    assert (state.status, state.engine.outcome, state.max_iterations) == ("failed", "stopped", 9)
    assert state.requirements is None
    (incident,) = state.engine.incidents
    assert "requirements" in incident.message


def test_another_process_may_pause_and_not_finish_a_cycle_that_is_driven(
    store: FileStore[CycleState], tmp_path: Path
) -> None:
    store.create(begun(running()), actor="user")
    good = driven(running())
    with store.lease(ID) as lease, FileStore(tmp_path, CYCLES, HandClock()) as other:
        store.update(ID, lambda s: s.evolve(max_iterations=8), actor="runner", event=EDITED, epoch=lease.epoch)
        other.update(
            ID, lambda s: commands.extend(commands.pause(s), "more", good.updated_at), actor="user", event=EDITED
        )
        other.update(ID, lambda s: s.evolve(test_results=good.test_results), actor="forger", event=EDITED)
        state = store.update(ID, lambda s: s.evolve(max_iterations=7), actor="runner", event=EDITED, epoch=lease.epoch)
    assert (state.status, state.engine.queue) == ("running", ("more",)), "its steps are under way: taken at the border"
    assert state.test_results is None


def test_a_lost_cycle_is_rebuilt_from_its_documents(store: FileStore[CycleState], tmp_path: Path) -> None:
    before = shown(store, driven(running()))
    for name in (f"{ID}.json", f"{ID}.events.ndjson"):
        (tmp_path / CYCLES.folder / name).write_bytes(b"\0" * 100)
    with FileStore(tmp_path, CYCLES, HandClock()) as other:
        with pytest.raises(Corrupt):
            other.read(ID)
        state = other.recover(ID, actor="user")
        assert other.read(ID) == state
        for name in ("title", "description", "requirements", "plan", "changes", "test_results"):
            assert getattr(state, name) == getattr(before, name), name
        assert state.status == "paused"
        assert state.engine.waiting is not None
        assert state.engine.waiting.question == QUESTION
        assert [incident.kind for incident in state.engine.incidents] == ["state_rebuilt"]
        again = other.update(ID, lambda s: commands.resume(s, live=False), actor="user", event=EDITED)
        assert driven(again).engine.outcome == "succeeded"


def test_nothing_is_rebuilt_from_a_link(store: FileStore[CycleState], tmp_path: Path) -> None:
    shown(store, driven(running()))
    folder = store.progress_path(ID)
    shutil.move(folder / "ra", tmp_path / "ra")
    (folder / "ra").symlink_to(tmp_path / "ra")
    for name in (f"{ID}.json", f"{ID}.events.ndjson"):
        (tmp_path / CYCLES.folder / name).write_bytes(b"")
    with FileStore(tmp_path, CYCLES, HandClock()) as other:
        state = other.recover(ID, actor="user")
    assert state.requirements is None
    assert state.plan is not None
