"""What two lanes have made of one project, joined: every kind of change, and how the project takes it."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings

from loopwright.core.errors import Conflict, Invalid, WorkspaceError
from loopwright.core.ports import MergeResult
from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.worktrees import GitWorktrees
from tests.tiers import examples
from tests.workspace.trees import ODD_NAMES, TREES, Tree, contents, lay_out

CYCLE = "cycle-1"
LINES = "".join(f"line {n}\n" for n in range(20))
PICTURE = b"\x89PNG\0" + bytes(range(256)) * 4


class Scene:
    """A project with nothing but `base`; `ours` and `theirs` are snapshots that began from it."""

    def __init__(self, folder: Path, base: Tree) -> None:
        self.project = folder / "project"
        lay_out(self.project, base)
        self.workspace = GitWorkspace(self.project, folder / "state")
        self.worktrees = GitWorktrees(self.project, folder / "state")
        self.base = self.workspace.snapshot(CYCLE, "base").commit

    def lane(self, number: int, tree: Tree) -> str:
        """What an agent leaves who was given the base, and makes this of it."""
        lay_out(self.worktrees.open(CYCLE, number, self.base), tree)
        return self.worktrees.snapshot(CYCLE, number, f"lane {number}").commit

    def merge(self, ours: str, theirs: str) -> MergeResult:
        return self.worktrees.merge(CYCLE, ours, theirs, "merged")

    def files(self, commit: str) -> dict[bytes, tuple[str, bytes]]:
        """What the snapshot holds, as it comes out in a lane."""
        return contents(self.worktrees.open(CYCLE, 4, commit))

    def take(self, merged: MergeResult, ours: str) -> None:
        paths = [change.file for change in self.workspace.changes(ours, merged.commit)]
        self.workspace.restore(merged.commit, paths, over=ours)


def as_bytes(tree: Tree) -> dict[bytes, tuple[str, bytes]]:
    return {os.fsencode(name): held for name, held in tree.items()}


def file(data: str | bytes) -> tuple[str, bytes]:
    return "file", data.encode() if isinstance(data, str) else data


BASE: Tree = {"a.txt": file(LINES), "pic.png": file(PICTURE), "dir/b.txt": file("b\n"), "run.sh": file("echo\n")}


def with_(**changes: tuple[str, bytes] | None) -> Tree:
    return edited({name.replace("__", "/").replace("_", "."): held for name, held in changes.items()})


def edited(changes: Mapping[str, tuple[str, bytes] | None]) -> Tree:
    return {name: held for name, held in {**BASE, **changes}.items() if held is not None}


GOOD: dict[str, tuple[Tree, Tree, Tree]] = {
    "two files": (with_(a_txt=file("1")), with_(dir__b_txt=file("2")), with_(a_txt=file("1"), dir__b_txt=file("2"))),
    "two places of one file": (
        with_(a_txt=file(LINES.replace("line 1\n", "LINE 1\n"))),
        with_(a_txt=file(LINES.replace("line 18\n", "LINE 18\n"))),
        with_(a_txt=file(LINES.replace("line 1\n", "LINE 1\n").replace("line 18\n", "LINE 18\n"))),
    ),
    "the same change twice": (with_(a_txt=file("same")), with_(a_txt=file("same")), with_(a_txt=file("same"))),
    "a mode and a content": (
        with_(run_sh=("program", b"echo\n")), with_(run_sh=file("echo 2\n")), with_(run_sh=("program", b"echo 2\n")),
    ),
    "a rename and an edit": (
        edited({"a.txt": None, "moved/c.txt": file(LINES)}),
        with_(a_txt=file(LINES + "more\n")),
        edited({"a.txt": None, "moved/c.txt": file(LINES + "more\n")}),
    ),
    "a deletion and another edit": (
        with_(a_txt=None), with_(pic_png=file(b"\0new")), with_(a_txt=None, pic_png=file(b"\0new")),
    ),
    "both delete": (with_(a_txt=None), with_(a_txt=None), with_(a_txt=None)),
    "a folder for a file": (
        edited({"a.txt": None, "a.txt/in": file("x")}), with_(run_sh=None),
        edited({"a.txt": None, "a.txt/in": file("x"), "run.sh": None}),
    ),
    "a link for a file": (with_(a_txt=("link", b"run.sh")), BASE, with_(a_txt=("link", b"run.sh"))),
    "nothing at all": (BASE, BASE, BASE),
    "all gone": ({}, BASE, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", GOOD)
def test_changes_that_go_together(tmp_path: Path, case: str) -> None:
    ours, theirs, both = GOOD[case]
    scene = Scene(tmp_path, BASE)
    pair = scene.lane(1, ours), scene.lane(2, theirs)
    for first, second in (pair, pair[::-1]):
        merged = scene.merge(first, second)
        assert merged.conflicts == ()
        assert scene.files(merged.commit) == as_bytes(both)


BAD: dict[str, tuple[Tree, Tree, set[str]]] = {
    "one line": (with_(dir__b_txt=file("1\n")), with_(dir__b_txt=file("2\n")), {"dir/b.txt"}),
    "a picture": (with_(pic_png=file(PICTURE + b"1")), with_(pic_png=file(PICTURE + b"2")), {"pic.png"}),
    "deleted and edited": (with_(a_txt=None), with_(a_txt=file(LINES + "x\n")), {"a.txt"}),
    "added twice": (edited({"new\n\u00e4": file("1")}), edited({"new\n\u00e4": file("2")}), {"new\n\u00e4"}),
    "links": (with_(run_sh=("link", b"a.txt")), with_(run_sh=("link", b"pic.png")), {"run.sh"}),
    "a link and a file": (with_(run_sh=("link", b"a.txt")), with_(run_sh=file("echo 2\n")), {"run.sh", "run.sh~task"}),
}


@pytest.mark.parametrize("case", BAD)
def test_changes_that_do_not_go_together_are_for_the_agent(tmp_path: Path, case: str) -> None:
    ours, theirs, expected = BAD[case]
    scene = Scene(tmp_path, BASE)
    pair = scene.lane(1, ours), scene.lane(2, theirs)
    merged = scene.merge(*pair)
    assert set(merged.conflicts) == expected
    assert "CONFLICT" in merged.told
    folder = scene.worktrees.open(CYCLE, 2, merged.commit)
    for name in merged.conflicts:  # whatever was left there for the agent, it makes a file of it
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_text("agreed")
    resolved = scene.worktrees.snapshot(CYCLE, 2, "resolved").commit
    assert scene.worktrees.unresolved(resolved, merged.conflicts) == ()
    again = scene.merge(pair[0], resolved)
    assert again.conflicts == ()
    assert scene.workspace.changes(resolved, again.commit) == ()
    agreed = {os.fsencode(name): file("agreed") for name in expected}
    assert scene.files(again.commit) == {**as_bytes(ours), **as_bytes(theirs), **agreed}


def test_a_file_and_a_folder_of_one_name(tmp_path: Path) -> None:
    scene = Scene(tmp_path, BASE)
    ours = scene.lane(1, edited({"new": file("a file")}))
    theirs = scene.lane(2, edited({"new/in": file("a folder")}))
    merged = scene.merge(ours, theirs)
    assert merged.conflicts
    assert "new" in merged.told
    held = scene.files(merged.commit)
    assert held[b"new/in"] == file("a folder")
    assert file("a file") in held.values()


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_odd_names(tmp_path: Path, name: bytes) -> None:
    scene = Scene(tmp_path, {})
    text = os.fsdecode(name)
    ours, theirs = scene.lane(1, {text: file("1\n")}), scene.lane(2, {text: file("2\n"), "other": file("")})
    merged = scene.merge(ours, theirs)
    assert len(merged.conflicts) == 1
    assert scene.worktrees.unresolved(merged.commit, merged.conflicts) == merged.conflicts
    clean = scene.merge(scene.base, ours)
    scene.take(clean, scene.base)
    assert contents(scene.project) == as_bytes({text: file("1\n")})


def test_the_marks_name_both_sides_and_are_found_as_long_as_one_is_left(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"a": file("one\r\n"), "b": file("one\n"), "c": file("<<<<<<< project\n")})
    ours = scene.lane(1, {"a": file("ours\r\n"), "b": file("ours\n"), "c": file("<<<<<<< project\n")})
    theirs = scene.lane(2, {"a": file("theirs\r\n"), "b": file("theirs\n"), "c": file("<<<<<<< project\n")})
    merged = scene.merge(ours, theirs)
    assert scene.worktrees.unresolved(merged.commit, merged.conflicts) == ("a", "b")
    folder = scene.worktrees.open(CYCLE, 2, merged.commit)
    assert (folder / "b").read_text() == "<<<<<<< project\nours\n=======\ntheirs\n>>>>>>> task\n"
    (folder / "b").write_text("both\n=======\nA heading\n")
    (folder / "a").write_bytes((folder / "a").read_bytes().replace(b"<<<<<<< project\r\n", b""))
    half = scene.worktrees.snapshot(CYCLE, 2, "half").commit
    assert scene.worktrees.unresolved(half, merged.conflicts) == ("a",)


def test_a_resolution_goes_on_top_of_what_others_have_done_since(tmp_path: Path) -> None:
    scene = Scene(tmp_path, BASE)
    ours = scene.lane(1, with_(dir__b_txt=file("ours\n")))
    theirs = scene.lane(2, with_(dir__b_txt=file("theirs\n"), pic_png=file(b"\0theirs")))
    merged = scene.merge(ours, theirs)
    third = scene.merge(ours, scene.lane(3, with_(a_txt=file("third")))).commit
    folder = scene.worktrees.open(CYCLE, 2, merged.commit)
    (folder / "dir/b.txt").write_text("agreed\n")
    again = scene.merge(third, scene.worktrees.snapshot(CYCLE, 2, "resolved").commit)
    assert again.conflicts == ()
    expected = with_(dir__b_txt=file("agreed\n"), pic_png=file(b"\0theirs"), a_txt=file("third"))
    assert scene.files(again.commit) == as_bytes(expected)


def test_the_project_may_say_how_its_files_are_merged(tmp_path: Path) -> None:
    rules = {".gitattributes": file("CHANGES merge=union\nlock -merge\n")}
    scene = Scene(tmp_path, {**rules, "CHANGES": file("old\n"), "lock": file(LINES)})
    ours = scene.lane(1, {**rules, "CHANGES": file("old\nours\n"), "lock": file("x\n" + LINES)})
    theirs = scene.lane(2, {**rules, "CHANGES": file("old\ntheirs\n"), "lock": file(LINES + "y\n")})
    merged = scene.merge(ours, theirs)
    assert merged.conflicts == ("lock",)
    assert scene.files(merged.commit)[b"CHANGES"] == file("old\nours\ntheirs\n")


def test_line_ends_and_other_bytes_stay(tmp_path: Path) -> None:
    rules = {".gitattributes": file("* text=auto eol=lf\n*.id ident\n")}
    scene = Scene(tmp_path, {**rules, "a": file(b"1\r\n2\n" * 10), "b.id": file("$Id$")})
    ours = scene.lane(1, {**rules, "a": file(b"0\r\n" + b"1\r\n2\n" * 10), "b.id": file("$Id$")})
    theirs = scene.lane(2, {**rules, "a": file(b"1\r\n2\n" * 10 + b"3\r"), "b.id": file("$Id: x$")})
    merged = scene.merge(ours, theirs)
    expected: Tree = {**rules, "a": file(b"0\r\n" + b"1\r\n2\n" * 10 + b"3\r"), "b.id": file("$Id: x$")}
    assert scene.files(merged.commit) == as_bytes(expected)


def test_snapshots_that_know_nothing_of_each_other_are_refused(tmp_path: Path) -> None:
    scene = Scene(tmp_path, BASE)
    scene.workspace.forget(CYCLE)
    foreign = scene.workspace.snapshot(CYCLE, "begun anew").commit
    with pytest.raises(WorkspaceError, match="unrelated histories"):
        scene.merge(scene.base, foreign)


def test_an_old_git_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(tmp_path, BASE)
    real = next(f"{at}/git" for at in os.environ["PATH"].split(":") if os.access(f"{at}/git", os.X_OK))
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\ncase " $* " in *" --write-tree "*) echo usage >&2; exit 129;; esac\nexec {real} "$@"\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(Invalid, match=r"git 2\.38"):
        scene.merge(scene.base, scene.base)
    assert scene.workspace.snapshot(CYCLE, "all else works").commit


class TestTheProjectTakesIt:
    @pytest.fixture
    def scene(self, tmp_path: Path) -> Scene:
        return Scene(tmp_path, BASE)

    @pytest.fixture
    def merged(self, scene: Scene) -> MergeResult:
        task = with_(a_txt=file("task"), pic_png=None, run_sh=("program", b"echo\n"))
        return scene.merge(scene.base, scene.lane(1, {**task, "new/x": file("x")}))

    def test_as_it_is(self, scene: Scene, merged: MergeResult) -> None:
        scene.take(merged, scene.base)
        assert scene.workspace.tree() == merged.tree
        scene.take(merged, scene.base)
        assert scene.workspace.tree() == merged.tree, "taking it twice is taking it once"

    def test_and_what_the_user_does_meanwhile_in_other_files_stays(self, scene: Scene, merged: MergeResult) -> None:
        (scene.project / "dir/b.txt").write_text("the user's")
        (scene.project / "mine").write_text("the user's")
        scene.take(merged, scene.base)
        expected: Tree = {
            "a.txt": file("task"), "run.sh": ("program", b"echo\n"), "new/x": file("x"),
            "dir/b.txt": file("the user's"), "mine": file("the user's"),
        }  # fmt: skip
        assert contents(scene.project) == as_bytes(expected)

    @pytest.mark.parametrize(
        ("name", "data"), [("a.txt", "mine"), ("pic.png", "mine"), ("new/x", "mine"), ("new", "mine"), ("a.txt", None)]
    )
    def test_but_never_over_what_the_user_does_in_the_same_one(
        self, scene: Scene, merged: MergeResult, name: str, data: str | None
    ) -> None:
        path = scene.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_text(data)
        before = contents(scene.project)
        with pytest.raises(Conflict):
            scene.take(merged, scene.base)
        assert contents(scene.project) == before
        ours = scene.workspace.snapshot(CYCLE, "with what the user did").commit
        assert scene.merge(ours, merged.commit).conflicts

    def test_nor_over_an_ignored_file_which_is_in_no_snapshot(self, scene: Scene, merged: MergeResult) -> None:
        (scene.project / ".git").mkdir()
        (scene.project / ".gitignore").write_text("new/\n")
        (scene.project / "new").mkdir()
        (scene.project / "new" / "x").write_text("ignored")
        with pytest.raises(Conflict, match="new/x"):
            scene.take(merged, scene.base)
        assert (scene.project / "new" / "x").read_text() == "ignored"
        assert stat.S_IMODE((scene.project / "run.sh").stat().st_mode) == 0o644


def test_folders_over_which_git_fails_an_assertion_of_its_own(tmp_path: Path) -> None:
    """git 2.39 dies of a folder that became a file on one side, and was renamed into on the other."""
    same = file("x")
    scene = Scene(tmp_path, {"a/a/a": same, "b": same})
    task = scene.lane(1, {"a/a/b": same})
    lay_out(scene.project, {"a": same})
    merged = scene.merge(scene.workspace.snapshot(CYCLE, "ours").commit, task)
    assert merged.conflicts


def test_a_folder_that_became_a_link_to_itself(tmp_path: Path) -> None:
    tree = {"a": ("link", b"a"), "b": file("y")}
    scene = Scene(tmp_path, {"a/a": file("x"), "b": file("y")})
    assert scene.files(scene.lane(1, tree)) == as_bytes(tree)


@given(base=TREES, ours=TREES, theirs=TREES)
@settings(max_examples=examples(20))
def test_whatever_is_merged_is_taken_whole_or_told_as_a_conflict(
    base: Tree, ours: Tree, theirs: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    scene = Scene(tmp_path_factory.mktemp("any"), base)
    task = scene.lane(1, theirs)
    lay_out(scene.project, ours)
    project = scene.workspace.snapshot(CYCLE, "ours").commit
    merged = scene.merge(project, task)
    if merged.conflicts:
        assert ours != theirs
        assert base not in (ours, theirs)
        return
    if base in (ours, theirs):
        assert scene.files(merged.commit) == as_bytes(theirs if base == ours else ours)
    scene.take(merged, project)
    assert scene.workspace.tree() == merged.tree
    assert contents(scene.project) == scene.files(merged.commit)
