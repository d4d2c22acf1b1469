"""Started by a program that ignores the death of its children, every command seemed to end with exit code 0."""

import subprocess
from pathlib import Path

from tests.real_command import COMMAND, Project


def test_a_failing_task_fails_all_the_same(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    _, created = project.call("create", "Fail", "--auto", "--agent", "builtin")
    loop_id = created["loop_id"]
    project.call("tasks", loop_id, "add", "fails", "--tool", "bash", "--command", "exit 3")
    words = [*COMMAND, "run", "--loop-id", loop_id, "--auto", "--json", "--project", str(project.root)]
    ignoring = ["bash", "-c", 'trap "" CHLD; exec "$@"', "bash", *words]
    subprocess.run(ignoring, env=project.environment, capture_output=True, timeout=60)
    (task,) = project.state_of(loop_id)["skill_state"]["develop"]["tasks"]
    assert task["status"] == "failed"
