"""A project with a user in it."""

from pathlib import Path

import pytest

from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.worktrees import GitWorktrees
from tests.workspace.trees import git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit, one staged and one unstaged change, and a stash."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    (folder / "app.py").write_text("print('one')\n")
    (folder / ".gitignore").write_text("*.log\nbuild/\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "app.py").write_text("print('stashed')\n")
    git(folder, "stash", "-q")
    (folder / "staged.py").write_text("staged\n")
    git(folder, "add", "staged.py")
    (folder / "app.py").write_text("print('two')\n")
    return folder


@pytest.fixture
def workspace(project: Path, tmp_path: Path) -> GitWorkspace:
    return GitWorkspace(project, tmp_path / "state")


@pytest.fixture
def worktrees(project: Path, tmp_path: Path) -> GitWorktrees:
    return GitWorktrees(project, tmp_path / "state")
