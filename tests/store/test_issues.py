"""Issues as files: what is there is read, and no id leads anywhere else."""

import os
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid, NotFound
from loopwright.wiring.stores import IssueFiles


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".workflow" / "issues"
    (made / "solutions").mkdir(parents=True)
    return made


def test_the_files_as_they_are(tmp_path: Path, folder: Path) -> None:
    (folder / "issues.jsonl").write_bytes(b'{"id": "\xff"}\n')
    (folder / "solutions" / "ISS-1.jsonl").write_text("{}\n")
    files = IssueFiles(tmp_path)
    assert (files.issues(), files.solutions("ISS-1")) == ('{"id": "\ufffd"}\n', "{}\n")


def test_what_is_not_there(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no \.workflow/issues/issues\.jsonl here"):
        IssueFiles(tmp_path).issues()
    with pytest.raises(NotFound, match=r"solutions/ISS-1\.jsonl"):
        IssueFiles(tmp_path).solutions("ISS-1")


@pytest.mark.parametrize("id", ["../issues", "a/b", "", ".x", "a.jsonl", "x" * 200])
def test_unsafe_ids_never_touch_a_path(tmp_path: Path, id: str) -> None:
    with pytest.raises(Invalid, match="Invalid issue ID format"):
        IssueFiles(tmp_path).solutions(id)


def test_what_is_no_plain_file_holds_nothing(tmp_path: Path, folder: Path) -> None:
    os.mkfifo(folder / "issues.jsonl")
    assert IssueFiles(tmp_path).issues() == "", "a pipe is waited for by nobody"
    (folder / "solutions" / "A.jsonl").symlink_to("A.jsonl")
    assert IssueFiles(tmp_path).solutions("A") == ""
    (folder / "solutions" / "B.jsonl").mkdir()
    assert IssueFiles(tmp_path).solutions("B") == ""
