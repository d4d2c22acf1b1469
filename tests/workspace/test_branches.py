"""Git worktrees of runs: what they begin with, what stays the user's, and what becomes of commits that are refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, Invalid, WorkspaceError
from loopwright.core.ports import CommitResult
from loopwright.core.state import RunBranch
from loopwright.evidence.environment import Manifests
from loopwright.workspace.branches import GitBranches
from tests.workspace.trees import contents, git

ID = "loop-1"
MESSAGE = f"Do it\n\nLoopwright-Run: {ID}\n"
PROOF = "Loopwright-Proof: 3 tests passed"


@pytest.fixture
def user(project: Path) -> Path:
    """The project, whose user can commit."""
    git(project, "config", "user.name", "Ann")
    git(project, "config", "user.email", "ann@localhost")
    return project


@pytest.fixture
def branches(user: Path, tmp_path: Path) -> GitBranches:
    return GitBranches(user, tmp_path / "state")


@pytest.fixture
def branch(branches: GitBranches) -> RunBranch:
    """Of a run that has its worktree."""
    return branches.lay_out(ID, branches.plan(ID)[0])[0]


def tree_of(branch: RunBranch) -> Path:
    return Path(branch.path)


def add_hook(project: Path, name: str, script: str) -> None:
    hook = project / ".git" / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)


def subjects(folder: Path, name: str = f"loopwright/{ID}") -> list[str]:
    return git(folder, "log", "--format=%s", name).splitlines()


class TestWhatItBeginsWith:
    def test_head_without_what_the_user_has_not_committed_which_is_said(
        self, user: Path, branches: GitBranches
    ) -> None:
        before, index = contents(user), git(user, "ls-files", "--stage")
        branch, words = branches.plan(ID)
        branch, told = branches.lay_out(ID, branch)
        assert "(trunk); 2 uncommitted changes of yours stay in your own tree" in words
        assert told == ()
        assert (tree_of(branch) / "app.py").read_text() == "print('one')\n"
        assert not (tree_of(branch) / "staged.py").exists()
        assert (contents(user), git(user, "ls-files", "--stage")) == (before, index)
        assert git(user, "symbolic-ref", "--short", "HEAD").strip() == "trunk"
        assert not tree_of(branch).is_relative_to(user)

    def test_new_files_count_whatever_the_users_status_shows(self, user: Path, branches: GitBranches) -> None:
        git(user, "config", "status.showUntrackedFiles", "no")
        before = branches.plan(ID)[1]
        (user / "new.py").write_text("")
        assert "2 uncommitted" in before
        assert "3 uncommitted" in branches.plan(ID)[1]

    def test_a_detached_head(self, user: Path, branches: GitBranches) -> None:
        git(user, "checkout", "-q", "--detach")
        branch, words = branches.plan(ID)
        assert (branch.base_branch, branch.base) == (None, git(user, "rev-parse", "HEAD").strip())
        assert "a detached HEAD" in words

    def test_submodules_that_the_user_has(self, user: Path, branches: GitBranches, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()
        git(other, "init", "-q")
        (other / "part.py").write_text("part\n")
        git(other, "add", "-A")
        git(other, "commit", "-q", "-m", "part")
        git(user, "submodule", "add", "-q", str(other), "lib/part")
        git(user, "commit", "-q", "-m", "with a part")
        branch, told = branches.lay_out(ID, branches.plan(ID)[0])
        inside = tree_of(branch) / "lib/part"
        assert told == ()
        assert (inside / "part.py").read_text() == "part\n"
        assert git(inside, "remote", "get-url", "origin").strip() == str(other)
        (inside / "part.py").write_text("changed\n")
        (tree_of(branch) / "app.py").write_text("changed\n")
        assert branches.commit(ID, branch, MESSAGE).left == ("lib/part",)
        assert (
            branches.workspace(branch)
            .changes(branch.start or "", _snapshot(branches, branch))[-1]
            .file.startswith("lib/part")
        )
        assert branches.remove(ID, branch) != ""
        assert (user / "lib/part/part.py").read_text() == "part\n"

    def test_pointers_where_lfs_cannot_bring_the_files(
        self, user: Path, branches: GitBranches, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)  # where LFS may be installed
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
        for name, text in (("big.bin", pointer), (".gitattributes", "*.bin filter=lfs -text\n")):
            (user / name).write_text(text)
            git(user, "add", name)
            git(user, "commit", "-q", "-m", name)
        smudge = "echo lfs: not found >&2; exit 1"
        for key, value in (("smudge", smudge), ("clean", "cat"), ("required", "true")):
            git(user, "config", f"filter.lfs.{key}", value)
        branch, told = branches.lay_out(ID, branches.plan(ID)[0])
        assert "files in Git LFS are only pointers" in told[0]
        assert (tree_of(branch) / "big.bin").read_text() == pointer
        (tree_of(branch) / "app.py").write_text("changed\n")
        assert branches.commit(ID, branch, MESSAGE).refused == ""
        assert "big.bin" not in git(user, "show", "--stat", f"loopwright/{ID}")

    def test_packages_are_linked_and_what_names_the_project_names_the_worktree(
        self, user: Path, branches: GitBranches
    ) -> None:
        (user / ".gitignore").write_text(".venv/\nnode_modules/\n.env\n")
        git(user, "commit", "-q", "-a", "-m", "ignore")
        site = user / ".venv/lib/python3.11/site-packages"
        (site / "package").mkdir(parents=True)
        (site / "package/__init__.py").write_text("")
        (site / "own.pth").write_text(f"{user}/src\n{user}-other/src\n")
        (user / ".venv/pyvenv.cfg").write_text("home = /usr/bin\n")
        (user / ".venv/bin").mkdir()
        (user / ".venv/bin/tool").write_text(f"#!{user}/.venv/bin/python\n")
        (user / ".venv/bin/python").symlink_to(sys.executable)
        (user / "node_modules/@scope").mkdir(parents=True)
        (user / "node_modules/other").mkdir()
        (user / "node_modules/@scope/mine").symlink_to("../../packages/mine")
        (user / ".env").write_text("KEY=1\n")
        branch, _ = branches.lay_out(ID, branches.plan(ID)[0])
        at = tree_of(branch)
        assert (at / ".venv/lib/python3.11/site-packages/own.pth").read_text() == f"{at}/src\n{user}-other/src\n"
        assert (at / ".venv/bin/tool").read_text() == f"#!{at}/.venv/bin/python\n"
        assert os.readlink(at / ".venv/bin/python") == sys.executable
        assert (at / ".venv/lib/python3.11/site-packages/package").is_symlink()
        assert os.readlink(at / "node_modules/@scope/mine") == "../../packages/mine"
        assert (at / "node_modules/other").is_symlink()
        assert not (at / ".env").is_symlink()
        assert git(at, "status", "--porcelain") == ""
        assert [name for name in branches.workspace(branch).listed() if "venv" in name or "node" in name] == []

    def test_a_package_that_changes_behind_a_link_is_seen(self, user: Path, branches: GitBranches) -> None:
        (user / ".gitignore").write_text(".venv/\n")
        git(user, "commit", "-q", "-a", "-m", "ignore")
        package = user / ".venv/lib/python3.11/site-packages/package"
        package.mkdir(parents=True)
        (package / "code.py").write_text("one\n")
        (user / ".venv/pyvenv.cfg").write_text("home = /usr/bin\n")
        branch, _ = branches.lay_out(ID, branches.plan(ID)[0])
        workspace = branches.workspace(branch)
        known = workspace.remember_environment(ID, "pytest", ())
        (package / "code.py").write_text("another\n")
        found = workspace.changed_environment(known, "pytest", (), lambda: Manifests({}))
        assert any("package/code.py" in change.place for change in found.unexplained), found


def _snapshot(branches: GitBranches, branch: RunBranch) -> str:
    return branches.workspace(branch).snapshot(ID, "now").commit


class TestWhereThereCanBeNone:
    def test_no_repository(self, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        with pytest.raises(Invalid, match=r"needs a git repository.*git init"):
            GitBranches(tmp_path / "plain", tmp_path / "state").check()

    def test_no_commit(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        git(tmp_path / "empty", "init", "-q")
        with pytest.raises(Invalid, match="this repository has none; commit once"):
            GitBranches(tmp_path / "empty", tmp_path / "state").check()

    def test_a_branch_that_is_in_the_way(self, user: Path, branches: GitBranches) -> None:
        git(user, "branch", "loopwright")
        with pytest.raises(Invalid, match="git branch -m loopwright NAME"):
            branches.check()

    def test_a_branch_of_that_name_that_is_not_the_runs(self, user: Path, branches: GitBranches) -> None:
        git(user, "branch", f"loopwright/{ID}")
        with pytest.raises(Conflict, match="not this run's"):
            branches.plan(ID)
        assert git(user, "branch", "--list", f"loopwright/{ID}") != ""

    def test_a_checkout_that_fails_leaves_words_and_no_worktree(self, user: Path, branches: GitBranches) -> None:
        (user / ".gitattributes").write_text("*.py filter=broken\n")
        git(user, "add", "-A")
        git(user, "commit", "-q", "-m", "with a filter")
        git(user, "config", "filter.broken.smudge", "echo no way >&2; exit 1")
        git(user, "config", "filter.broken.required", "true")
        with pytest.raises(WorkspaceError, match=r"could not make the worktree.*broken"):
            branches.lay_out(ID, branches.plan(ID)[0])


class TestCommits:
    def test_with_the_users_name_and_hooks(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        add_hook(user, "commit-msg", 'echo "Hooked: yes" >> "$1"')
        (tree_of(branch) / "new.py").write_text("new\n")
        (tree_of(branch) / "seen.log").write_text("ignored\n")
        made = branches.commit(ID, branch, "#1: begin with a hash\n\nbody\n")
        assert made == CommitResult(git(user, "rev-parse", f"loopwright/{ID}").strip())
        told = git(user, "log", "-1", "--format=%an %s%n%b", f"loopwright/{ID}")
        assert told.startswith("Ann #1: begin with a hash\nbody\n")
        assert "Hooked: yes" in told
        assert git(user, "show", "--name-only", "--format=", f"loopwright/{ID}").split() == ["new.py"]
        assert branches.commit(ID, branch, MESSAGE).tip == made.tip, "nothing has changed since"

    def test_a_hook_that_refuses_is_told_and_nothing_is_lost(
        self, user: Path, branches: GitBranches, branch: RunBranch
    ) -> None:
        add_hook(user, "pre-commit", "echo 'no debug prints' >&2; exit 1")
        (tree_of(branch) / "app.py").write_text("changed\n")
        made = branches.commit(ID, branch, MESSAGE)
        assert (made.refused, made.tip) == ("no debug prints", branch.base)
        assert (tree_of(branch) / "app.py").read_text() == "changed\n"
        add_hook(user, "pre-commit", "exit 0")
        assert branches.commit(ID, branch, MESSAGE).refused == ""
        assert subjects(user) == ["Do it", "first"]

    def test_a_hook_that_formats_the_files_and_refuses_once(
        self, user: Path, branches: GitBranches, branch: RunBranch
    ) -> None:
        add_hook(user, "pre-commit", "grep -q changed app.py || exit 0; echo formatted > app.py; exit 1")
        (tree_of(branch) / "app.py").write_text("changed\n")
        assert branches.commit(ID, branch, MESSAGE).refused == ""
        assert git(user, "show", f"loopwright/{ID}:app.py") == "formatted\n"

    def test_a_worktree_that_somebody_has_switched_is_left_alone(
        self, user: Path, branches: GitBranches, branch: RunBranch
    ) -> None:
        git(tree_of(branch), "switch", "-q", "-c", "elsewhere")
        (tree_of(branch) / "app.py").write_text("changed\n")
        with pytest.raises(Conflict, match="is on elsewhere"):
            branches.commit(ID, branch, MESSAGE)

    def test_locks_that_a_killed_git_has_left(
        self, user: Path, branches: GitBranches, branch: RunBranch, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("loopwright.workspace.branches.LOCK_SECONDS", 0)
        own = Path(git(tree_of(branch), "rev-parse", "--absolute-git-dir").strip())
        for lock in (own / "index.lock", own / "HEAD.lock", user / ".git/refs/heads" / f"{branch.name}.lock"):
            lock.touch()
        (tree_of(branch) / "app.py").write_text("changed\n")
        assert branches.commit(ID, branch, MESSAGE).refused == ""
        assert subjects(user) == ["Do it", "first"]

    def test_no_identity_is_told(
        self, user: Path, branches: GitBranches, branch: RunBranch, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(user.parent))
        monkeypatch.delenv("EMAIL", raising=False)
        git(user, "config", "user.useConfigOnly", "true")
        git(user, "config", "--unset", "user.email")
        (tree_of(branch) / "app.py").write_text("changed\n")
        assert "user.email" in branches.commit(ID, branch, MESSAGE).refused

    def test_the_proof_stands_on_the_newest_commit_once(
        self, user: Path, branches: GitBranches, branch: RunBranch
    ) -> None:
        for number in (1, 2):
            (tree_of(branch) / "app.py").write_text(f"{number}\n")
            branches.commit(ID, branch, f"{number}\n\nLoopwright-Run: {ID}\n")
        for proof in (PROOF, PROOF, f"{PROOF}; more"):
            assert branches.add_trailer(ID, branch, proof) == ""
        format = "--format=%s %(trailers:key=Loopwright-Proof,valueonly,separator=%x2C)"
        told = git(user, "log", format, f"loopwright/{ID}").splitlines()
        assert [line.strip() for line in told] == ["2 3 tests passed; more", "1", "first"]

    @pytest.mark.parametrize("why", ["not ours", "dirty", "pushed"])
    def test_the_proof_is_not_added_to_what_it_does_not_hold_for(
        self, user: Path, branches: GitBranches, branch: RunBranch, why: str
    ) -> None:
        (tree_of(branch) / "app.py").write_text("changed\n")
        branches.commit(ID, branch, "An agent's\n" if why == "not ours" else MESSAGE)
        if why == "dirty":
            (tree_of(branch) / "app.py").write_text("again\n")
        if why == "pushed":
            git(user, "update-ref", f"refs/remotes/origin/loopwright/{ID}", f"loopwright/{ID}")
        tip = git(user, "rev-parse", f"loopwright/{ID}")
        assert branches.add_trailer(ID, branch, PROOF) == ""
        assert git(user, "rev-parse", f"loopwright/{ID}") == tip


class TestNames:
    def test_another_name_for_the_result(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        branches.name("fix/it", branch.base, None)
        branches.name("fix/it", branch.base, None)
        assert git(user, "rev-parse", "fix/it").strip() == branch.base

    @pytest.mark.parametrize("name", ["-f", "a b", "", "a..b", "@{-1}"])
    def test_what_is_no_name(self, branches: GitBranches, branch: RunBranch, name: str) -> None:
        with pytest.raises(Invalid, match="no name for a branch"):
            branches.name(name, branch.base, None)

    def test_a_branch_that_is_there_is_never_moved(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        (tree_of(branch) / "app.py").write_text("changed\n")
        tip = branches.commit(ID, branch, MESSAGE).tip
        with pytest.raises(Conflict, match="trunk already"):
            branches.name("trunk", tip, None)
        assert subjects(user, "trunk") == ["first"]


class TestTheEnd:
    def test_what_nobody_needs_is_gone(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        git(user, "worktree", "add", "-q", str(user.parent / "mine"), "-b", "mine")
        assert branches.remove(ID, branch) == ""
        assert git(user, "branch", "--format=%(refname:short)").split() == ["mine", "trunk"]
        assert "loopwright" not in git(user, "worktree", "list")
        assert (user.parent / "mine/app.py").exists()
        assert list((user.parent / "state").glob("*.worktrees*")) == []
        assert branches.remove(ID, branch) == "", "it can be asked twice"

    def test_work_that_is_in_no_other_branch_stays(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        (tree_of(branch) / "app.py").write_text("changed\n")
        words = branches.remove(ID, branch)
        assert words == f"its branch loopwright/{ID} is kept: it holds work that is in no other branch"
        assert not tree_of(branch).exists()
        assert git(user, "show", f"loopwright/{ID}:app.py") == "changed\n"

    def test_what_was_merged_goes(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        (tree_of(branch) / "new.py").write_text("new\n")
        branches.commit(ID, branch, MESSAGE)
        git(user, "merge", "-q", "--ff-only", f"loopwright/{ID}")
        assert branches.remove(ID, branch) == ""
        assert "loopwright" not in git(user, "branch")

    def test_a_hook_cannot_keep_it_from_being_saved(self, user: Path, branches: GitBranches, branch: RunBranch) -> None:
        add_hook(user, "pre-commit", "exit 1")
        (tree_of(branch) / "app.py").write_text("changed\n")
        assert "is kept" in branches.remove(ID, branch)

    def test_a_worktree_that_the_user_removed_is_made_again_from_its_last_snapshot(
        self, user: Path, branches: GitBranches, branch: RunBranch
    ) -> None:
        (tree_of(branch) / "app.py").write_text("changed\n")
        kept = branches.workspace(branch).snapshot(ID, "last").commit
        git(user, "worktree", "remove", "--force", branch.path)
        assert not branches.is_there(branch)
        again, _ = branches.lay_out(ID, branch, kept)
        assert again == branch
        assert (tree_of(branch) / "app.py").read_text() == "changed\n"


LIFE = """
import sys
from pathlib import Path
from loopwright.core.state import RunBranch
from loopwright.evidence.environment import Manifests
from loopwright.workspace.branches import GitBranches

