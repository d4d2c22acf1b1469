"""Git worktrees of runs: made beside the project on a branch of their own, committed in, and removed without loss."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from loopwright.core.errors import Conflict, Invalid, WorkspaceError
from loopwright.core.ids import check_id
from loopwright.core.ports import CommitResult, MergeResult, Workspace
from loopwright.core.private_files import make_private_folder
from loopwright.core.state import RunBranch
from loopwright.core.text import plural
from loopwright.processes.user_git import UserGit
from loopwright.workspace.checkpoints import GitWorkspace, create_commit, find_commit, private_directory
from loopwright.workspace.copies import furnish_worktree
from loopwright.workspace.listing import OURS, git_folder, project_files
from loopwright.workspace.private_git import PrivateGit, run_git
from loopwright.workspace.tree_index import drop_looks
from loopwright.workspace.worktrees import merge_commits, remove_all

PREFIX = "loopwright"
"""What the names of our branches begin with, before a slash and the run's id."""

QUIET = ("core.hooksPath=/dev/null", "core.fsmonitor=false")
"""No hook of the user's has to do with where a run works; their commits and pushes have."""

WITHOUT_LFS = ("filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false")

LOCK_SECONDS = 2.0

SAID = 600
"""Characters of what git or a hook says."""


class GitBranches:
    """See ports.RunBranches; `root` and `home` as for GitWorkspace."""

    def __init__(self, root: Path, home: Path) -> None:
        self._root, self._home = root.resolve(), home.resolve()
        self._private = PrivateGit(private_directory(self._home, self._root), self._root)

    def check(self) -> None:
        git = self._git("check")
        if git.run("rev-parse", "--is-inside-work-tree").output != "true":
            raise Invalid(f"a worktree needs a git repository, and {self._root} is in none; run git init there")
        if not git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").is_good:
            raise Invalid("a worktree begins at a commit, and this repository has none; commit once, or go without")
        if git.run("show-ref", "--verify", "--quiet", f"refs/heads/{PREFIX}").is_good:
            raise Invalid(
                f"a branch called {PREFIX} is in the way of {PREFIX}/ID; rename it: git branch -m {PREFIX} NAME"
            )

    def plan(self, id: str) -> tuple[RunBranch, str]:
        self.check()
        git, name = self._git(check_id(id)), f"{PREFIX}/{id}"
        if self._tip(git, name):
            raise Conflict(f"there is a branch {name} already, and it is not this run's; rename it")
        base = git.run("rev-parse", "HEAD^{commit}").output
        on = git.run("symbolic-ref", "--quiet", "--short", "HEAD").output or None
        place = self._folder(id) / (self._root.name or "root")
        return RunBranch(path=str(place), name=name, base=base, base_branch=on), self._what_stays(git, base, on)

    def _what_stays(self, git: UserGit, base: str, on: str | None) -> str:
        begins = f"works in a worktree that begins at {base[:10]} ({on or 'a detached HEAD'})"
        words = ("-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all")
        listed = git.run("status", "--porcelain", *words).output.split("\0")
        ours = tuple(os.fsdecode(folder) for folder in OURS)
        changed = [line for line in listed if line[2:].strip() and not line[2:].strip().startswith(ours)]
        if not changed:
            return begins
        return f"{begins}; {plural(len(changed), 'uncommitted change')} of yours stay in your own tree, and out of it"

    def is_there(self, branch: RunBranch) -> bool:
        path = Path(branch.path)
        return (path / ".git").is_file() and self._git("look").at(path).run("rev-parse", "--verify", "HEAD").is_good

    def lay_out(self, id: str, branch: RunBranch, commit: str | None = None) -> tuple[RunBranch, tuple[str, ...]]:
        git, path = self._git(check_id(id)), Path(branch.path)
        tip = self._tip(git, branch.name)
        if tip and tip != branch.base and not branch.is_ready:
            raise Conflict(f"somebody else has moved the branch {branch.name}; rename it, then resume the run")
        self._drop(git, path)
        make_private_folder(path.parent)
        told = [*self._add(git, branch, tip), *self._add_submodules(git, path)]
        workspace = self.workspace(branch)
        with self._private.locked() as private:
            files = project_files(private, without=self._home)
        furnish_worktree(self._root, path, files, self._home)
        if commit is not None:
            workspace.restore(commit)
        start = branch.start or workspace.snapshot(id, "the worktree as it begins").commit
        return branch.evolve(is_ready=True, start=start), tuple(told)

    def _add(self, git: UserGit, branch: RunBranch, tip: str) -> Iterator[str]:
        """Git's own worktree. LFS files that cannot be had stay pointers."""
        which = (branch.path, branch.name) if tip else ("-b", branch.name, branch.path, branch.base)
        made = git.run("worktree", "add", "--quiet", *which, settings=QUIET)
        if not made.is_good and "lfs" in made.said.lower():
            self._drop(git, Path(branch.path))
            which = (branch.path, branch.name) if self._tip(git, branch.name) else which
            first, made = made, git.run("worktree", "add", "--quiet", *which, settings=(*QUIET, *WITHOUT_LFS))
            if made.is_good:
                yield f"files in Git LFS are only pointers in the worktree: {_brief(first.said)}"
        if not made.is_good:
            raise WorkspaceError(f"git could not make the worktree {branch.path}: {_brief(made.words)}")

    def _add_submodules(self, git: UserGit, path: Path) -> Iterator[str]:
        """Those that the user's tree has, from there and without a network; which is not possible is said."""
        modules = ("config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$")
        for line in git.at(path).run(*modules).output.splitlines():
            key, _, inside = line.partition(" ")
            name, own = key.removeprefix("submodule.").removesuffix(".path"), self._root / inside
            if not (own / ".git").exists():
                continue
            kept = git.at(own).run("rev-parse", "--absolute-git-dir").output
            settings = (*QUIET, f"submodule.{name}.url={kept}", "protocol.file.allow=always")
            done = git.at(path).run("submodule", "update", "--init", "--", inside, settings=settings)
            if not done.is_good:
                yield f"the submodule {inside} is empty in the worktree: {_brief(done.words)}"
            elif url := git.at(own).run("remote", "get-url", "origin").output:
                git.at(path / inside).run("remote", "set-url", "origin", url)

    def workspace(self, branch: RunBranch) -> Workspace:
        path = Path(branch.path)
        return GitWorkspace(path, self._home, of=self._root, index=f"index.{path.parent.name}")

    def merge(self, base: str, theirs: str, at: Workspace, label: str) -> tuple[str, MergeResult]:
        tree = at.tree()
        with self._private.locked() as private:
            first, wanted = find_commit(private, base), find_commit(private, theirs)
            ours = create_commit(private, tree, (first,), f"before {label}")
            changed = create_commit(private, f"{wanted}^{{tree}}", (first,), label)
            return ours, merge_commits(private, ours, changed, label)

    def commit(self, id: str, branch: RunBranch, message: str, files: Sequence[str] = ()) -> CommitResult:
        git = self._on_branch(id, branch)
        left = self._stage(git, files)
        if git.run("diff", "--cached", "--quiet").is_good:
            return CommitResult(self._tip(git, branch.name), left=left)
        before = git.run("write-tree").output
        done = git.run("commit", "--quiet", "--cleanup=whitespace", "-F", "-", stdin=message)
        if not done.is_good:
            self._stage(git, files)
            if git.run("write-tree").output != before:  # a hook has formatted the files, and wants them committed so
                done = git.run("commit", "--quiet", "--cleanup=whitespace", "-F", "-", stdin=message)
        return CommitResult(self._tip(git, branch.name), "" if done.is_good else _brief(done.words), left)

    def add_trailer(self, id: str, branch: RunBranch, trailer: str) -> str:
        git = self._on_branch(id, branch)
        message = git.run("log", "-1", "--format=%B").output
        if trailer in message or f"Loopwright-Run: {id}" not in message.splitlines():
            return ""
        if git.run("status", "--porcelain", "--ignore-submodules=dirty").output:
            return ""
        if git.run("branch", "--remotes", "--contains", "HEAD").output:
            return ""
        key = trailer.partition(":")[0]
        kept = [line for line in message.splitlines() if not line.startswith(f"{key}:")]
        text = "\n".join((*kept, trailer))
        done = git.run("commit", "--amend", "--quiet", "--cleanup=whitespace", "-F", "-", stdin=text)
        return "" if done.is_good else _brief(done.words)

    def name(self, name: str, tip: str, known: str | None) -> None:
        git = self._git("name")
        if not name or name.startswith("-") or git.run("check-ref-format", "--branch", name).output != name:
            raise Invalid(f"{name!r} is no name for a branch; write one like fix/export")
        there = self._tip(git, name)
        if there == tip:
            return
        if there and there != known:
            raise Conflict(f"there is a branch {name} already, at {there[:10]}; choose another name")
        done = git.run("branch", "--no-track", *(["--force"] if there else []), name, tip)
        if not done.is_good:
            raise Conflict(f"the branch {name} could not be made: {_brief(done.words)}")

    def remove(self, id: str, branch: RunBranch) -> str:
        git, path = self._git(check_id(id)), Path(branch.path)
        applied = False
        if branch.is_ready and self.is_there(branch):
            applied = branch.applied is not None and self.workspace(branch).tree() == self._tree_of(branch.applied)
            if not applied:
                self._keep_rest(git, branch)
        self._drop_all(git, id, path)
        tip = self._tip(git, branch.name)
        if not tip or (tip != branch.base and not branch.is_ready):
            return ""
        others = ("--not", f"--exclude=refs/heads/{branch.name}", "--all", "--single-worktree")
        if tip != branch.base and not applied:
            alone = git.run("rev-list", "--max-count=1", f"refs/heads/{branch.name}", *others)
            if alone.output or not alone.is_good:
                return f"its branch {branch.name} is kept: it holds work that is in no other branch"
        if not (done := git.run("branch", "--quiet", "-D", branch.name)).is_good:
            return f"its branch {branch.name} is kept: {_brief(done.words)}"
        return ""

    def discard(self, id: str, branch: RunBranch) -> None:
        git = self._git(check_id(id))
        self._drop_all(git, id, Path(branch.path))
        tip = self._tip(git, branch.name)
        if tip and (branch.is_ready or tip == branch.base):
            done = git.run("branch", "--quiet", "-D", branch.name)
            if not done.is_good:
                raise WorkspaceError(f"the branch {branch.name} could not be removed: {_brief(done.words)}")

    def _keep_rest(self, git: UserGit, branch: RunBranch) -> None:
        """Commits on the branch what nobody else has. Hooks judge what people mean to keep; this is only not lost."""
        here = git.at(Path(branch.path))
        self._stage(here)
        tree, head = here.run("write-tree").output, here.run("rev-parse", "HEAD").output
        if not tree or not head:
            raise WorkspaceError(f"the changes in {branch.path} could not be kept, so that it was not removed")
        if tree == here.run("rev-parse", "HEAD^{tree}").output and self._tip(git, branch.name) == head:
            return
        made = here.run("commit-tree", tree, "-p", head, "-F", "-", stdin=f"Keep what was left in {branch.name}\n")
        moved = here.run("update-ref", f"refs/heads/{branch.name}", made.output) if made.is_good else made
        if not moved.is_good:
            raise WorkspaceError(f"the changes in {branch.path} could not be kept: {_brief(moved.words)}")

    def _tree_of(self, commit: str) -> str:
        with self._private.locked() as private:
            return private.run("rev-parse", f"{find_commit(private, commit)}^{{tree}}").decode().strip()

    def _stage(self, git: UserGit, files: Sequence[str] = ()) -> tuple[str, ...]:
        """All that is the run's, or only these files; the submodules with changes, which no commit can hold."""
        self._clear_locks(git)
        check_repositories(git.folder)
        ours = (f":(exclude,top){os.fsdecode(folder)}" for folder in OURS)
        done = git.run("add", "--all", "--", *([f":(literal){file}" for file in files] or ["."]), *ours)
        if not done.is_good and files:  # one that was made and removed again, or is in a submodule
            done = git.run("add", "--all", "--", ".", *ours)
        if not done.is_good:
            raise WorkspaceError(f"git could not take in the changes in {git.folder}: {_brief(done.words)}")
        listed = git.run("status", "--porcelain=v2", "--ignore-submodules=none").output.splitlines()
        parts = [line.split(" ", 8) for line in listed if line.startswith("1 ")]
        return tuple(part[8] for part in parts if part[2].startswith("S") and set(part[2][2:]) & {"M", "U"})

    def _clear_locks(self, git: UserGit) -> None:
        """Removes what a git that was killed has left there; a person's is soon done with its own."""
        own = Path(git.run("rev-parse", "--absolute-git-dir").output)
        common = Path(git.run("rev-parse", "--path-format=absolute", "--git-common-dir").output)
        branch = git.run("symbolic-ref", "--quiet", "HEAD").output
        locks = (own / "index.lock", own / "HEAD.lock", *([common / f"{branch}.lock"] if branch else []))
        deadline = time.monotonic() + LOCK_SECONDS
        while any(lock.exists() for lock in locks) and time.monotonic() < deadline:
            time.sleep(0.05)
        for lock in locks:
            lock.unlink(missing_ok=True)

    def _on_branch(self, id: str, branch: RunBranch) -> UserGit:
        """Git in the worktree. Conflict where somebody has left the branch there."""
        git = self._git(check_id(id)).at(Path(branch.path))
        on = git.run("symbolic-ref", "--quiet", "HEAD").output
        if on != f"refs/heads/{branch.name}":
            where = on.removeprefix("refs/heads/") or "a detached HEAD"
            raise Conflict(f"{branch.path} is on {where}, not on {branch.name}; run git switch {branch.name} there")
        return git

    def _drop_all(self, git: UserGit, id: str, path: Path) -> None:
        """The worktree, its empty folders, and what is known of its files."""
        self._drop(git, path)
        for folder in (path.parent, path.parent.parent):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        with self._private.locked() as private:
            drop_looks(private, f"index.{check_id(id)}")

    def _drop(self, git: UserGit, path: Path) -> None:
        """Removes the worktree and git's entry of it, whatever of both there is; no other one."""
        listed = git.run("worktree", "list", "--porcelain", "-z").output.split("\0")
        if f"worktree {path}" in listed:
            git.run("worktree", "remove", "--force", "--force", str(path))
        if os.path.lexists(path):
            remove_all(path)
            git.run("worktree", "remove", "--force", "--force", str(path))

    def _tip(self, git: UserGit, name: str) -> str:
        """Empty where there is no such branch."""
        return git.run("rev-parse", "--verify", "--quiet", f"refs/heads/{name}^{{commit}}").output

    def _git(self, id: str) -> UserGit:
        return UserGit(self._root, id, self._root)

    def _folder(self, id: str) -> Path:
        return self._private.directory.with_suffix(".worktrees") / id


