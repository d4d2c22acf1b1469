"""A loop whose file another program has written, in the shape of the source schema: taken up by the real command."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.real_command import Project
from tests.waiting import until

ID = "loop-v2-20260122-abc123"
TASK = {"task_id": "task-001", "description": "Make total() add", "tool": "bash", "command": "cp good.txt shop.py"}
RUNNER: dict[str, Any] = {
    "current_action": "init", "last_action": None, "completed_actions": [], "mode": "auto",
    "develop": {
        "total": 3, "completed": 0, "current_task": None, "last_progress_at": None,
        "tasks": [{"id": "task-001", "description": "Make total() add", "status": "pending"}],
    },
    "debug": {
        "active_bug": None, "hypotheses_count": 0, "hypotheses": [], "confirmed_hypothesis": None, "iteration": 0,
        "last_analysis_at": None,
    },
    "validate": {
        "pass_rate": 0, "coverage": 0, "test_results": [], "passed": False, "failed_tests": [], "last_run_at": None,
    },
    "errors": [],
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    (root / "shop.py").write_text("def total(a, b):\n    return a - b\n")
    (root / "good.txt").write_text("def total(a, b):\n    return a + b\n")
    (root / "test_shop.py").write_text("import shop\n\n\ndef test_total():\n    assert shop.total(2, 3) == 5\n")
    return Project(root, tmp_path / "state")


def file_of(project: Project) -> Path:
    return project.root / ".workflow" / ".loop" / f"{ID}.json"


def ended(project: Project) -> Any:  # Any: parsed JSON
    """The state, once its runner in the background has brought it to a success."""
    until(lambda: json.loads(file_of(project).read_text())["status"] in ("completed", "failed"), seconds=120)
    state = project.state_of(ID)
    assert state["engine"]["outcome"] == "succeeded", state.get("failure_reason")
    return state


def write_seed(project: Project, status: str, skill: dict[str, Any] | None) -> None:
    """The seed's own example, with what its API keeps of the tasks beside it."""
    path = file_of(project)
    path.parent.mkdir(parents=True)
    state = {
        "loop_id": ID, "title": "Mend the shop", "description": "Mend the shop", "max_iterations": 10,
        "status": status, "current_iteration": 0, "created_at": "2026-01-22T10:00:00+08:00",
        "updated_at": "2026-01-22T10:00:05+08:00", **({"skill_state": skill} if skill else {}),
    }  # fmt: skip
    path.write_text(json.dumps(state, indent=2))
    path.with_name(f"{ID}.tasks.jsonl").write_text(json.dumps(TASK) + "\n")


def test_the_mode_of_its_runner_is_its_own(project: Project) -> None:
    write_seed(project, "running", RUNNER)
    began = time.monotonic()
    assert project.call("resume", ID)[0] == 0
    state = ended(project)
    assert (state["engine"]["settings"]["mode"], state["skill_state"]["mode"]) == ("auto", "auto")
    worked = state["skill_state"]["summary"]["duration"]
    assert 0 < worked <= 1000 * (time.monotonic() - began), "not since the day its file was written"
    assert worked == round(1000 * state["engine"]["budget"]["spent_seconds"])


@pytest.mark.parametrize("mode", [None, "interactive"])
def test_one_that_would_ask_is_started_without_asking(project: Project, mode: str | None) -> None:
    write_seed(project, "created" if mode is None else "paused", None if mode is None else {**RUNNER, "mode": mode})
    assert project.call("start", ID, "--auto")[0] == 0
    assert ended(project)["skill_state"]["mode"] == "auto"


def test_one_that_asks_goes_on_without_asking(project: Project) -> None:
    """Its runner stands at the menu, and may see the pause and the resume in one look."""
    write_seed(project, "created", None)
    assert project.call("start", ID)[0] == 0
    until(lambda: json.loads(file_of(project).read_text())["engine"].get("menu") is not None)
    assert project.call("pause", ID)[0] == 0
    assert project.call("resume", ID, "--auto")[0] == 0
    assert not ended(project)["engine"]["incidents"], "a mode is for commands to change"
