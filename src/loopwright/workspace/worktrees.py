"""Lanes: work trees beside the project, each a repository of its own that borrows what the private one holds."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from loopwright.domain.errors import Invalid, NotFound, WorkspaceError
from loopwright.domain.ids import checked
from loopwright.ports import Merged, Snapshot
from loopwright.workspace.git import private_directory
from loopwright.workspace.lane import Lane
from loopwright.workspace.listing import project_files, shown
from loopwright.workspace.private_git import PrivateGit, git
from loopwright.workspace.removing import remove_all
from loopwright.workspace.work_tree import committed, known_commit

_TOO_OLD = 129
"""How git ends when it does not know a switch."""

_SIDES = ("project", "task")
"""What an agent reads at the marks of a conflict."""

_MARK = "^(<{7,} project|>{7,} task)\r?$"

_REFS = "refs/lanes"
"""Below it, by owner and lane: the commit that the lane was opened at."""


class GitWorktrees:
    """See ports.Worktrees; `root` and `home` as for GitWorkspace.

    Not git's own `worktree`: those share their stash, branches and settings, and each could break the others.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self._root, self._home = root.resolve(), home.resolve()
        self._private = PrivateGit(private_directory(self._home, self._root), self._root)

    def open(self, owner: str, lane: int, commit: str) -> Path:
        with self._private.locked() as private:
            known = known_commit(private, commit)
            place = self._lane(private, owner, lane)
            _drop(private, _ref(owner, lane))  # until all is there, nobody can have worked in it
            try:
                place.fill(known)
                linked = place.link(project_files(private, without=self._home), self._home)
                place.make_repository(known, linked, _excluded(self._root))
            except OSError as error:
                raise WorkspaceError(f"{place.folder} could not be laid out: {error}") from error
            private.run("update-ref", _ref(owner, lane), known)
            return place.folder

    def snapshot(self, owner: str, lane: int, label: str) -> Snapshot:
        with self._private.locked() as private:
            place = self._lane(private, owner, lane)
            opened = private.attempt("rev-parse", "--verify", "--quiet", _ref(owner, lane)).stdout.decode().strip()
            if not opened or not place.is_there:
                raise NotFound(f"Lane {lane} of {owner} is not open")
            tree = place.tree(opened)
            return Snapshot(committed(private, tree, (opened,), label), tree)

    def merge(self, owner: str, ours: str, theirs: str, label: str) -> Merged:
        checked(owner, "cycle")
        with self._private.locked() as private:
            pair = known_commit(private, ours), known_commit(private, theirs)
            with _named(private, pair):
                done = private.attempt("merge-tree", "--write-tree", "-z", "--name-only", *_SIDES)
            if done.returncode == _TOO_OLD:
                raise Invalid("git 2.38 or newer is needed to merge what agents do side by side; use parallel 1")
            if done.returncode not in (0, 1):
                said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
                raise WorkspaceError(f"git merge-tree failed in {private.directory}: {said}")
            tree, conflicts, told = _read(done.stdout)
            return Merged(committed(private, tree, pair, label), tree, conflicts, told)

    def unresolved(self, commit: str, conflicts: Sequence[str]) -> tuple[str, ...]:
        with self._private.locked() as private:
            known = known_commit(private, commit)
            done = private.attempt("grep", "-a", "-l", "-z", "--full-name", "-E", "-e", _MARK, known)
            marked = {shown(line.partition(b":")[2]) for line in done.stdout.split(b"\0")[:-1]}
            return tuple(path for path in conflicts if path in marked)

    def close(self, owner: str) -> None:
        checked(owner, "cycle")
        with self._private.locked() as private:
            for ref in private.run("for-each-ref", "--format=%(refname)", f"{_REFS}/{owner}/").decode().split():
                _drop(private, ref)
            for index in private.directory.glob(f"index.{owner}.*"):
                index.unlink()
            remove_all(self._folder(owner))

    def _lane(self, private: PrivateGit, owner: str, lane: int) -> Lane:
        folder = self._folder(checked(owner, "cycle")) / str(lane) / (self._root.name or "root")
        return Lane(private.at(folder, private.directory / f"index.{owner}.{lane}"), self._root)

    def _folder(self, owner: str) -> Path:
        return self._private.directory.with_suffix(".lanes") / owner


@contextmanager
def _named(private: PrivateGit, commits: Sequence[str]) -> Iterator[None]:
    """Gives the commits the names of the two sides for a moment."""
    tags = [f"refs/tags/{side}" for side in _SIDES]
    orders = (f"update {tag} {commit}\n" for tag, commit in zip(tags, commits, strict=True))
    private.run("update-ref", "--stdin", stdin="".join(orders).encode())
    try:
        yield
    finally:
        private.run("update-ref", "--stdin", stdin="".join(f"delete {tag}\n" for tag in tags).encode())


def _ref(owner: str, lane: int) -> str:
    return f"{_REFS}/{owner}/{lane}"


def _drop(private: PrivateGit, ref: str) -> None:
    private.run("update-ref", "-d", ref)


def _excluded(root: Path) -> bytes:
    """What the user ignores in this clone of theirs alone."""
    done = git("rev-parse", "--git-path", "info/exclude", cwd=root)
    path = root / os.fsdecode(done.stdout[:-1])
    return path.read_bytes() if done.returncode == 0 and path.is_file() else b""


def _read(printed: bytes) -> tuple[str, tuple[str, ...], str]:
    """What merge-tree -z --name-only prints: the tree, the names in conflict, and after an empty field the messages."""
    tree, *fields = printed.split(b"\0")
    end = fields.index(b"") if b"" in fields else len(fields)
    return tree.decode(), tuple(shown(name) for name in fields[:end]), _told(fields[end + 1 : -1])


def _told(fields: list[bytes]) -> str:
    """Each message is: how many paths, the paths, a short kind, the words."""
    said = b""
    while fields:
        count = int(fields[0])
        said += fields[count + 2]
        fields = fields[count + 3 :]
    return said.decode("utf-8", "replace").strip()