project, home, kept = map(Path, sys.argv[1:])
branches = GitBranches(project, home)
branch = RunBranch.model_validate_json(kept.read_text()) if kept.exists() else branches.plan("loop-1")[0]
kept.write_text(branch.model_dump_json())
if not branch.is_ready or not branches.is_there(branch):
    branch, _ = branches.lay_out("loop-1", branch)
    kept.write_text(branch.model_dump_json())
(Path(branch.path) / "work.py").write_text("work")
made = branches.commit("loop-1", branch, "Do it\\n\\nLoopwright-Run: loop-1\\n")
assert not made.refused, made
assert not branches.add_trailer("loop-1", branch, "Loopwright-Proof: 3 tests passed")
"""
"""What a runner does, with what it commits to the state in a file."""


def test_killed_at_any_command(user: Path, branches: GitBranches, tmp_path: Path) -> None:
    """The next life ends as if there had been no kill, and the user's tree, branches and index are as they were."""
    import random
    import shutil

    from tests.chance import SEED
    from tests.workspace.test_killed_in_a_lane import KILLER, WAYS

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(KILLER)
    (tmp_path / "bin/git").chmod(0o755)
    before, chance = (contents(user), git(user, "ls-files", "--stage")), random.Random(SEED)
    kept, count = tmp_path / "branch.json", tmp_path / "count"

    def live(at: int, when: str) -> int:
        count.write_text("0")
        real = str(shutil.which("git"))
        orders = {"KILL_AT": str(at), "KILL_WHEN": when, "KILL_COUNT": str(count), "REAL_GIT": real}
        subprocess.run(
            [sys.executable, "-c", LIFE, str(user), str(tmp_path / "state"), str(kept)],
            env={**os.environ, **orders, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
            check=at == 0,
            capture_output=True,
        )
        return int(count.read_text())

    commands = live(0, "before")
    for _ in range(8):
        branch = RunBranch.model_validate_json(kept.read_text())
        git(user, "worktree", "remove", "--force", branch.path)
        git(user, "branch", "-D", branch.name)
        kept.unlink()
        at, when = chance.randint(1, commands), chance.choice(WAYS)
        live(at, when)
        live(0, "before")
        where = f"killed {when} command {at} of {commands}"
        assert subjects(user) == ["Do it", "first"], where
        assert git(user, "log", "-1", "--format=%b", f"loopwright/{ID}").count("Loopwright-Proof") == 1, where
        assert len(git(user, "worktree", "list").splitlines()) == 2, where
        assert (contents(user), git(user, "ls-files", "--stage")) == before, where
