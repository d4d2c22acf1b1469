"""kill -9 of the runner at random moments: the loop ends right all the same, and nothing is left behind."""

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.chance import SEED
from tests.real_command import Project, carrying

SAMPLES = Path(__file__).parent.parent / "samples"
KILLS = 5
"""That really hit, in each of the two kinds of loop; where a loop ends before, another is begun."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "state")


def kill_after(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kills the runner alone, not what it started; False when it had ended by itself."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def run_with_kills(project: Project, loop_id: str, chance: random.Random, longest: float, most: int) -> int:
    """Starts the runner again and again, each time killed at a random moment; returns the kills that hit."""
    kills = 0
    while kills < most and kill_after(
        project.start("run", "--loop-id", loop_id, "--auto"), chance.uniform(0.2, longest)
    ):
        kills += 1
        project.state_of(loop_id)  # readable after every kill
    return kills


def test_bash_tasks_survive(tmp_path: Path) -> None:
    chance, kills, loops = random.Random(SEED), 0, 0
    while kills < KILLS:
        loops += 1
        project = Project(tmp_path / str(loops) / "project", tmp_path / "state")
        kills += kill_bash_tasks(project, chance, KILLS - kills)


def kill_bash_tasks(project: Project, chance: random.Random, most: int) -> int:
    """One loop of four tasks, killed up to `most` times and then let to its end."""
    project.root.mkdir(parents=True)
    (project.root / "test_done.py").write_text("def test_nothing():\n    assert True\n")
    _, created = project.call("create", "Four small steps", "--auto", "--agent", "builtin")
    loop_id = created["loop_id"]
    for n in range(4):
        command = f"echo begun >> begun-{n}.txt; sleep 0.3; echo {n} > done-{n}.txt"
        assert project.call("tasks", loop_id, "add", f"step {n}", "--tool", "bash", "--command", command)[0] == 0
    kills = run_with_kills(project, loop_id, chance, 2.5, most)
    code, _ = project.call("run", "--loop-id", loop_id, "--auto")
    state = project.state_of(loop_id)
    assert code == 0, (kills, state)
    assert state["status"] == "completed"
    assert all((project.root / f"done-{n}.txt").read_text() == f"{n}\n" for n in range(4))
    assert_each_step_once(project, loop_id)
    assert list(carrying(loop_id)) == []
    return kills


def assert_each_step_once(project: Project, loop_id: str) -> None:
    """A task that was committed as completed is never run again."""
    events = [entry["event"] for entry in project.journal(loop_id)]
    done = [e["data"]["task"] for e in events if e["type"] == "action_finished" and e["data"]["action"] == "DEVELOP"]
    assert len(done) == len(set(done)) == 4


def test_a_repair_with_warm_workers_survives(tmp_path: Path) -> None:
    chance, kills, loops = random.Random(SEED + 1), 0, 0
    while kills < KILLS:
        loops += 1
        project = Project(tmp_path / str(loops) / "project", tmp_path / "state")
        kills += kill_repair(project, chance, KILLS - kills)


def kill_repair(project: Project, chance: random.Random, most: int) -> int:
    """One repair, killed up to `most` times and then let to its end."""
    shutil.copytree(SAMPLES / "ledger", project.root)
    tests = {path.name: path.read_bytes() for path in project.root.glob("test_*.py")}
    _, created = project.call("create", "Make the tests pass", "--auto", "--agent", "builtin")
    loop_id = created["loop_id"]
    kills = run_with_kills(project, loop_id, chance, 8, most)
    code, _ = project.call("run", "--loop-id", loop_id, "--auto")
    state = project.state_of(loop_id)
    assert code == 0, (kills, state)
    assert state["status"] == "completed"
    assert tests == {path.name: path.read_bytes() for path in project.root.glob("test_*.py")}
    assert list(carrying(loop_id)) == []
    return kills


def test_resume_all_takes_up_what_died(project: Project) -> None:
    project.root.mkdir()
    (project.root / "test_done.py").write_text("def test_nothing():\n    assert True\n")
    _, created = project.call("create", "One slow step", "--auto", "--agent", "builtin")
    loop_id = created["loop_id"]
    project.call("tasks", loop_id, "add", "slow", "--tool", "bash", "--command", "sleep 60; touch slow.txt")
    runner = project.start("run", "--loop-id", loop_id, "--auto")
    while not sleepers(loop_id):
        with pytest.raises(subprocess.TimeoutExpired):
            runner.wait(0.05)
    assert kill_after(runner, 0)
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
