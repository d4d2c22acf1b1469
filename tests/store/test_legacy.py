"""Loops in older places are listed and open; the first write goes to the new place, the old file stays as it is."""

import json
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, NotFound
from tests.store.making import files_at, json_of, loop, retitle

SESSION = {
    "session_id": "session-1",
    "task_description": "Write a parser. " * 20,
    "status": "pending",
    "created_at": "2025-12-01T09:00:00+08:00",
    "updated_at": "2025-12-02T09:00:00+08:00",
    "last_action": "action-develop-with-file",
    "completed_actions": ["action-init"],
    "develop": {"total_count": 3, "completed_count": 0, "tasks": []},
}


def old_places(root: Path) -> dict[Path, str]:
    """One document in each old place, one with an id that can name no file, one that is broken."""
    flat = {"loop_id": "loop-flat", "title": "Flat", "description": "d", "status": "created"}
    texts = {
        root / ".loop/loop-flat.json": json.dumps(flat),
        root / ".workflow/.loop/session-1/state.json": json.dumps(SESSION),
        root / ".workflow/.loop/a b/state.json": json.dumps({**SESSION, "session_id": "a b"}),
        root / ".loop/broken.json": "{",
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return texts


def test_old_loops_are_listed_and_read(tmp_path: Path) -> None:
    old_places(tmp_path)
    with files_at(tmp_path) as store:
        ids = {state.loop_id for state in store.list().items}
        assert {"loop-flat", "session-1"} < ids
        assert len(ids) == 3
        state = store.read("session-1")
        assert (state.status, state.title) == ("created", ("Write a parser. " * 20)[:100])
        assert state.skill_state is not None
        assert state.skill_state.last_action == "DEVELOP"
        (strange,) = ids - {"loop-flat", "session-1"}
        assert store.read(strange).engine.legacy_id == "a b"
        assert list(store.damaged()) == ["broken"]
        assert store.events("loop-flat") == ()


def test_the_first_write_goes_to_the_new_place(tmp_path: Path) -> None:
    texts = old_places(tmp_path)
    with files_at(tmp_path) as store:
        strange = next(s.loop_id for s in store.list().items if s.engine.legacy_id)
        for id in ("loop-flat", "session-1", strange):
            assert retitle(store, "Moved", id).title == "Moved"
            assert json_of(tmp_path, id).exists()
            assert [entry.event.type for entry in store.events(id)] == ["journal_started", "edited"]
        assert store.list().total == 3
    for path, text in texts.items():
        assert path.read_text() == text
    with files_at(tmp_path) as store:
        assert {s.title for s in store.list().items} == {"Moved"}


def test_an_old_id_is_taken(tmp_path: Path) -> None:
    old_places(tmp_path)
    with files_at(tmp_path) as store, pytest.raises(Conflict):
        store.create(loop("loop-flat"), actor="user")


@pytest.mark.parametrize("moved", [False, True])
def test_a_deleted_loop_does_not_come_back_from_its_old_place(tmp_path: Path, moved: bool) -> None:
    texts = old_places(tmp_path)
    with files_at(tmp_path) as store:
        if moved:
            retitle(store, "Moved", "loop-flat")
        store.delete("loop-flat", actor="user")
        with pytest.raises(NotFound):
            store.read("loop-flat")
    with files_at(tmp_path) as store:
        assert "loop-flat" not in {s.loop_id for s in store.list().items}
        with pytest.raises(NotFound):
            retitle(store, "No", "loop-flat")
        assert store.create(loop("loop-flat", title="New"), actor="user").title == "New"
        assert "New" in {s.title for s in store.list().items}
    assert all(path.read_text() == text for path, text in texts.items())
