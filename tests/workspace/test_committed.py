"""A revision of the user's repository as a snapshot: what differs there is what git would call a difference."""

import subprocess
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.core.ports import FileChange
from loopwright.workspace.checkpoints import GitWorkspace


def git(project: Path, *words: str) -> None:
    whose = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *whose, *words], cwd=project, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    for name in ("same", "changed", "gone"):
        (made / name).write_text(f"{name}\n")
    git(made, "init", "-q")
    git(made, "add", "-A")
    git(made, "commit", "-qm", "first")
    return made


def differences(project: Path, revision: str = "HEAD") -> list[FileChange]:
    workspace = GitWorkspace(project, project.parent / "private")
    committed = workspace.snapshot_commit("loop-v2-1", revision)
    assert committed is not None
    return list(workspace.changes(committed.commit, workspace.snapshot("loop-v2-1", "now").commit))


def test_what_is_not_committed_differs(project: Path) -> None:
    (project / "changed").write_text("else\n")
    (project / "gone").unlink()
    (project / "new").touch()
    found = [FileChange("changed", "modify"), FileChange("gone", "delete"), FileChange("new", "create")]
    assert differences(project) == found
    git(project, "add", "-A")
    git(project, "commit", "-qm", "second")
    assert differences(project) == []
    assert differences(project, "HEAD~1") == found


def test_a_hidden_change_differs(project: Path) -> None:
    git(project, "update-index", "--assume-unchanged", "changed")
    (project / "changed").write_text("else\n")
    assert differences(project) == [FileChange("changed", "modify")]


def test_line_ends_that_git_converts_do_not(project: Path) -> None:
    (project / ".gitattributes").write_text("same text eol=crlf\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "second")
    (project / "same").write_bytes(b"same\r\n")
    assert differences(project) == []


def test_what_git_ignores_is_left_aside(project: Path) -> None:
    (project / ".gitignore").write_text("changed\nother\n")
    (project / "other").touch()
    assert differences(project) == [FileChange(".gitignore", "create")]


def test_where_nothing_is_committed_there_is_none(project: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert GitWorkspace(tmp_path / "plain", tmp_path / "private").snapshot_commit("loop-v2-1", "HEAD") is None
    with pytest.raises(Invalid, match="no commit 'nowhere'"):
        GitWorkspace(project, tmp_path / "private").snapshot_commit("loop-v2-1", "nowhere")
