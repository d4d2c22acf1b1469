"""What every workspace keeps to: the fake in memory, a git repository, and a plain folder."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.ports import FileChange, Workspace
from loopwright.workspace.checkpoints import GitWorkspace
from tests.memory_workspace import FakeWorkspace


class Hands:
    """Changes the files of a workspace, wherever they are."""

    def __init__(
        self, workspace: Workspace, write: Callable[[str, bytes], None], remove: Callable[[str], None]
    ) -> None:
        self.workspace, self.write, self.remove = workspace, write, remove


def _fake(_: Path) -> Hands:
    fake = FakeWorkspace()
    return Hands(fake, fake.files.__setitem__, fake.files.__delitem__)


def _on_disk(root: Path) -> Hands:
    project = root / "project"
    project.mkdir(exist_ok=True)

    def write(name: str, data: bytes) -> None:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(data)

    return Hands(GitWorkspace(project, root / "state"), write, lambda name: (project / name).unlink())


def _in_a_repository(root: Path) -> Hands:
    subprocess.run(["git", "init", "-q", str(root / "project")], check=True)
    return _on_disk(root)


@pytest.fixture(params=[_fake, _on_disk, _in_a_repository], ids=["memory", "folder", "repository"])
def hands(request: pytest.FixtureRequest, tmp_path: Path) -> Hands:
    made: Hands = request.param(tmp_path)
    made.write("a.txt", b"one\n")
    made.write("sub/b.txt", b"two\n")
    return made


def test_the_same_files_have_the_same_tree(hands: Hands) -> None:
    first = hands.workspace.tree()
    assert hands.workspace.tree() == first
    hands.write("a.txt", b"ONE\n")
    assert hands.workspace.tree() != first
    hands.write("a.txt", b"one\n")
    assert hands.workspace.tree() == first


def test_a_name_counts_as_much_as_a_content(hands: Hands) -> None:
    first = hands.workspace.tree()
    hands.remove("a.txt")
    hands.write("c.txt", b"one\n")
    assert hands.workspace.tree() != first


@pytest.mark.parametrize("without", ["new.txt", "new.txt/", "out", "out/", "out/deep"])
def test_without_leaves_out_a_file_or_a_folder(hands: Hands, without: str) -> None:
    first = hands.workspace.tree()
    name = "new.txt" if without.startswith("new") else "out/deep/x"
    hands.write(name, b"x")
    assert hands.workspace.tree() != first
    assert hands.workspace.tree([without]) == first
    assert hands.workspace.tree(["ou", "new", "absent"]) == hands.workspace.tree()


def test_a_snapshot_has_the_hash_of_the_tree(hands: Hands) -> None:
    tree = hands.workspace.tree()
    snapshot = hands.workspace.snapshot("loop-1", "first")
    assert snapshot.tree == tree
    assert hands.workspace.tree() == tree


def test_a_snapshot_of_what_the_last_one_holds_is_that_one(hands: Hands) -> None:
    first, second = (hands.workspace.snapshot("loop-1", label) for label in ("first", "second"))
    assert first == second
    assert hands.workspace.changes(first.commit, second.commit) == ()
    assert hands.workspace.diff(first.commit, second.commit) == ""
    hands.write("a.txt", b"other\n")
    assert hands.workspace.snapshot("loop-1", "third").commit != first.commit
    hands.workspace.restore(first.commit)
    again = hands.workspace.snapshot("loop-1", "fourth")
    assert (again.tree, again.commit != first.commit) == (first.tree, True), "it follows the third"


def test_changes_are_created_modified_and_deleted_files_by_path(hands: Hands) -> None:
    before = hands.workspace.snapshot("loop-1", "before").commit
    hands.write("z.txt", b"new\n")
    hands.write("sub/b.txt", b"TWO\n")
    hands.remove("a.txt")
    after = hands.workspace.snapshot("loop-1", "after").commit
    expected = (FileChange("a.txt", "delete"), FileChange("sub/b.txt", "modify"), FileChange("z.txt", "create"))
    assert hands.workspace.changes(before, after) == expected
    diff = hands.workspace.diff(before, after)
    assert {"-two", "+TWO", "+new", "-one"} <= set(diff.splitlines())


def test_restore_undoes_every_kind_of_change(hands: Hands) -> None:
    kept = hands.workspace.snapshot("loop-1", "kept")
    hands.write("new/z.txt", b"new\n")
    hands.write("sub/b.txt", b"TWO\n")
    hands.remove("a.txt")
    hands.workspace.restore(kept.commit)
    assert hands.workspace.tree() == kept.tree


def test_restore_of_some_paths_leaves_the_others(hands: Hands) -> None:
    kept = hands.workspace.snapshot("loop-1", "kept")
    hands.write("a.txt", b"ONE\n")
    hands.write("sub/b.txt", b"TWO\n")
    hands.write("sub/new.txt", b"new\n")
    hands.write("new.txt", b"new\n")
    hands.workspace.restore(kept.commit, ["sub"])
    after = hands.workspace.snapshot("loop-1", "after")
    expected = (FileChange("a.txt", "modify"), FileChange("new.txt", "create"))
    assert hands.workspace.changes(kept.commit, after.commit) == expected


def test_restore_of_no_paths_does_nothing(hands: Hands) -> None:
    kept = hands.workspace.snapshot("loop-1", "kept")
    hands.write("a.txt", b"ONE\n")
    changed = hands.workspace.tree()
    hands.workspace.restore(kept.commit, [])
    assert hands.workspace.tree() == changed


@pytest.mark.parametrize("meanwhile", [b"changed", b"two\n", None])
def test_restore_over_a_snapshot_writes_only_where_nobody_was_meanwhile(hands: Hands, meanwhile: bytes | None) -> None:
    first = hands.workspace.snapshot("loop-1", "first").commit
    hands.write("sub/b.txt", b"TWO\n")
    hands.write("sub/new.txt", b"new\n")
    hands.remove("a.txt")
    second = hands.workspace.snapshot("loop-1", "second")
    hands.workspace.restore(first)
    hands.write("other.txt", b"other\n")
    if meanwhile is None:
        hands.remove("sub/b.txt")
    else:
        hands.write("sub/b.txt", meanwhile)
    before = hands.workspace.tree()
    paths = ["sub/b.txt", "sub/new.txt", "a.txt"]
    if meanwhile != b"two\n":
        with pytest.raises(Conflict, match="sub/b"):
            hands.workspace.restore(second.commit, paths, over=first)
        assert hands.workspace.tree() == before
        hands.workspace.restore(second.commit, paths)
    for _ in range(2):  # what is there already is no conflict
        hands.workspace.restore(second.commit, paths, over=first)
    hands.remove("other.txt")
    assert hands.workspace.tree() == second.tree


@pytest.mark.parametrize("name", ["sub/new.txt", "a.txt"])
def test_restore_over_a_snapshot_keeps_what_is_new_or_was_to_be_removed(hands: Hands, name: str) -> None:
    first = hands.workspace.snapshot("loop-1", "first").commit
    hands.write("sub/new.txt", b"new\n")
    hands.remove("a.txt")
    second = hands.workspace.snapshot("loop-1", "second").commit
    hands.workspace.restore(first)
    hands.write(name, b"the user's\n")
    before = hands.workspace.tree()
    with pytest.raises(Conflict):
        hands.workspace.restore(second, over=first)
    assert hands.workspace.tree() == before
    with pytest.raises(NotFound):
        hands.workspace.restore(second, over="0" * 40)


def test_one_can_go_back_and_forth(hands: Hands) -> None:
    first = hands.workspace.snapshot("loop-1", "first")
    hands.write("a.txt", b"ONE\n")
    second = hands.workspace.snapshot("loop-1", "second")
    for target in (first, second, first):
        hands.workspace.restore(target.commit)
        assert hands.workspace.tree() == target.tree


@pytest.mark.parametrize("commit", ["0" * 40, "nonsense", "--all", ""])
def test_an_unknown_snapshot_is_not_found(hands: Hands, commit: str) -> None:
    known = hands.workspace.snapshot("loop-1", "kept").commit
    with pytest.raises(NotFound):
        hands.workspace.restore(commit)
    with pytest.raises(NotFound):
        hands.workspace.changes(known, commit)
    with pytest.raises(NotFound):
        hands.workspace.diff(commit, known)


@pytest.mark.parametrize("loop_id", ["../x", "a/b", "", "-x", "a.lock", "a b"])
def test_an_unsafe_id_is_refused(hands: Hands, loop_id: str) -> None:
    with pytest.raises(Invalid):
        hands.workspace.snapshot(loop_id, "label")
    with pytest.raises(Invalid):
        hands.workspace.forget(loop_id)


def test_forgetting_one_loop_keeps_the_other(hands: Hands) -> None:
    hands.workspace.snapshot("loop-1", "one")
    other = hands.workspace.snapshot("loop-2", "two")
    hands.workspace.forget("loop-1")
    hands.workspace.forget("loop-1")
    hands.workspace.forget("never-known")
    hands.write("a.txt", b"ONE\n")
    hands.workspace.restore(other.commit)
    assert hands.workspace.tree() == other.tree


def test_any_label_is_taken(hands: Hands) -> None:
    for label in ("", "ä — 試験\nsecond line", "-F /etc/passwd", "\udcff"):
        assert hands.workspace.snapshot("loop-1", label).commit


def test_a_text_is_replaced_only_where_it_still_stands(hands: Hands) -> None:
    before = hands.workspace.snapshot("loop-1", "before")
    assert not hands.workspace.replace_text("a.txt", "one", "1\n")
    assert not hands.workspace.replace_text("absent.txt", "", "1\n")
    assert not hands.workspace.replace_text("sub", "", "1\n")
    assert hands.workspace.tree() == before.tree
    assert hands.workspace.replace_text("a.txt", "one\n", "ä\r\n")
    assert not hands.workspace.replace_text("a.txt", "one\n", "again\n")
    after = hands.workspace.snapshot("loop-1", "after")
    assert hands.workspace.changes(before.commit, after.commit) == (FileChange("a.txt", "modify"),)
    assert hands.workspace.replace_text("a.txt", "ä\r\n", "one\n")
    assert hands.workspace.tree() == before.tree


def below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_exported_snapshot_is_its_files_and_leaves_the_work_tree_alone(hands: Hands, tmp_path: Path) -> None:
    kept = hands.workspace.snapshot("loop-1", "kept").commit
    hands.write("sub/b.txt", b"TWO\n")
    hands.remove("a.txt")
    now = hands.workspace.tree()
    hands.workspace.export(kept, tmp_path / "out" / "whole")
    assert below(tmp_path / "out" / "whole") == {"a.txt": b"one\n", "sub/b.txt": b"two\n"}
    assert hands.workspace.tree() == now


@pytest.mark.parametrize(
    ("paths", "without", "expected"),
    [
        (["a.txt"], [], {"a.txt"}), (["sub"], [], {"sub/b.txt"}), (["sub/"], [], {"sub/b.txt"}), ([], [], set()),
        (None, ["sub"], {"a.txt"}), (["a.txt", "absent"], ["a.txt"], set()), (["su"], [], set()),
    ],
)  # fmt: skip
def test_an_export_of_some_files(
    hands: Hands, tmp_path: Path, paths: list[str] | None, without: list[str], expected: set[str]
) -> None:
    kept = hands.workspace.snapshot("loop-1", "kept").commit
    hands.workspace.export(kept, tmp_path / "out", paths=paths, without=without)
    assert below(tmp_path / "out").keys() == expected


def test_an_export_goes_over_what_is_there(hands: Hands, tmp_path: Path) -> None:
    first = hands.workspace.snapshot("loop-1", "first").commit
    hands.write("a.txt", b"ONE\n")
    second = hands.workspace.snapshot("loop-1", "second").commit
    hands.workspace.export(second, tmp_path / "out")
    hands.workspace.export(first, tmp_path / "out", paths=["a.txt"])
    assert below(tmp_path / "out") == {"a.txt": b"one\n", "sub/b.txt": b"two\n"}


def test_an_unknown_snapshot_can_not_be_exported(hands: Hands, tmp_path: Path) -> None:
    hands.workspace.snapshot("loop-1", "kept")
    with pytest.raises(NotFound):
        hands.workspace.export("0" * 40, tmp_path / "out")


def test_links_to_ignored_files_never_replace_anything(hands: Hands, tmp_path: Path) -> None:
    kept = hands.workspace.snapshot("loop-1", "kept").commit
    hands.workspace.export(kept, tmp_path / "out")
    hands.workspace.bring_ignored(tmp_path / "out")
    assert below(tmp_path / "out") == {"a.txt": b"one\n", "sub/b.txt": b"two\n"}
