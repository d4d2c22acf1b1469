"""Killed at any moment of a lane's life: whatever is found afterwards is whole, or is told to be nothing."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

from loopwright.core.errors import NotFound
from loopwright.core.ports import Snapshot
from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.worktrees import GitWorktrees
from tests.chance import SEED
from tests.workspace.trees import contents, git

CYCLE = "cycle-1"
TIMES = 8
When = Literal["before", "after", "outlived"]
WAYS: tuple[When, ...] = ("before", "after", "outlived")
"""Killed before or after a git command of ours, or while it runs: it is not killed with us."""

LIFE = """
import sys
from pathlib import Path
from loopwright.workspace.worktrees import GitWorktrees

project, home, first, second = sys.argv[1:]
worktrees = GitWorktrees(Path(project), Path(home))
lane = worktrees.open("cycle-1", 1, first)
(lane / "work.py").write_text("work")
done = worktrees.snapshot("cycle-1", 1, "work").commit
worktrees.open("cycle-1", 2, second)
merged = worktrees.merge("cycle-1", second, done, "merged").commit
worktrees.open("cycle-1", 1, merged)
worktrees.close("cycle-1")
"""

KILLER = """#!/bin/sh
number=$(( $(cat "$KILL_COUNT") + 1 ))
echo $number > "$KILL_COUNT"
if [ $number != "$KILL_AT" ]; then exec "$REAL_GIT" "$@"; fi
case $KILL_WHEN in
    before) kill -9 $PPID ;;
    after) "$REAL_GIT" "$@"; kill -9 $PPID ;;
    outlived) kill -9 $PPID; exec "$REAL_GIT" "$@" ;;
esac
"""


class Killed:
    """A life that ends at a git command of that number; 0: never."""

    def __init__(self, base: Path, project: Path, commits: tuple[str, str]) -> None:
        self._folder, self._count = base / "bin", base / "count"
        self._life = (sys.executable, "-c", LIFE, str(project), str(base / "state"), *commits)
        self._folder.mkdir()
        (self._folder / "git").write_text(KILLER)
        (self._folder / "git").chmod(0o755)

    def run(self, at: int, when: When) -> int:
        """How many commands there were; none but the kill may stop it."""
        self._count.write_text("0")
        done = subprocess.run(self._life, env=self._environment(at, when), check=False)
        assert done.returncode == (-signal.SIGKILL if at else 0)
        return int(self._count.read_text())

    def _environment(self, at: int, when: When) -> Mapping[str, str]:
        real = shutil.which("git")
        assert real is not None
        orders = {"KILL_AT": str(at), "KILL_WHEN": when, "KILL_COUNT": str(self._count), "REAL_GIT": real}
        return {**os.environ, **orders, "PATH": f"{self._folder}:{os.environ['PATH']}"}


@pytest.fixture
def snapshots(project: Path, workspace: GitWorkspace) -> tuple[Snapshot, Snapshot]:
    first = workspace.snapshot(CYCLE, "first")
    for number in range(5):
        (project / f"{number}.py").write_text(str(number))
    (project / "app.py").unlink()
    return first, workspace.snapshot(CYCLE, "second")


def test_killed_at_any_command(
    project: Path,
    workspace: GitWorkspace,
    worktrees: GitWorktrees,
    snapshots: tuple[Snapshot, Snapshot],
    tmp_path: Path,
) -> None:
    first, second = snapshots
    killed = Killed(tmp_path, project, (first.commit, second.commit))
    commands = killed.run(0, "before")
    whole = whole_trees(worktrees, first, second)
    before = contents(project)
    chance = random.Random(SEED)
    for _ in range(TIMES):
        at, when = chance.randint(1, commands), chance.choice(WAYS)
        killed.run(at, when)
        for lane in (1, 2):
            assert found(worktrees, lane) in whole[lane], f"killed {when} command {at} of {commands}"
        assert_all_can_be_done_again(worktrees, project, second)
        assert contents(project) == before
    worktrees.close(CYCLE)
    private = next((tmp_path / "state").glob("*.git"))
    assert git(private, "for-each-ref", "--format=%(refname)").split() == [
        "refs/looks/index", f"refs/loopwright/{CYCLE}"
    ]  # fmt: skip
    assert {path.name for path in private.glob("index*")} <= {"index.files"}
    assert list((tmp_path / "state").glob("*.lanes/*")) == []
    assert git(private, "fsck", "--strict", "--no-dangling") == ""


def whole_trees(worktrees: GitWorktrees, first: Snapshot, second: Snapshot) -> dict[int, set[str | None]]:
    """All that may be found in each lane; None: it was not open."""
    lane = worktrees.open(CYCLE, 1, first.commit)
    (lane / "work.py").write_text("work")
    work = worktrees.snapshot(CYCLE, 1, "work")
    merged = worktrees.merge(CYCLE, second.commit, work.commit, "merged")
    worktrees.close(CYCLE)
    return {1: {None, first.tree, second.tree, work.tree, merged.tree}, 2: {None, second.tree}}


def found(worktrees: GitWorktrees, lane: int) -> str | None:
    try:
        return worktrees.snapshot(CYCLE, lane, "left").tree
    except NotFound:
        return None


def assert_all_can_be_done_again(worktrees: GitWorktrees, project: Path, second: Snapshot) -> None:
    lane = worktrees.open(CYCLE, 1, second.commit)
    assert contents(lane) == contents(project)
    assert git(lane, "status", "--porcelain", "--ignored") == ""
    assert worktrees.snapshot(CYCLE, 1, "again").tree == second.tree
    assert worktrees.merge(CYCLE, second.commit, second.commit, "same").tree == second.tree


def test_killed_while_it_lays_out_files(
    project: Path, workspace: GitWorkspace, worktrees: GitWorktrees, tmp_path: Path
) -> None:
    """By the hundred, so that some moments are in the middle of git's own work and of ours."""
    trees = []
    for content in ("one", "two"):
        for number in range(600):
            (project / f"d{number % 20}").mkdir(exist_ok=True)
            (project / f"d{number % 20}" / f"{number}.py").write_text(f"{content} {number}")
        trees.append(workspace.snapshot(CYCLE, content))
    code = f"""
from pathlib import Path
from loopwright.workspace.worktrees import GitWorktrees
worktrees = GitWorktrees(Path({str(project)!r}), Path({str(tmp_path / "state")!r}))
print("up", flush=True)
while True:
    for commit in {[tree.commit for tree in trees]!r}:
        worktrees.open({CYCLE!r}, 1, commit)
        print("open", flush=True)
    worktrees.close({CYCLE!r})
"""
    chance = random.Random(SEED)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(chance.randint(1, 4)):
                assert process.stdout.readline()
            for _ in range(chance.randint(0, 40)):
                git(project, "status", "--porcelain", "README")  # a few milliseconds
            process.kill()
        assert found(worktrees, 1) in {None, *(tree.tree for tree in trees)}
        assert_all_can_be_done_again(worktrees, project, trees[-1])