def _brief(words: str) -> str:
    """On one line; of much, the end, where programs say what is wrong."""
    line = "; ".join(line.strip() for line in words.splitlines() if line.strip())
    return line if len(line) <= SAID else f"… {line[-SAID:]}"


_HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)"
    r"|(remote\..*\.(url|fetch)|branch\..*\.(remote|merge|rebase)|submodule\..*\.(url|active|branch)|user\.(name|email))"
)


def check_repositories(folder: Path) -> None:
    """WorkspaceError where a repository in this work tree has settings or hooks of its own that name programs: the
    user's git looks into it, and would start them.
    """
    staged = run_git("ls-files", "-z", "--stage", cwd=folder).stdout.split(b"\0")
    others = run_git("ls-files", "-z", "--others", "--directory", "--exclude-standard", cwd=folder).stdout.split(b"\0")
    links = [line.partition(b"\t")[2] for line in staged if line.startswith(b"160000")]
    common = run_git("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=folder).stdout.strip()
    for name in (*links, *(name for name in others if name.endswith(b"/"))):
        at = folder / os.fsdecode(name)
        own = git_folder(at).resolve()
        if not os.path.lexists(at / ".git") or own.is_relative_to(os.fsdecode(common)):
            continue
        told = run_git("config", "--file", str(own / "config"), "--name-only", "--list", "-z", cwd=folder).stdout
        settings = [key for key in told.decode("utf-8", "replace").split("\0") if key and not _HARMLESS.fullmatch(key)]
        hooks = [one.name for one in (own / "hooks").glob("*") if one.suffix != ".sample"]
        if settings or hooks:
            what = f"setting {settings[0]}" if settings else f"hook {hooks[0]}"
            raise WorkspaceError(
                f"{os.fsdecode(name)} is a repository of its own, whose {what} may start a program; "
                "remove its .git, or that, and commit again"
            )
