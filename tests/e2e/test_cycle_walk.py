"""The documented course of a cycle by the real command: two roles that wait for each other, and an extension."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cycle.stage import planned, said
from tests.cycle.test_seed_walk import EXTENSION
from tests.real_command import Project, carrying

Json = Any  # Any: parsed JSON

TEST = """\
import pytest

import oauth


@pytest.mark.parametrize("n", range(17))
def test_sign_in(n):
    assert oauth.sign_in(n)


@pytest.mark.parametrize("n", range(3))
def test_timeout_retry(n):
    assert oauth.retries(n)
"""
FIRST = "def sign_in(n):\n    return True\n\n\ndef retries(n):\n    return False\n"
MENDED = FIRST.replace("False", "True")


def task(number: int, description: str, *files: str) -> dict[str, object]:
    return {"id": f"TASK-{number:03d}", "description": description, "effort": "small", "files": [*files]}


TASKS = (
    task(1, "Setup OAuth application credentials", "oauth.toml"),
    task(2, "Sign in with each provider", "oauth.py", "test_oauth.py"),
)
FACTOR = task(9, "A second factor", "factor.py")

PLAYED = (
    ("ra.analyse", "ra", {"{folder}/requirements.md": "# Requirements\n\nSign in.\n",
                          "{folder}/edge-cases.md": "- OAuth timeout handling\n- PKCE validation\n"}),
    ("ep.explore", "ep", {"{folder}/exploration.md": "# Exploration\n\n## Risks\n\n- oauth.py: none yet\n"}),
    ("ep.plan", "ep", {"{folder}/plan.json": planned(*TASKS)}),
    ("cd.implement TASK-001", "cd", {"oauth.toml": "[google]\n[github]\n"}),
    ("cd.implement TASK-002", "cd", {"oauth.py": FIRST, "test_oauth.py": TEST}),
    ("vas.validate", "vas", {"{folder}/summary.md": "# Judgement\n\nRetries are missing.\n"}),
    ("ra.analyse", "ra", {"{folder}/requirements.md": "# Requirements\n\nSign in, with a second factor.\n"}),
    ("ep.plan", "ep", {"{folder}/plan.json": planned(*TASKS, FACTOR)}),
    ("cd.implement TASK-009", "cd", {"factor.py": "ON = True\n"}),
    ("Make these tests pass", "cd", {"oauth.py": MENDED}),
    ("vas.validate", "vas", {"{folder}/summary.md": "# Judgement\n\nAll is there.\n"}),
)  # fmt: skip


def script(signs: Path) -> Json:
    """Every answer says what it answers; ra and ep go on only when the other one has begun, and so do two tasks."""
    answers = [{"to": order, "text": said(role), "files": files} for order, role, files in PLAYED]
    answers[0] |= {"signals": str(signs / "ra"), "waits_for": [str(signs / "ep")]}
    answers[1] |= {"signals": str(signs / "ep"), "waits_for": [str(signs / "ra")]}
    answers[3] |= {"signals": str(signs / "1"), "waits_for": [str(signs / "2")]}
    answers[4] |= {"signals": str(signs / "2"), "waits_for": [str(signs / "1")]}
    return {"answers": answers}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (root := tmp_path / "project").mkdir()
    (root / "test_first.py").write_text("def test_first():\n    pass\n")
    (tmp_path / "script.json").write_text(json.dumps(script(tmp_path)))
    (tmp_path / "second.json").write_text(json.dumps({"answers": script(tmp_path)["answers"][6:]}))
    return Project(root, tmp_path / "state")


def test_two_iterations_the_second_after_an_extension(project: Project) -> None:
    agent = f"scripted:{project.root.parent / 'script.json'}"
    code, _ = project.call(
        "cycle", "run", "Add OAuth2 login support with Google and GitHub providers", "--title",
        "Implement OAuth authentication", "--auto", "--agent", agent, "--max-iterations", "1", "--parallel", "2",
    )  # fmt: skip
    _, (state,) = project.call("cycle", "list")
    id = state["cycle_id"]
    assert (code, state["status"], state["engine"]["outcome"]) == (1, "failed", "exhausted"), state["failure_reason"]
    assert state["completed_phases"] == ["ra", "ep", "cd", "vas"]
    assert state["requirements"]["edge_cases"] == ["OAuth timeout handling", "PKCE validation"]
    assert [task["status"] for task in state["plan"]["tasks"]] == ["completed", "completed"]
    results = state["test_results"]
    assert (results["total_tests"], len(results["failed_tests"])) == (21, 3)
    assert state["iterations"][0]["resolved"] is False

    agent = f"scripted:{project.root.parent / 'second.json'}"
    code, _ = project.call("cycle", "run", "--cycle-id", id, "--extend", EXTENSION, "--auto", "--agent", agent)
    _, state = project.call("cycle", "show", id)
    assert (code, state["status"]) == (0, "completed"), (state["failure_reason"], state["phase_errors"])
    assert state["task_history"] == ["Implement OAuth authentication", EXTENSION]
    assert state["description"].endswith(f"\n\n--- ITERATION 2 ---\n{EXTENSION}")
    assert state["iterations"][1]["extension"] == EXTENSION
    assert state["test_results"]["pass_rate"] == 100
    assert {state[part]["version"] for part in ("requirements", "exploration", "plan", "test_results")} == {"1.1.0"}
    progress = project.root / ".workflow" / ".cycle" / f"{id}.progress"
    assert "second factor" in (progress / "ra" / "requirements.md").read_text()
    assert "second factor" not in (progress / "ra" / "history" / "requirements-v1.0.0.md").read_text()
    assert (project.root / "factor.py").exists()
    assert list(carrying(id)) == []
    assert not list(project.state.rglob("*.lanes/*"))
