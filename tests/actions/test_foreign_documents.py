"""Documents that others wrote, from old places too: they open, run on, and are left as they were."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import NewerSchema
from tests.stage import MakeStage, Stage, app_is_as_expected, said

AFTER_INIT: dict[str, Any] = {  # Any: a JSON document
    "loop_id": "loop-v2-20260122-abc123",
    "title": "Implement user authentication",
    "description": "Add login/logout functionality",
    "max_iterations": 10,
    "status": "running",
    "current_iteration": 0,
    "created_at": "2026-01-22T10:00:00+08:00",
    "updated_at": "2026-01-22T10:00:05+08:00",
    "team": {"unknown": "key"},
    "skill_state": {
        "current_action": "init",
        "last_action": None,
        "completed_actions": [],
        "mode": "auto",
        "develop": {
            "total": 3,
            "completed": 0,
            "current_task": None,
            "tasks": [{"id": "task-001", "description": "Create auth component", "status": "pending"}],
            "last_progress_at": None,
        },
        "errors": [],
    },
}
SESSION: dict[str, Any] = {  # Any: as above
    "session_id": "old-session",
    "task_description": "Add login/logout functionality",
    "status": "pending",
    "created_at": "2025-12-01T10:00:00+08:00",
    "initialized": False,
}


def put(stage: Stage, place: str, document: dict[str, Any]) -> Path:  # Any: as above
    path = stage.project / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2))
    return path


def able(stage: MakeStage) -> Stage:
    """With one test that fails, and an agent that mends it, and adds a login with a test."""
    work = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good, login", "tests/login.txt": "login"})
    made = stage(*[work] * 4, judge=app_is_as_expected)
    (made.project / "tests").mkdir()
    (made.project / "tests" / "app.txt").write_text("good")
    return made


@pytest.mark.parametrize(
    "place", [".workflow/.loop/loop-v2-20260122-abc123.json", ".loop/loop-v2-20260122-abc123.json"]
)
async def test_a_document_in_the_middle_of_its_course_runs_on(stage: MakeStage, place: str) -> None:
    ready = able(stage)
    path = put(ready, place, AFTER_INIT)
    before = path.read_bytes()
    state = await ready.drive("loop-v2-20260122-abc123")
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert state.skill_state is not None
    assert [(t.id, t.status) for t in state.skill_state.develop.tasks] == [("task-001", "completed")]
    assert state.model_dump()["team"] == {"unknown": "key"}
    new = ready.project / ".workflow/.loop/loop-v2-20260122-abc123.json"
    assert json.loads(new.read_bytes())["status"] == "completed"
    assert place.startswith(".workflow") or path.read_bytes() == before


async def test_a_session_of_the_old_kind_runs_on(stage: MakeStage) -> None:
    ready = able(stage)
    path = put(ready, ".workflow/.loop/old-session/state.json", SESSION)
    before = path.read_bytes()
    assert [state.loop_id for state in ready.service.list().items] == ["old-session"]
    state = await ready.drive("old-session")
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert state.description == "Add login/logout functionality"
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused_and_left_alone(stage: MakeStage) -> None:
    ready = able(stage)
    path = put(ready, ".workflow/.loop/newer.json", {**AFTER_INIT, "loop_id": "newer", "engine": {"schema": 99}})
    before = path.read_bytes()
    with pytest.raises(NewerSchema, match="newer loopwright"):
        ready.service.read("newer")
    with pytest.raises(NewerSchema):
        ready.service.edit("newer", {"notes": "x"})
    assert path.read_bytes() == before
