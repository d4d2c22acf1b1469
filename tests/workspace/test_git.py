"""Snapshots against real projects: odd files, nested repositories, hostile settings, and users who must not notice."""

import itertools
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings

from loopwright.core.errors import Conflict, WorkspaceError
from loopwright.core.ports import FileChange
from loopwright.workspace import listing, private_git
from loopwright.workspace.checkpoints import GitWorkspace, private_directory, project_root
from loopwright.workspace.file_store import SETTLED
from tests.tiers import examples
from tests.workspace.trees import ODD_NAMES, TREES, Tree, contents, digest_of, git, lay_out


def test_the_users_git_directory_stays_byte_for_byte_the_same(project: Path, workspace: GitWorkspace) -> None:
    before = digest_of(project / ".git")
    first = workspace.snapshot("loop-1", "first").commit
    (project / "new.py").write_text("new\n")
    second = workspace.snapshot("loop-1", "second").commit
    workspace.tree(["new.py"])
    workspace.changes(first, second)
    workspace.diff(first, second)
    workspace.restore(first)
    workspace.forget("loop-1")
    assert digest_of(project / ".git") == before


def test_no_change_is_missed_however_soon_it_follows_a_look(project: Path, workspace: GitWorkspace) -> None:
    """Of the same size, within one tick of the clock, with the old time put back, by a rename, of the mode alone."""
    file, seen = project / "soon.txt", set()
    for n in range(60):
        file.write_text(f"{n:04}")
        seen.add(workspace.tree())
    assert len(seen) == 60
    time.sleep(2 * SETTLED / 1e9)  # what was looked at is settled, and is not looked at again
    before = [workspace.tree() for _ in range(2)]
    stamp = file.stat()
    file.write_text("late")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    late = workspace.tree()
    (project / "other.txt").write_text("LATE")
    os.replace(project / "other.txt", file)
    renamed = workspace.tree()
    file.chmod(0o755)
    assert len({*before, late, renamed, workspace.tree()}) == 4


