"""Repositories that a program of a run has made: our git reads them, and starts nothing that they name."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.errors import WorkspaceError
from loopwright.workspace.branches import GitBranches, check_repositories
from loopwright.workspace.checkpoints import GitWorkspace
from tests.workspace.trees import git

PLANT = """
git init -q . && printf '*.tmp\\n' > .gitignore && printf '* filter=x\\n' > .gitattributes && git add .
git -c user.name=a -c user.email=b commit -qm a
rules=$(git rev-parse HEAD:.gitignore)
git update-index --skip-worktree .gitignore
rm .gitignore ".git/objects/$(echo $rules | cut -c1-2)/$(echo $rules | cut -c3-)"
git config core.repositoryformatversion 1 && git config extensions.partialClone origin
git config remote.origin.url "$PWD" && git config remote.origin.promisor true
for name in remote.origin.uploadpack core.fsmonitor filter.x.clean filter.x.process diff.external; do
    git config $name "$0"
done
printf '#!/bin/sh\\n"%s"\\n' "$0" > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change
touch a.tmp b
"""
"""Settings and hooks that start the program $0, and files that make git ask for what it lacks."""

Plant = Callable[[Path], Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Makes such a repository; the path at which its program leaves a trace."""
    trace, program = tmp_path / "started", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\nexit 1\n")
    program.chmod(0o755)

    def made(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["sh", "-ec", PLANT, str(program)], cwd=folder, check=True, capture_output=True)
        trace.unlink(missing_ok=True)
        return trace

    return made


def test_the_trace_is_left_by_a_git_that_believes_it(project: Path, plant: Plant) -> None:
    trace = plant(project / "vendor")
    subprocess.run(["git", "status"], cwd=project / "vendor", capture_output=True, check=False)
    assert trace.exists()


@pytest.mark.parametrize("place", ["vendor", "vendor/inner"])
def test_a_look_at_the_project_starts_nothing(place: str, project: Path, tmp_path: Path, plant: Plant) -> None:
    workspace = GitWorkspace(project, tmp_path / "state")
    workspace.snapshot("loop-1", "before")
    trace = plant(project / place)
    names = workspace.listed()
    workspace.snapshot("loop-1", "after")
    assert not trace.exists()
    assert f"{place}/b" in names


def test_a_repository_at_the_root_starts_nothing_either(tmp_path: Path, plant: Plant) -> None:
    project = tmp_path / "project"
    project.mkdir()
    workspace = GitWorkspace(project, tmp_path / "state")
    workspace.snapshot("loop-1", "before")
    trace = plant(project)
    (project / ".gitattributes").unlink()
    workspace.snapshot("loop-1", "after")
    assert not trace.exists()


def test_no_commit_is_made_around_one(project: Path, tmp_path: Path, plant: Plant) -> None:
    git(project, "config", "user.name", "Ann")
    git(project, "config", "user.email", "ann@localhost")
    branches = GitBranches(project, tmp_path / "state")
    branch = branches.lay_out("loop-1", branches.plan("loop-1")[0])[0]
    trace = plant(Path(branch.path) / "vendor")
    with pytest.raises(WorkspaceError, match=r"vendor/ is a repository of its own, whose setting \S+ may start"):
        branches.commit("loop-1", branch, "Do it", ["vendor/b"])
    assert not trace.exists()


def test_a_plain_repository_may_be_committed_around(project: Path) -> None:
    (project / "vendor").mkdir()
    git(project / "vendor", "init", "-q")
    git(project / "vendor", "remote", "add", "origin", "https://example.org/vendor.git")
    check_repositories(project)
