"""A cycle in a worktree: its lanes are merged there, each task is a commit, and the user's files stay as they are."""

import json
from pathlib import Path

import pytest

from tests.e2e.test_cycle_walk import script
from tests.real_command import Project
from tests.workspace.trees import contents, git


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (root := tmp_path / "project").mkdir()
    (root / "test_first.py").write_text("def test_first():\n    pass\n")
    (root / ".gitignore").write_text(".workflow/\n__pycache__/\n")
    git(root, "init", "-q", "-b", "trunk")
    for key, value in (("user.name", "Ann"), ("user.email", "ann@localhost")):
        git(root, "config", key, value)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    (tmp_path / "script.json").write_text(json.dumps(script(tmp_path)))
    return Project(root, tmp_path / "state")


def test_two_tasks_at_once(project: Project) -> None:
    before = contents(project.root)
    code, _ = project.call(
        "cycle", "run", "Add OAuth2 login", "--auto", "--agent", f"scripted:{project.root.parent / 'script.json'}",
        "--max-iterations", "1", "--parallel", "2", "--worktree", "--commit",
    )  # fmt: skip
    _, (state,) = project.call("cycle", "list")
    branch, tasks = state["engine"]["branch"], state["plan"]["tasks"]
    assert (code, [task["status"] for task in tasks]) == (1, ["completed", "completed"]), state["phase_errors"]
    log = git(project.root, "log", "--format=%(trailers:key=Loopwright-Task,valueonly)", f"trunk..{branch['name']}")
    assert sorted(log.split()) == sorted(task["id"] for task in tasks)
    assert git(Path(branch["path"]), "status", "--porcelain") == ""
    after = {name: what for name, what in contents(project.root).items() if not name.startswith(b".workflow")}
    assert after == before
    assert project.call("cycle", "apply", state["cycle_id"])[0] == 0
    assert project.call("cycle", "delete", state["cycle_id"], "--yes")[0] == 0
    assert git(project.root, "branch", "--format=%(refname:short)").split() == ["trunk"]
    assert not list(project.state.rglob("*.worktrees")) + list(project.state.rglob("*.lanes/*"))