def test_what_has_not_changed_is_not_read_again(
    project: Path, workspace: GitWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    time.sleep(2 * SETTLED / 1e9)
    tree, asked = [workspace.tree() for _ in range(2)][-1], []
    run = private_git.run_git

    def counting(*args: str | bytes, **options: Any) -> Any:
        asked.append(args[0])
        return run(*args, **options)

    for module in (private_git, listing):
        monkeypatch.setattr(module, "run_git", counting)
    assert workspace.tree() == tree
    assert asked == []
    GitWorkspace(project, workspace._home).snapshot("loop-2", "by another process")
    (project / "new.txt").write_text("x")
    assert GitWorkspace(project, workspace._home).tree() == workspace.tree() != tree


def test_untracked_and_changed_files_are_in_ignored_ones_and_our_own_are_not(
    project: Path, workspace: GitWorkspace
) -> None:
    before = workspace.snapshot("loop-1", "before").commit
    (project / ".git" / "info" / "exclude").write_text("secret.txt\n")
    for name in ("a.log", "build/out.o", "secret.txt", ".workflow/.loop/x.json", ".loop/x.json", "sub/.workflow/kept"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x")
    after = workspace.snapshot("loop-1", "after").commit
    assert workspace.changes(before, after) == (FileChange("sub/.workflow/kept", "create"),)


def test_a_file_that_the_user_tracks_is_in_even_where_a_pattern_ignores_it(
    project: Path, workspace: GitWorkspace
) -> None:
    (project / "kept.log").write_text("one")
    git(project, "add", "-f", "kept.log")
    before = workspace.snapshot("loop-1", "before").commit
    (project / "kept.log").write_text("two")
    after = workspace.snapshot("loop-1", "after").commit
    assert workspace.changes(before, after) == (FileChange("kept.log", "modify"),)


def test_the_tree_does_not_depend_on_what_was_seen_before(project: Path, tmp_path: Path) -> None:
    old = GitWorkspace(project, tmp_path / "old")
    (project / "later.txt").write_text("ignored later")
    old.tree()
    with (project / ".gitignore").open("a") as rules:
        rules.write("later.txt\n")
    assert old.tree() == GitWorkspace(project, tmp_path / "new").tree()


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_odd_names_are_kept(project: Path, workspace: GitWorkspace, name: bytes) -> None:
    path = os.path.join(os.fsencode(project), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    empty = workspace.snapshot("loop-1", "before").commit
    Path(os.fsdecode(path)).write_bytes(b"one")
    full = workspace.snapshot("loop-1", "after").commit
    (change,) = workspace.changes(empty, full)
    change.file.encode()  # text that can be written as JSON
    os.unlink(path)
    workspace.restore(full, [change.file])
    assert Path(os.fsdecode(path)).read_bytes() == b"one"
    workspace.restore(empty, [change.file])
    assert not os.path.lexists(path)


def test_modes_links_and_bytes_are_kept_whatever_gitattributes_say(project: Path, workspace: GitWorkspace) -> None:
    (project / ".gitattributes").write_text(
        "* text=auto eol=lf\n*.id ident\n*.big filter=lfs diff=lfs\n*.u working-tree-encoding=UTF-16\n*.py -diff\n"
    )
    (project / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    (project / "mixed.txt").write_bytes(b"a\r\nb\nc\r")
    (project / "x.id").write_bytes(b"$Id$ $Id: abc $\n")
    (project / "x.big").write_bytes(bytes(range(256)) * 40)
    (project / "x.u").write_bytes(b"not utf-16")
    (project / "run.sh").write_bytes(b"#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    (project / "dangling").symlink_to("nowhere/at all")
    (project / "folder").symlink_to("/etc")
    (project / "empty").touch()
    before, kept = contents(project), workspace.snapshot("loop-1", "kept")
    for name in ("crlf.txt", "mixed.txt", "x.id", "x.big", "x.u", "run.sh", "dangling", "folder", "empty"):
        (project / name).unlink()
        (project / name).write_bytes(b"replaced")
    changed = workspace.snapshot("loop-1", "changed")
    workspace.restore(kept.commit)
    assert contents(project) == before
    assert workspace.tree() == kept.tree
    assert "$Id: abc $" in workspace.diff(changed.commit, kept.commit)


def test_a_changed_mode_alone_is_a_change(project: Path, workspace: GitWorkspace) -> None:
    before = workspace.snapshot("loop-1", "before").commit
    (project / "app.py").chmod(0o755)
    after = workspace.snapshot("loop-1", "after").commit
    assert workspace.changes(before, after) == (FileChange("app.py", "modify"),)


def test_quick_edits_of_the_same_size_are_all_noticed(project: Path, workspace: GitWorkspace) -> None:
    trees = set()
    for number in range(30):
        (project / "app.py").write_text(f"{number:04}")
        trees.add(workspace.tree())
    assert len(trees) == 30


def test_an_edit_that_puts_the_old_time_back_is_noticed(project: Path, workspace: GitWorkspace) -> None:
    old = 1_600_000_000
    (project / "app.py").write_text("aaaa")
    os.utime(project / "app.py", (old, old))
    first = workspace.tree()
    # The change time cannot be put back; git compares it by the second.
    while os.stat(project / "app.py").st_ctime_ns // 10**9 == _now_of(project):
        pass
    (project / "app.py").write_text("bbbb")
    os.utime(project / "app.py", (old, old))
    assert workspace.tree() != first


def _now_of(folder: Path) -> int:
    probe = folder.parent / "probe"
    probe.write_text("")
    return os.stat(probe).st_ctime_ns // 10**9


class TestNestedRepositories:
    @pytest.fixture
    def nested(self, project: Path) -> Path:
        folder = project / "vendor" / "lib"
        folder.mkdir(parents=True)
        git(folder, "init", "-q")
        (folder / "lib.py").write_text("one\n")
        (folder / ".gitignore").write_text("*.tmp\n")
        return folder

    def test_files_of_an_unborn_one_are_kept(self, project: Path, workspace: GitWorkspace, nested: Path) -> None:
        self._is_kept(project, workspace, nested)

    def test_files_of_one_with_commits_are_kept(self, project: Path, workspace: GitWorkspace, nested: Path) -> None:
        git(nested, "add", "-A")
        git(nested, "commit", "-q", "-m", "first")
        self._is_kept(project, workspace, nested)

    def test_files_of_a_submodule_are_kept(self, project: Path, workspace: GitWorkspace, tmp_path: Path) -> None:
        origin = tmp_path / "origin"
        origin.mkdir()
        git(origin, "init", "-q")
        (origin / "lib.py").write_text("one\n")
        (origin / ".gitignore").write_text("*.tmp\n")
        git(origin, "add", "-A")
        git(origin, "commit", "-q", "-m", "first")
        git(project, "submodule", "--quiet", "add", str(origin), "vendor/lib")
        self._is_kept(project, workspace, project / "vendor" / "lib")

    def test_a_submodule_that_was_not_fetched_is_no_obstacle(
        self, project: Path, workspace: GitWorkspace, nested: Path
    ) -> None:
        git(nested, "add", "-A")
        git(nested, "commit", "-q", "-m", "first")
        git(project, "add", "vendor/lib")
        shutil.rmtree(nested)
        nested.mkdir()
        assert workspace.snapshot("loop-1", "empty").commit

    @pytest.mark.parametrize("broken", ["gitdir: /nowhere\n", "garbage"])
    def test_a_broken_one_is_no_obstacle(
        self, project: Path, workspace: GitWorkspace, nested: Path, broken: str
    ) -> None:
        shutil.rmtree(nested / ".git")
        (nested / ".git").write_text(broken)
        self._is_kept(project, workspace, nested)

    def _is_kept(self, project: Path, workspace: GitWorkspace, nested: Path) -> None:
        before, kept = contents(project), workspace.snapshot("loop-1", "kept")
        (nested / "lib.py").write_text("two\n")
        (nested / "new.py").write_text("new\n")
        after = workspace.snapshot("loop-1", "after")
        where = nested.relative_to(project).as_posix()
        assert workspace.changes(kept.commit, after.commit) == (
            FileChange(f"{where}/lib.py", "modify"),
            FileChange(f"{where}/new.py", "create"),
        )
        workspace.restore(kept.commit)
        assert contents(project) == before
        assert (nested / ".git").exists()


class TestRestore:
    def test_ignored_files_are_never_touched(self, project: Path, workspace: GitWorkspace) -> None:
        kept = workspace.snapshot("loop-1", "kept")
        (project / "build").mkdir()
        (project / "build" / "out.o").write_text("built")
        (project / "a.log").write_text("log")
        (project / "new" / "deep").mkdir(parents=True)
        (project / "new" / "deep" / "x.py").write_text("x")
        (project / "new" / "b.log").write_text("log")
        workspace.restore(kept.commit)
        assert (project / "build" / "out.o").read_text() == "built"
        assert (project / "a.log").read_text() == "log"
        assert (project / "new" / "b.log").read_text() == "log"
        assert not (project / "new" / "deep").exists()

    def test_a_lost_ignore_rule_does_not_cost_the_files_it_guarded(
        self, project: Path, workspace: GitWorkspace
    ) -> None:
        (project / "precious.log").write_text("precious")
        kept = workspace.snapshot("loop-1", "kept")
        (project / ".gitignore").unlink()
        workspace.restore(kept.commit)
        assert (project / "precious.log").read_text() == "precious"

    def test_files_and_folders_change_places(self, project: Path, workspace: GitWorkspace) -> None:
        (project / "swap" / "deep").mkdir(parents=True)
        (project / "swap" / "deep" / "x").write_text("x")
        (project / "other").write_text("file")
        (project / "link").symlink_to("swap")
        before, first = contents(project), workspace.snapshot("loop-1", "first")
        shutil.rmtree(project / "swap")
        (project / "swap").symlink_to("other")
        (project / "other").unlink()
        (project / "other").mkdir()
        (project / "other" / "y").write_text("y")
        (project / "link").unlink()
        (project / "link").mkdir()
        (project / "link" / "z").write_text("z")
        after, second = contents(project), workspace.snapshot("loop-1", "second")
        workspace.restore(first.commit)
        assert contents(project) == before
        workspace.restore(second.commit)
        assert contents(project) == after

    def test_nothing_is_written_through_a_link_that_took_a_folders_place(
        self, project: Path, workspace: GitWorkspace, tmp_path: Path
    ) -> None:
        (project / "conf").mkdir()
        (project / "conf" / "x").write_text("ours")
        kept = workspace.snapshot("loop-1", "kept")
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "x").write_text("theirs")
        shutil.rmtree(project / "conf")
        (project / "conf").symlink_to(outside)
        workspace.restore(kept.commit)
        assert (outside / "x").read_text() == "theirs"
        assert (project / "conf" / "x").read_text() == "ours"

    def test_a_folder_with_ignored_files_is_not_buried(self, project: Path, workspace: GitWorkspace) -> None:
        (project / "data").write_text("a file")
        kept = workspace.snapshot("loop-1", "kept")
        (project / "data").unlink()
        (project / "data").mkdir()
        (project / "data" / "precious.log").write_text("precious")
        (project / "app.py").write_text("changed")
        with pytest.raises(Conflict, match=r"^data cannot be restored: the ignored file data/precious.log"):
            workspace.restore(kept.commit)
        assert (project / "data" / "precious.log").read_text() == "precious"
        assert (project / "app.py").read_text() == "changed"

    def test_an_ignored_file_in_a_folders_place_is_not_buried(self, project: Path, workspace: GitWorkspace) -> None:
        (project / "data").mkdir()
        (project / "data" / "x").write_text("x")
        kept = workspace.snapshot("loop-1", "kept")
        shutil.rmtree(project / "data")
        (project / "data").write_text("precious")
        with (project / ".gitignore").open("a") as rules:
            rules.write("/data\n")
        with pytest.raises(Conflict, match="ignored file data is in its place"):
            workspace.restore(kept.commit)
        assert (project / "data").read_text() == "precious"

    def test_a_path_names_a_folder_not_a_prefix(self, project: Path, workspace: GitWorkspace) -> None:
        kept = workspace.snapshot("loop-1", "kept")
        (project / "app.py.orig").write_text("new")
        workspace.restore(kept.commit, ["app.py"])
        assert (project / "app.py.orig").exists()


class TestAgainstTheOdds:
    def test_the_environment_of_a_git_hook_does_not_mislead(
        self, project: Path, workspace: GitWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The environment is what is tested here, so it is what is set.
        expected, before = workspace.tree(), digest_of(project / ".git")
        for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"):
            monkeypatch.setenv(name, str(project / ".git"))
        assert workspace.tree() == expected
        assert workspace.snapshot("loop-1", "in a hook").tree == expected
        assert digest_of(project / ".git") == before
        assert project_root(project) == project

    def test_programs_named_in_the_projects_settings_are_not_run(
        self, project: Path, workspace: GitWorkspace, tmp_path: Path
    ) -> None:
        trap, sprung = tmp_path / "trap", tmp_path / "sprung"
        trap.write_text(f"#!/bin/sh\ntouch {sprung}\n")
        trap.chmod(0o755)
        for key in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.external"):
            git(project, "config", key, str(trap))
        (project / ".gitattributes").write_text("* filter=x diff=x\n")
        for hook in ("post-checkout", "reference-transaction", "post-index-change"):
            shutil.copy(trap, project / ".git" / "hooks" / hook)
        first = workspace.snapshot("loop-1", "first").commit
        (project / "app.py").write_text("changed\n")
        workspace.diff(first, workspace.snapshot("loop-1", "second").commit)
        workspace.restore(first)
        assert not sprung.exists()

    @pytest.mark.parametrize("what", ["refs/looks/index", "index.files", "objects"])
    @pytest.mark.parametrize("break_it", ["garbage", "empty", "gone", "cut"])
    def test_what_was_kept_of_a_look_may_be_broken(
        self, project: Path, workspace: GitWorkspace, what: str, break_it: str
    ) -> None:
        """By a machine that went down, for whoever looked and for the next one."""
        time.sleep(0.1)
        expected = workspace.snapshot("loop-1", "first").tree
        kept = private_directory(workspace._home, project) / what
        if what == "objects":
            shutil.rmtree(kept)
            kept.mkdir()
        elif break_it in ("gone", "cut"):
            data = kept.read_bytes()
            kept.unlink()
            if break_it == "cut":
                kept.write_bytes(data[: len(data) // 2])
        else:
            kept.write_bytes(b"garbage" if break_it == "garbage" else b"")
        assert GitWorkspace(project, workspace._home).tree() == expected
        (project / "app.py").write_text("changed")
        made = workspace.snapshot("loop-2", "second")
        workspace.restore(made.commit)
        workspace.export(made.commit, project.parent / "out")
        assert (project.parent / "out" / "app.py").read_text() == "changed"

    def test_locks_left_by_a_killed_git_are_cleared(self, project: Path, workspace: GitWorkspace) -> None:
        workspace.snapshot("loop-1", "first")
        private = private_directory(workspace._home, project)
        for lock in ("index.lock", "HEAD.lock", "refs/loopwright/loop-1.lock", "packed-refs.lock", "config.lock"):
            (private / lock).touch()
        (project / "app.py").write_text("changed")
        assert workspace.snapshot("loop-1", "second").commit
        workspace.forget("loop-1")

    def test_a_half_made_directory_is_finished(self, project: Path, workspace: GitWorkspace) -> None:
        private = private_directory(workspace._home, project)
        (private / "refs").mkdir(parents=True)
        (private / "HEAD").write_text("")
        assert workspace.snapshot("loop-1", "first").commit

    def test_a_removed_directory_is_made_again(self, project: Path, workspace: GitWorkspace) -> None:
        first = workspace.snapshot("loop-1", "first")
        shutil.rmtree(private_directory(workspace._home, project))
        assert workspace.snapshot("loop-1", "second").tree == first.tree

    def test_a_broken_repository_is_a_folder(self, project: Path, workspace: GitWorkspace) -> None:
        expected = workspace.tree()
        (project / ".git" / "HEAD").write_text("garbage")
        assert workspace.tree() == expected
        shutil.rmtree(project / ".git")
        assert workspace.tree() == expected
        (project / ".git").write_text("gitdir: /nowhere")
        assert workspace.tree() == expected

    def test_a_folder_that_the_repository_around_it_ignores_still_has_files(
        self, project: Path, tmp_path: Path
    ) -> None:
        inner = project / "build" / "inner"
        inner.mkdir(parents=True)
        workspace = GitWorkspace(inner, tmp_path / "state")
        empty = workspace.tree()
        (inner / "x").write_text("x")
        assert workspace.tree() != empty

    def test_a_subfolder_keeps_to_the_rules_of_its_repository(self, project: Path, tmp_path: Path) -> None:
        inner = project / "inner"
        inner.mkdir()
        workspace = GitWorkspace(inner, tmp_path / "state")
        empty = workspace.tree()
        (inner / "a.log").write_text("x")
        assert workspace.tree() == empty

    def test_the_private_folder_may_lie_in_the_project(self, project: Path) -> None:
        workspace = GitWorkspace(project, project / ".local" / "state")
        first = workspace.snapshot("loop-1", "first")
        assert workspace.snapshot("loop-1", "second").tree == first.tree
        workspace.restore(first.commit)
        assert workspace.tree() == first.tree

    def test_pipes_and_sockets_are_left_alone(self, project: Path, workspace: GitWorkspace) -> None:
        expected = workspace.tree()
        os.mkfifo(project / "pipe")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(project / "s"))
            assert workspace.tree() == expected
        (project / "staged.py").unlink()
        os.mkfifo(project / "staged.py")  # tracked by the user
        assert workspace.tree() != expected

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_an_unreadable_file_does_not_stop_a_snapshot(self, project: Path, workspace: GitWorkspace) -> None:
        expected = workspace.tree()
        (project / "locked").write_text("x")
        (project / "locked").chmod(0)
        assert workspace.tree() == expected

    def test_a_project_that_is_gone_is_said_to_be_gone(self, project: Path, workspace: GitWorkspace) -> None:
        shutil.rmtree(project)
        with pytest.raises(WorkspaceError, match="does not exist"):
            workspace.tree()

    def test_a_conflict_in_the_users_index_is_no_obstacle(self, project: Path, workspace: GitWorkspace) -> None:
        blob = git(project, "hash-object", "-w", "app.py").strip()
        lines = "".join(f"100644 {blob} {stage}\tapp.py\n" for stage in (1, 2, 3))
        git(project, "rm", "-q", "--cached", "app.py")
        subprocess.run(["git", "update-index", "--index-info"], cwd=project, input=lines, text=True, check=True)
        assert workspace.snapshot("loop-1", "in a merge").commit


def test_replacing_a_text_keeps_the_mode_and_follows_no_link(
    project: Path, workspace: GitWorkspace, tmp_path: Path
) -> None:
    (project / "run.sh").write_text("old")
    (project / "run.sh").chmod(0o751)
    assert workspace.replace_text("run.sh", "old", "new")
    assert (project / "run.sh").stat().st_mode & 0o777 == 0o751
    (tmp_path / "outside").write_text("old")
    (project / "link").symlink_to(tmp_path / "outside")
    assert not workspace.replace_text("link", "old", "new")
    assert (tmp_path / "outside").read_text() == "old"


def test_a_rewritten_file_always_has_a_later_second(project: Path, workspace: GitWorkspace) -> None:
    """Python takes a .pyc file for the right one by the source's second and size."""
    shop = project / "shop.py"
    shop.write_text("VALUE = 1\n")
    kept = workspace.snapshot("loop-1", "one")
    seconds = [int(shop.stat().st_mtime)]
    for number in (2, 3):
        assert workspace.replace_text("shop.py", f"VALUE = {number - 1}\n", f"VALUE = {number}\n")
        seconds.append(int(shop.stat().st_mtime))
    workspace.restore(kept.commit)
    seconds.append(int(shop.stat().st_mtime))
    assert all(before < after for before, after in itertools.pairwise(seconds))


class TestSideBySide:
    def test_two_loops_and_many_threads(self, project: Path, tmp_path: Path) -> None:
        failures: list[BaseException] = []

        def work(loop_id: str) -> None:
            try:
                workspace = GitWorkspace(project, tmp_path / "state")
                for number in range(5):
                    (project / f"{loop_id}.txt").write_text(str(number))
                    before = workspace.snapshot(loop_id, str(number))
                    workspace.restore(before.commit, [f"{loop_id}.txt"])
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=work, args=(f"loop-{n}",)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        private = private_directory(tmp_path / "state", project)
        counts = [git(private, "rev-list", "--count", f"refs/loopwright/loop-{n}").strip() for n in range(3)]
        assert counts == ["5", "5", "5"]

    def test_a_killed_process_leaves_nothing_locked(self, project: Path, tmp_path: Path) -> None:
        code = f"""
import pathlib
from loopwright.workspace.checkpoints import GitWorkspace
workspace = GitWorkspace(pathlib.Path({str(project)!r}), pathlib.Path({str(tmp_path / "state")!r}))
print("up", flush=True)
while True:
    pathlib.Path({str(project / "n.txt")!r}).write_text(workspace.snapshot("loop-1", "x").commit)
"""
        workspace = GitWorkspace(project, tmp_path / "state")
        for _ in range(4):
            with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == "up\n"
                workspace.tree()
                process.kill()
            kept = workspace.snapshot("loop-2", "after the kill")
            workspace.restore(kept.commit)
            assert workspace.tree() == kept.tree


@given(first=TREES, second=TREES)
@settings(max_examples=examples(25))
def test_any_tree_comes_back_from_any_other(
    first: Tree, second: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("any")
    project = base / "project"
    lay_out(project, first)
    before = contents(project)
    workspace = GitWorkspace(project, base / "state")
    kept = workspace.snapshot("loop-1", "first")
    lay_out(project, second)
    there = contents(project)
    try:
        workspace.restore(kept.commit)
    except Conflict:  # an ignored file, which no snapshot has, is in the place of another
        assert contents(project) == there
        reject()
    assert contents(project) == before
    assert workspace.tree() == kept.tree


def test_project_root_is_the_top_of_the_repository_else_the_folder(project: Path, tmp_path: Path) -> None:
    (project / "sub" / "deep").mkdir(parents=True)
    assert project_root(project / "sub" / "deep") == project
    plain = tmp_path / "plain"
    plain.mkdir()
    assert project_root(plain) == plain
    (tmp_path / "alias").symlink_to(project)
    assert project_root(tmp_path / "alias" / "sub") == project


def test_one_project_has_one_private_directory_by_whatever_path(project: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(project)
    first = GitWorkspace(project, tmp_path / "state").snapshot("loop-1", "first")
    GitWorkspace(tmp_path / "alias", tmp_path / "state").restore(first.commit)
