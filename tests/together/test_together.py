"""Two loops in one project at the same time: one tree, and all else apart."""

import asyncio
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from loopwright.processes.process_tree import ProcessMark
from loopwright.workspace.checkpoints import GitWorkspace, private_directory
from loopwright.workspace.private_git import run_git
from tests.together.drive import drive
from tests.together.members import WRITE, Member, crossings, enlist, found

SNAPSHOTS = 8
MEETING = "touch out/{me}.here; until [ -e out/{other}.here ]; do sleep 0.01; done; "
BOTH_WROTE = "echo {me} > {me}.py; touch out/{me}.wrote; until [ -e out/{other}.wrote ]; do sleep 0.01; done"


def test_two_loops_that_change_the_same_tree(tmp_path: Path) -> None:
    """Each task's changes are what changed while it ran, whoever did it; everything else is the loop's own."""
    project = found(tmp_path, "project", tmp_path / "state")
    pair = [
        enlist(Member(project, me), (MEETING + BOTH_WROTE).format(me=me, other=other), "true", tests="judge")
        for me, other in (("a", "b"), ("b", "a"))
    ]
    states = asyncio.run(drive(pair))
    for member, state in zip(pair, states, strict=True):
        assert (state.loop_id, state.engine.outcome) == (member.id, "succeeded")
        assert state.skill_state is not None
        first, _ = state.skill_state.develop.tasks
        assert set(first.files_changed) == {"a.py", "b.py"}
    assert list(crossings(pair)) == []


def test_a_project_inside_of_a_project(tmp_path: Path) -> None:
    """The outer one sees the files of the inner one, as files; of its loops it neither keeps nor changes anything."""
    state = tmp_path / "state"
    outside, inside = found(tmp_path, "project", state), found(tmp_path / "project", "inner", state)
    pair = [enlist(Member(project, "loop-1"), WRITE, tests="judge") for project in (outside, inside)]
    states = asyncio.run(drive(pair))
    assert [state.engine.outcome for state in states] == ["succeeded"] * 2
    kept = git(outside.root, state / "loopwright", "ls-tree", "-r", "--name-only", "refs/loopwright/loop-1").split()
    assert "inner/test_nothing.py" in kept
    assert not [name for name in kept if ".workflow" in name]
    assert list(crossings(pair)) == []


def test_snapshots_of_two_loops_at_once(tmp_path: Path) -> None:
    """One after another, each on a ref of its own, and each holds every file that was there when it was asked for."""
    project, home = tmp_path / "project", tmp_path / "private"
    project.mkdir()
    spaces = [GitWorkspace(project, home) for _ in range(2)]

    def snapshots(number: int) -> None:
        id = f"loop{'-1' * number}"
        for n in range(SNAPSHOTS):
            (project / f"{id}.{n}").write_text(id)
            taken = spaces[number % 2].snapshot(id, f"{n} of {id}")
            assert f"{id}.{n}" in git(project, home, "ls-tree", "--name-only", taken.tree).split()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(snapshots, range(4)))
    for id in ("loop", "loop-1", "loop-1-1", "loop-1-1-1"):
        log = git(project, home, "log", "--reverse", "--format=%s", f"refs/loopwright/{id}")
        assert log.splitlines() == [f"{n} of {id}" for n in range(SNAPSHOTS)]
    assert spaces[0].tree() == spaces[1].tree()


def test_git_of_another_thread_is_not_started_as_a_process_of_the_loop(tmp_path: Path) -> None:
    """It would be ended with the loop's run. The number is handed on by a limit of the whole process."""
    with ThreadPoolExecutor(1) as pool:
        with ProcessMark("loop", str(tmp_path)).handed_on():
            asked = pool.submit(run_git, "version", cwd=tmp_path)
            with pytest.raises(TimeoutError):
                asked.result(0.1)
        assert asked.result().returncode == 0


def git(project: Path, home: Path, *words: str) -> str:
    directory = private_directory(home.resolve(), project.resolve())
    return subprocess.run(["git", f"--git-dir={directory}", *words], capture_output=True, text=True, check=True).stdout
