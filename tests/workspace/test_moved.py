"""A project that was moved finds the snapshots of its runs again; a copy of it takes nobody's."""

import shutil
from pathlib import Path

import pytest

from loopwright.workspace.checkpoints import GitWorkspace, private_directory, take_over_snapshots

RUN = "loop-v2-20261128T000000-00000001"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.txt").write_text("first\n")
    GitWorkspace(tmp_path / "one", tmp_path / "home").snapshot(RUN, "at first")
    return tmp_path


def test_a_moved_project_goes_on_with_its_snapshots(place: Path) -> None:
    home, there = place / "home", place / "two"
    (place / "one").rename(there)
    take_over_snapshots(home, there, lambda: {RUN})
    work = GitWorkspace(there, home)
    (there / "a.txt").write_text("second\n")
    first = work.snapshot(RUN, "before")
    assert not private_directory(home, place / "one").exists()
    there.rename(place / "three")
    take_over_snapshots(home, place / "three", lambda: {RUN})
    (place / "three" / "a.txt").write_text("third\n")
    again = GitWorkspace(place / "three", home)
    again.restore(first.commit)
    assert (place / "three" / "a.txt").read_text() == "second\n"


@pytest.mark.parametrize("ids", [frozenset(), frozenset({"loop-v2-20261128T000000-00000002"})])
def test_a_project_of_other_runs_takes_nothing(place: Path, ids: frozenset[str]) -> None:
    (place / "one").rename(place / "two")
    take_over_snapshots(place / "home", place / "two", lambda: ids)
    assert private_directory(place / "home", place / "one").exists()


def test_a_copy_leaves_them_to_the_original(place: Path) -> None:
    shutil.copytree(place / "one", place / "two")
    take_over_snapshots(place / "home", place / "two", lambda: {RUN})
    assert private_directory(place / "home", place / "one").exists()
    assert not private_directory(place / "home", place / "two").exists()
