"""kill -9 of the runner at random moments: the loop ends right all the same, and nothing is left behind."""

import random
import subprocess
from pathlib import Path

import pytest

from bench.soaks import kills
from tests.chance import SEED
from tests.real_command import Project, carrying

SCALE = 4 / kills.KILLS


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "state")


def test_kills_at_random_moments() -> None:
    counts = kills.run(random.Random(SEED), SCALE)
    assert (counts["kills of repairs"], counts["kills of tasks"]) == (1, 3)


def test_resume_all_takes_up_what_died(project: Project) -> None:
    project.root.mkdir()
    (project.root / "test_done.py").write_text("def test_nothing():\n    assert True\n")
    _, created = project.call("create", "One slow step", "--auto", "--agent", "builtin", "--sandbox", "none")
    loop_id = created["loop_id"]
    project.call("tasks", loop_id, "add", "slow", "--tool", "bash", "--command", "sleep 60; touch slow.txt")
    runner = project.start("run", "--loop-id", loop_id, "--auto")
    while not sleepers(loop_id):
        with pytest.raises(subprocess.TimeoutExpired):
            runner.wait(0.05)
    runner.kill()
    runner.wait()
    assert sleepers(loop_id), "the dead runner has left it behind"
    code, taken = project.call("resume", "--all")
    assert code == 0, taken
    code, _ = project.call("stop", loop_id)
    assert code == 0
    assert list(carrying(loop_id)) == []
    assert project.state_of(loop_id)["failure_reason"] == "Manually stopped by user"


def sleepers(loop_id: str) -> list[int]:
    """Processes of the loop that are the task's sleep."""
    return [pid for pid in carrying(loop_id) if Path(f"/proc/{pid}/comm").read_text() == "sleep\n"]
