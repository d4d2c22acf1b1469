"""Lanes: agents who do there what agents do, and a project that must not notice."""

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings

from loopwright.core.errors import Invalid, NotFound
from loopwright.core.ports import FileChange
from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.worktrees import GitWorktrees
from tests.tiers import examples
from tests.workspace.trees import ODD_NAMES, TREES, Tree, contents, digest_of, git, lay_out

CYCLE = "cycle-1"


@pytest.fixture
def start(workspace: GitWorkspace) -> str:
    return workspace.snapshot(CYCLE, "start").commit


@pytest.fixture
def lane(worktrees: GitWorktrees, start: str) -> Path:
    return worktrees.open(CYCLE, 1, start)


def changed(workspace: GitWorkspace, before: str, after: str) -> dict[str, str]:
    return {change.file: change.action for change in workspace.changes(before, after)}


class TestWhatAnAgentFinds:
    def test_the_project_without_what_is_ours_or_the_users(self, project: Path, lane: Path) -> None:
        (project / ".workflow").mkdir()
        assert contents(lane) == contents(project)
        assert lane.name == project.name
        assert git(lane, "status", "--porcelain") == ""
        assert git(lane, "stash", "list") == ""
        assert git(lane, "branch", "--all").split() == ["*", "lane-1"]
        assert git(lane, "remote") == ""
        assert git(lane, "fsck", "--strict", "--no-dangling") == ""

    @pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
    def test_odd_names(self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees, name: bytes) -> None:
        path = os.path.join(os.fsencode(project), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_bytes(b"x\r\n")
        kept = workspace.snapshot(CYCLE, "odd")
        lane = worktrees.open(CYCLE, 1, kept.commit)
        assert contents(lane) == contents(project)
        assert worktrees.snapshot(CYCLE, 1, "same").tree == kept.tree

    def test_nested_repositories_are_folders(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees
    ) -> None:
        inner = project / "vendor" / "inner"
        inner.mkdir(parents=True)
        git(inner, "init", "-q")
        (inner / "tracked").write_text("x")
        git(inner, "add", "-A")
        (inner / "untracked").write_text("y")
        kept = workspace.snapshot(CYCLE, "nested")
        assert contents(worktrees.open(CYCLE, 1, kept.commit)) == contents(project)
        assert worktrees.snapshot(CYCLE, 1, "same").tree == kept.tree

    def test_every_byte_whatever_the_attributes_say(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees
    ) -> None:
        (project / ".gitattributes").write_text("*.txt text eol=crlf\n*.id ident\n*.u working-tree-encoding=UTF-16\n")
        for name, data in {"a.txt": b"one\ntwo\r\n", "b.id": b"$Id: x$", "c.u": b"plain"}.items():
            (project / name).write_bytes(data)
        kept = workspace.snapshot(CYCLE, "bytes")
        lane = worktrees.open(CYCLE, 1, kept.commit)
        assert contents(lane) == contents(project)
        git(lane, "checkout", "-q", "HEAD", "--", ".")
        assert git(lane, "status", "--porcelain") == ""
        assert contents(lane) == contents(project)

    def test_installed_packages_by_a_link_that_git_does_not_show(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees
    ) -> None:
        for name in (".venv/bin/python", "node_modules/x/index.js", "data/[a]* b.bin", "__pycache__/x.pyc"):
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text("x")
        (project / "empty").mkdir()
        with (project / ".gitignore").open("a") as rules:
            rules.write(".venv/\nnode_modules/\n*.bin\n__pycache__/\nempty/\n")
        (project / "data/kept").write_text("x")
        kept = workspace.snapshot(CYCLE, "start")
        lane = worktrees.open(CYCLE, 1, kept.commit)
        assert (lane / ".venv/bin/python").read_text() == (lane / "node_modules/x/index.js").read_text() == "x"
        assert (lane / "data/[a]* b.bin").is_symlink()
        assert not (lane / "__pycache__").exists()
        assert not (lane / "empty").exists()
        assert git(lane, "status", "--porcelain") == ""
        assert worktrees.snapshot(CYCLE, 1, "same").tree == kept.tree
        git(lane, "add", "-f", ".venv")
        assert worktrees.snapshot(CYCLE, 1, "same").tree == kept.tree
        shutil.rmtree(lane / ".git")
        assert worktrees.snapshot(CYCLE, 1, "without git").tree == kept.tree


class TestOpenedAgain:
    def test_the_folder_stays_and_nothing_in_it_but_the_commit(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        inode = lane.stat().st_ino
        for name in ("new.py", "a.log", "build/out.o", "__pycache__/app.pyc", "deep/er/x", ".workflow/x"):
            (lane / name).parent.mkdir(parents=True, exist_ok=True)
            (lane / name).write_text("left over")
        (lane / "app.py").write_text("changed")
        (lane / "staged.py").unlink()
        git(lane, "init", "-q", "nested")
        git(lane, "commit", "-q", "--allow-empty", "-m", "mine")
        git(lane, "checkout", "-q", "-b", "other")
        assert worktrees.open(CYCLE, 1, start) == lane
        assert lane.stat().st_ino == inode
        assert contents(lane) == contents(project)
        assert git(lane, "status", "--porcelain", "--ignored") == ""
        assert git(lane, "log", "--format=%s") == "start\n"

    def test_other_things_in_the_places_of_files(
        self, project: Path, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        (lane / "app.py").unlink()
        (lane / "app.py").mkdir()
        (lane / "app.py" / "x").write_text("x")
        (lane / "staged.py").unlink()
        os.mkfifo(lane / "staged.py")
        (lane / ".gitignore").unlink()
        (lane / ".gitignore").symlink_to(project)
        (lane / "locked" / "deep").mkdir(parents=True)
        (lane / "locked" / "deep" / "x").write_text("x")
        (lane / "locked" / "deep").chmod(0o500)
        (lane / "locked").chmod(0o500)
        worktrees.open(CYCLE, 1, start)
        assert contents(lane) == contents(project)

    def test_a_link_to_the_project_in_place_of_the_lane_is_not_followed(
        self, project: Path, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        (project / "a.log").write_text("ignored, so in no snapshot")
        before = contents(project)
        for place in (lane, lane.parent, lane.parent.parent):
            shutil.rmtree(place)
            place.symlink_to(project)
            with pytest.raises(NotFound):
                worktrees.snapshot(CYCLE, 1, "not a lane")
            assert worktrees.open(CYCLE, 1, start) == lane
            assert contents(project) == before
            assert contents(lane) == {name: held for name, held in before.items() if name != b"a.log"}
        shutil.rmtree(lane.parent.parent)
        lane.parent.parent.symlink_to(project)
        worktrees.close(CYCLE)
        assert contents(project) == before

    def test_a_changed_file_gets_a_later_second(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        """Python takes a .pyc file for the right one by the source's second and size."""
        (project / "app.py").write_text("print('six')\n")
        later = workspace.snapshot(CYCLE, "later").commit
        os.utime(lane / "app.py", (2e9, 2e9))
        worktrees.open(CYCLE, 1, later)
        assert (lane / "app.py").stat().st_mtime > 2e9

    def test_files_that_stay_are_not_written_again(self, worktrees: GitWorktrees, start: str, lane: Path) -> None:
        os.utime(lane / "app.py", (1e9, 1e9))
        worktrees.open(CYCLE, 1, start)
        assert (lane / "app.py").stat().st_mtime == 1e9


class TestWhatIsKept:
    def test_all_that_git_would_take_in(
        self, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        (lane / "app.py").write_text("changed")
        (lane / "new.py").write_text("new")
        (lane / "a.log").write_text("ignored")
        (lane / ".workflow").mkdir()
        (lane / ".workflow" / "x").write_text("ours")
        (lane / "staged.py").unlink()
        kept = worktrees.snapshot(CYCLE, 1, "task").commit
        assert changed(workspace, start, kept) == {"app.py": "modify", "new.py": "create", "staged.py": "delete"}

    def test_what_the_agent_commits_stashes_and_breaks_is_its_own_affair(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path, tmp_path: Path
    ) -> None:
        (lane / "app.py").write_text("committed")
        git(lane, "commit", "-q", "-a", "-m", "mine")
        (lane / "new.py").write_text("stashed")
        git(lane, "stash", "--include-untracked", "-q")
        git(lane, "checkout", "-q", "--orphan", "other")
        git(lane, "rm", "-q", "--cached", "app.py")
        first = worktrees.snapshot(CYCLE, 1, "first")
        assert changed(workspace, start, first.commit) == {"app.py": "modify"}
        private = next((tmp_path / "state").glob("*.git"))
        assert git(private, "log", "-1", "--format=%P", first.commit).strip() == start
        git(lane, "reflog", "expire", "--expire=now", "--all")
        git(lane, "gc", "-q", "--prune=now")
        (lane / ".git" / "HEAD").write_text("garbage")
        second = worktrees.snapshot(CYCLE, 1, "second")
        assert second.tree == first.tree
        assert workspace.changes(start, first.commit) == workspace.changes(start, second.commit)

    def test_a_tracked_file_that_a_rule_ignores_is_not_lost(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees
    ) -> None:
        (project / "kept.log").write_text("one")
        git(project, "add", "-f", "kept.log")
        start = workspace.snapshot(CYCLE, "start")
        lane = worktrees.open(CYCLE, 1, start.commit)
        assert worktrees.snapshot(CYCLE, 1, "same").tree == start.tree
        git(lane, "rm", "-q", "--cached", "kept.log")
        assert worktrees.snapshot(CYCLE, 1, "same").tree == start.tree
        shutil.rmtree(lane / ".git")
        (lane / "kept.log").write_text("two")
        kept = worktrees.snapshot(CYCLE, 1, "changed").commit
        assert changed(workspace, start.commit, kept) == {"kept.log": "modify"}

    def test_what_the_user_ignores_in_this_clone_alone_is_ignored(
        self, project: Path, worktrees: GitWorktrees, workspace: GitWorkspace
    ) -> None:
        (project / ".git" / "info" / "exclude").write_text("secret.txt")
        start = workspace.snapshot(CYCLE, "start")
        lane = worktrees.open(CYCLE, 1, start.commit)
        (lane / "secret.txt").write_text("x")
        assert worktrees.snapshot(CYCLE, 1, "same").tree == start.tree

    def test_a_lane_that_was_not_opened_has_nothing(self, worktrees: GitWorktrees, start: str, lane: Path) -> None:
        for owner, number in ((CYCLE, 2), ("cycle-2", 1)):
            with pytest.raises(NotFound, match="is not open"):
                worktrees.snapshot(owner, number, "nothing")
        shutil.rmtree(lane)
        with pytest.raises(NotFound, match="is not open"):
            worktrees.snapshot(CYCLE, 1, "its folder is gone")

    def test_lanes_of_one_owner_and_of_several_are_apart(
        self, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        others = {number: worktrees.open(CYCLE, number, start) for number in (2, 3, 4)}
        foreign = worktrees.open("cycle-12", 1, start)
        assert len({lane, *others.values(), foreign}) == 5
        for number, folder in {1: lane, **others}.items():
            (folder / "app.py").write_text(f"stashed in {number}")
            git(folder, "stash", "-q")
        for number, folder in {1: lane, **others}.items():
            git(folder, "stash", "pop", "-q")
            assert (folder / "app.py").read_text() == f"stashed in {number}"
        worktrees.close(CYCLE)
        worktrees.close(CYCLE)
        assert not lane.parent.parent.exists()
        assert worktrees.snapshot("cycle-12", 1, "still there").commit

    @pytest.mark.parametrize("owner", ["../x", "a/b", "", "-x", "a.lock", "a b"])
    def test_an_unsafe_owner_is_refused(self, worktrees: GitWorktrees, start: str, owner: str) -> None:
        for call in (
            lambda: worktrees.open(owner, 1, start),
            lambda: worktrees.snapshot(owner, 1, "x"),
            lambda: worktrees.merge(owner, start, start, "x"),
            lambda: worktrees.close(owner),
        ):
            with pytest.raises(Invalid):
                call()

    @pytest.mark.parametrize("commit", ["0" * 40, "nonsense", "--all", ""])
    def test_an_unknown_commit_is_not_found(self, worktrees: GitWorktrees, start: str, lane: Path, commit: str) -> None:
        with pytest.raises(NotFound):
            worktrees.open(CYCLE, 1, commit)
        with pytest.raises(NotFound):
            worktrees.merge(CYCLE, start, commit, "x")
        with pytest.raises(NotFound):
            worktrees.unresolved(commit, [])
        assert worktrees.snapshot(CYCLE, 1, "the lane is as it was").commit


class TestTheUser:
    def test_notices_nothing(
        self, project: Path, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path
    ) -> None:
        before, files = digest_of(project / ".git"), contents(project)
        (lane / "app.py").write_text("changed")
        git(lane, "commit", "-q", "-a", "-m", "mine")
        git(lane, "tag", "v1")
        kept = worktrees.snapshot(CYCLE, 1, "task").commit
        worktrees.merge(CYCLE, start, kept, "merged")
        worktrees.open(CYCLE, 1, kept)
        worktrees.close(CYCLE)
        assert digest_of(project / ".git") == before
        assert contents(project) == files

    def test_neither_do_the_users_hooks_and_settings_reach_into_a_lane(
        self, workspace: GitWorkspace, worktrees: GitWorktrees, start: str, lane: Path, tmp_path: Path
    ) -> None:
        hooks = tmp_path / "hooks"
        hooks.mkdir()
        for name in ("pre-commit", "commit-msg", "post-checkout", "post-commit"):
            (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\nexit 1\n")
            (hooks / name).chmod(0o755)
        (tmp_path / ".gitconfig").write_text(
            f"[core]\nhooksPath = {hooks}\nautocrlf = true\nfsmonitor = {hooks}/pre-commit\n"
            "[commit]\ngpgSign = true\n[gpg]\nprogram = /bin/false\n[user]\nuseConfigOnly = true\n"
        )
        (lane / "app.py").write_bytes(b"one\r\ntwo\n")
        environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        for order in ("git add -A", "git commit -q -m mine", "git checkout -q -b other"):
            subprocess.run(order.split(), cwd=lane, env=environment, check=True)
        shown = subprocess.run(["git", "cat-file", "-p", "HEAD:app.py"], cwd=lane, capture_output=True, check=True)
        assert shown.stdout == b"one\r\ntwo\n"
        assert not (tmp_path / "hooked").exists()


@given(first=TREES, second=TREES)
@settings(max_examples=examples(15))
def test_any_tree_can_be_opened_over_any_other(
    first: Tree, second: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("any")
    project = base / "project"
    workspace, worktrees = GitWorkspace(project, base / "state"), GitWorktrees(project, base / "state")
    lay_out(project, first)
    start = workspace.snapshot(CYCLE, "first")
    lane = worktrees.open(CYCLE, 1, start.commit)
    lay_out(project, second)
    other = workspace.snapshot(CYCLE, "second")
    assert worktrees.open(CYCLE, 1, other.commit) == lane
    assert contents(lane) == contents(project)
    assert worktrees.snapshot(CYCLE, 1, "same").tree == other.tree


def test_four_lanes_at_once(workspace: GitWorkspace, project: Path, start: str, tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def work(lane: int) -> None:
        try:
            worktrees = GitWorktrees(project, tmp_path / "state")
            for number in range(3):
                folder = worktrees.open(CYCLE, lane, start)
                (folder / f"{lane}.txt").write_text(str(number))
                git(folder, "add", "-A")
                kept = worktrees.snapshot(CYCLE, lane, str(number)).commit
                expected = (FileChange(f"{lane}.txt", "create"),)
                assert workspace.changes(start, worktrees.merge(CYCLE, start, kept, "m").commit) == expected
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(lane,)) for lane in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
