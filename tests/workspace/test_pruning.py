"""What deleted runs leave is given back, and nothing that anybody still needs."""

import os
import time
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, NotFound
from loopwright.surfaces.cli.main import main
from loopwright.workspace.checkpoints import GitWorkspace, private_directory
from loopwright.workspace.private_git import PrivateGit
from loopwright.workspace.pruning import PruneResult, measure_snapshots, prune_snapshots
from tests.store.making import files_at, loop

LARGE = 300_000


class Place:
    """A project with runs that each added a large file."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "project", folder / "home"
        self.root.mkdir()
        (self.root / "small.txt").write_text("small")
        self.workspace = GitWorkspace(self.root, self.home)
        self.private = PrivateGit(private_directory(self.home.resolve(), self.root.resolve()), self.root.resolve())

    def add_run(self, id: str) -> str:
        large = self.root / f"{id}.bin"
        large.write_bytes(os.urandom(LARGE))
        commit = self.workspace.snapshot(id, "large").commit
        large.unlink()
        self.workspace.snapshot(id, "without")
        return commit

    def prune(self, known: set[str] | None = None) -> PruneResult:
        return prune_snapshots(self.private, lambda: None, known)

    def export(self, commit: str, folder: Path) -> list[str]:
        self.workspace.export(commit, folder)
        return sorted(path.name for path in folder.iterdir())

    def is_whole(self) -> bool:
        with self.private.locked() as git:
            return git.attempt("fsck", "--strict").returncode == 0


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_a_deleted_run_left_is_given_back_and_no_more(place: Place, tmp_path: Path) -> None:
    gone, kept = place.add_run("loop-gone"), place.add_run("loop-kept")
    place.workspace.forget("loop-gone")
    found = place.prune()
    assert found.before - found.after > LARGE * 0.9
    assert found.after == measure_snapshots(place.private.directory) > LARGE
    assert found.dropped == ()
    with pytest.raises(NotFound):
        place.export(gone, tmp_path / "a")
    assert place.export(kept, tmp_path / "b") == ["loop-kept.bin", "small.txt"]
    assert place.is_whole()
    assert place.prune().after <= found.after


def test_a_tree_that_was_looked_at_before_can_be_snapshotted_after(place: Place, tmp_path: Path) -> None:
    """Its objects are on no ref: whoever has looked at the files does not write them again."""
    for name in ("small.txt", "new.txt"):
        (place.root / name).write_text("not in any snapshot")
    time.sleep(0.1)
    tree = place.workspace.tree()
    place.prune()
    assert place.workspace.tree() == tree
    made = place.workspace.snapshot("loop-1", "after")
    assert made.tree == tree
    assert place.export(made.commit, tmp_path / "out") == ["new.txt", "small.txt"]
    assert place.is_whole()


def test_a_file_that_is_not_of_the_project_for_a_while(place: Place, tmp_path: Path) -> None:
    """What was read of it is remembered; its object is on no ref."""
    (place.root / "new.txt").write_text("new")
    time.sleep(0.1)
    place.workspace.tree()
    (place.root / ".gitignore").write_text("new.txt\n")
    place.workspace.tree()
    place.prune()
    (place.root / ".gitignore").unlink()
    for workspace in (place.workspace, GitWorkspace(place.root, place.home)):
        made = workspace.snapshot("loop-1", "after")
        assert place.export(made.commit, tmp_path / made.tree) == ["new.txt", "small.txt"]


def test_an_index_of_an_earlier_version_is_of_no_consequence(place: Place, tmp_path: Path) -> None:
    """Git would take all that it names for needed, and refuse to work with one that is torn."""
    place.add_run("loop-1")
    place.private.index.write_bytes(b"DIRC\0\0\0\2")
    place.prune()
    again = GitWorkspace(place.root, place.home).snapshot("loop-1", "again")
    assert place.export(again.commit, tmp_path / "out") == ["small.txt"]


def test_what_a_killed_one_left_is_cleared(place: Place) -> None:
    place.add_run("loop-1")
    place.add_run("loop-2")
    (place.private.directory / "gc.pid").write_text(f"{os.getpid()} {os.uname().nodename}")
    (place.private.directory / "objects/pack/tmp_pack_x").write_bytes(b"x" * LARGE)
    place.workspace.forget("loop-2")
    found = place.prune()
    assert found.before - found.after > LARGE * 1.9
    assert place.is_whole()


def test_runs_that_are_not_there_any_more(place: Place, tmp_path: Path) -> None:
    one, other = place.add_run("loop-1"), place.add_run("loop-2")
    place.workspace.remember_environment("loop-2", "true", ())
    assert place.prune().dropped == ()
    assert place.export(other, tmp_path / "a")
    assert place.prune({"loop-1", "loop-3"}).dropped == ("loop-2",)
    assert place.export(one, tmp_path / "b")
    with pytest.raises(NotFound):
        place.export(other, tmp_path / "c")


def test_nothing_is_touched_while_a_run_is_at_work(place: Place) -> None:
    place.add_run("loop-1")
    before = sorted(place.private.directory.rglob("*"))

    def refuse() -> None:
        raise Conflict("at work")

    with pytest.raises(Conflict):
        prune_snapshots(place.private, refuse, set())
    assert sorted(place.private.directory.rglob("*")) == before
    assert prune_snapshots(PrivateGit(place.home / "nothing.git", place.root), refuse, None) == PruneResult(0, 0, ())


def test_a_small_project_needs_no_command(place: Place) -> None:
    """What was written an hour ago is in nobody's hands."""
    place.add_run("loop-1")
    place.add_run("loop-2")
    hours_ago = time.time() - 7200
    for file in place.private.directory.rglob("objects/??/*"):
        os.utime(file, (hours_ago, hours_ago))
    before = measure_snapshots(place.private.directory)
    place.workspace.forget("loop-1")
    assert before - measure_snapshots(place.private.directory) > LARGE * 0.9
    assert place.is_whole()


def test_the_command(place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(place.root)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place.home / "config"))
    monkeypatch.setenv("LOOPWRIGHT_CHECKPOINTS", str(place.home))
    for id in ("loop-1", "loop-gone"):
        place.add_run(id)
    with files_at(place.root) as store:
        store.create(loop("loop-1"), actor="user")
        assert main(["gc"]) == 0
        assert "checkpoints take" in capsys.readouterr().out
        assert main(["gc", "--gone", "--json"]) == 0
        assert '"dropped": ["loop-gone"]' in capsys.readouterr().out
        with store.lease("loop-1"):
            assert main(["gc"]) == 5
            assert "loop-1 is at work" in capsys.readouterr().err
