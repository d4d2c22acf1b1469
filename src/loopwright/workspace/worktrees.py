"""Lanes: work trees beside the project, each a repository of its own that borrows what the private one holds."""

import os
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from loopwright.core.errors import Invalid, NotFound, WorkspaceError
from loopwright.core.ids import check_id
from loopwright.core.ports import MergeResult, Snapshot
from loopwright.core.private_files import make_private_folder
from loopwright.workspace.checkpoints import (
    WorkTree,
    create_commit,
    files_of,
    find_commit,
    private_directory,
    write_files,
)
from loopwright.workspace.copies import as_rule, link_ignored
from loopwright.workspace.file_store import SETTLED, IndexedFile, add_facts, stamp_of
from loopwright.workspace.listing import decode_name, folders_of, list_files, look_at, project_files
from loopwright.workspace.private_git import ATTRIBUTES, PrivateGit, run_git
from loopwright.workspace.tree_index import TreeIndex, drop_looks

_ATTEMPTS = 3


def remove_all(path: Path) -> None:
    """Removes a file, a link (never what it leads to), or a folder with all below it. WorkspaceError."""
    for attempt in range(_ATTEMPTS):
        try:
            if path.is_symlink() or not path.is_dir():
                path.unlink(missing_ok=True)
            else:
                _open_up(path)
                shutil.rmtree(path)
            return
        except OSError as error:  # somebody may still write, move or remove there
            if attempt == _ATTEMPTS - 1:
                raise WorkspaceError(f"{path} could not be removed: {error.strerror}") from error


def _open_up(folder: Path) -> None:
    """Makes all folders writable: some tools write-protect what they unpack."""
    os.chmod(folder, 0o700)
    for at, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(inner := os.path.join(at, name)):
                os.chmod(inner, 0o700)


_CONFIG = """\
[core]
\trepositoryFormatVersion = 0
\tbare = false
\tfileMode = true
\tlogAllRefUpdates = true
\thooksPath = /dev/null
\tfsmonitor = false
\tautocrlf = false
\tquotePath = false
[user]
\tname = loopwright
\temail = loopwright@localhost
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""
"""Stands before the user's own settings, so that no hook, signature or conversion of theirs takes part."""


class LaneTree:
    """The work tree of `private`, which is locked for us and has an index for this lane alone."""

    def __init__(self, private: PrivateGit, project: Path) -> None:
        self._private, self._project = private, project
        self.folder = private.work_tree

    @property
    def is_there(self) -> bool:
        return self.folder.is_dir() and not any(path.is_symlink() for path in self._way)

    def fill(self, commit: str) -> None:
        """Makes the folder hold that commit, and nothing besides."""
        for folder in self._way:
            if folder.is_symlink() or not folder.is_dir():  # what an agent may have put there must not be followed
                remove_all(folder)
            make_private_folder(folder)
        wanted = files_of(self._private, commit)
        _clean(self.folder, wanted)
        if any(look_at(self.folder, wanted)):
            WorkTree(self._private, self._index(wanted)).restore(commit)
        else:
            self._write(commit, wanted)

    def _write(self, commit: str, wanted: Mapping[bytes, tuple[bytes, bytes]]) -> None:
        """All files. Nobody else is at work there: they are what was written, and need not be read again."""
        private = self._private
        write_files(private, commit, list(wanted), self.folder)
        time.sleep(SETTLED / 1e9)  # from now on, a stamp tells of every change
        written = look_at(self.folder, wanted)
        add_facts(private, {name: IndexedFile(stamp_of(one), *wanted[name]) for name, one in written})
        private.run("update-ref", private.look, commit)

    def link(self, files: Iterable[bytes], home: Path) -> list[bytes]:
        """Links what the project ignores; `files` are those that it does not. The names of the links."""
        linked = link_ignored(self._project, self.folder, files, home)
        empty = [name for name in linked if _is_empty(self._path(name))]
        for name in empty:  # of no use, and what is written there would be written into the project
            self._path(name).unlink()
        return [name for name in linked if name not in empty]

    def make_repository(self, commit: str, linked: Iterable[bytes], excluded: bytes) -> None:
        """A repository on a branch at the commit, which holds nothing yet but what it borrows."""
        git, branch = self.folder / ".git", f"refs/heads/lane-{self.folder.parent.name}"
        for folder in ("objects/info", "refs/heads", "refs/tags", "info"):
            (git / folder).mkdir(parents=True)
        (git / "objects/info/alternates").write_bytes(os.fsencode(self._private.directory / "objects") + b"\n")
        (git / "info/exclude").write_bytes(excluded + b"\n" + b"".join(map(as_rule, linked)))
        (git / "info/attributes").write_text(ATTRIBUTES)
        (git / "config").write_text(_CONFIG)
        (git / branch).write_text(f"{commit}\n")
        (git / "HEAD").write_text(f"ref: {branch}\n")
        run_git("read-tree", "HEAD", cwd=self.folder)
        run_git("update-index", "-q", "--refresh", cwd=self.folder)

    def tree(self, opened: str) -> str:
        """The tree of what the folder holds now; what it was `opened` with counts even where a rule ignores it."""
        return self._index(files_of(self._private, opened)).tree(self._private)

    def _index(self, names: Collection[bytes]) -> TreeIndex:
        """Of what is there, and of these names even where a rule ignores them, but for links of ours."""

        def look() -> dict[bytes, os.stat_result]:
            found = (*list_files(self._private).seen.items(), *look_at(self.folder, names))
            return {name: one for name, one in found if not self._is_link_of_ours(name)}

        return TreeIndex(listed=look)

    @property
    def _way(self) -> tuple[Path, ...]:
        """From the owner's folder to the lane's own."""
        return self.folder.parent.parent, self.folder.parent, self.folder

    def _is_link_of_ours(self, name: bytes) -> bool:
        path = self._path(name)
        return path.is_symlink() and os.readlink(path) == str(self._project / os.fsdecode(name))

    def _path(self, name: bytes) -> Path:
        return self.folder / os.fsdecode(name)


def _clean(folder: Path, files: Collection[bytes]) -> None:
    """Removes all below the folder but files of these names."""
    folders = frozenset(folder for name in files for folder in folders_of(name))
    open_ones = [(os.fsencode(folder), b"")]
    while open_ones:
        at, prefix = open_ones.pop()
        if not os.access(at, os.R_OK | os.W_OK | os.X_OK):
            os.chmod(at, 0o700)
        with os.scandir(at) as entries:
            found = list(entries)
        for entry in found:
            name, is_folder = prefix + entry.name, entry.is_dir(follow_symlinks=False)
            if is_folder and name in folders:
                open_ones.append((entry.path, name + b"/"))
            elif is_folder or name not in files:
                remove_all(Path(os.fsdecode(entry.path)))


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


_TOO_OLD = 129
"""How git ends when it does not know a switch."""

_SIDES = ("project", "task")
"""What an agent reads at the marks of a conflict."""

_MARK = "^(<{7,} project|>{7,} task)\r?$"

_REFS = "refs/lanes"
"""Below it, by owner and lane: the commit that the lane was opened at."""


class GitWorktrees:
    """See ports.Worktrees; `root`, `home` and `of` as for GitWorkspace.

    Not git's own `worktree`: those share their stash, branches and settings, and each could break the others.
    """

    def __init__(self, root: Path, home: Path, of: Path | None = None) -> None:
        self._root, self._home = root.resolve(), home.resolve()
        directory = private_directory(self._home, (of or root).resolve())
        self._private = PrivateGit(directory, self._root)

    def open(self, owner: str, lane: int, commit: str) -> Path:
        with self._private.locked() as private:
            known = find_commit(private, commit)
            place = self._lane(private, owner, lane)
            _drop(private, _ref(owner, lane))  # until all is there, nobody can have worked in it
            try:
                place.fill(known)
                linked = place.link(project_files(private, without=self._home), self._home)
                place.make_repository(known, linked, _excluded(self._root))
            except OSError as error:
                raise WorkspaceError(f"{place.folder} could not be created: {error}") from error
            private.run("update-ref", _ref(owner, lane), known)
            return place.folder

    def snapshot(self, owner: str, lane: int, label: str) -> Snapshot:
        with self._private.locked() as private:
            place = self._lane(private, owner, lane)
            opened = private.attempt("rev-parse", "--verify", "--quiet", _ref(owner, lane)).stdout.decode().strip()
            if not opened or not place.is_there:
                raise NotFound(f"Lane {lane} of {owner} is not open")
            tree = place.tree(opened)
            return Snapshot(create_commit(private, tree, (opened,), label), tree)

    def merge(self, owner: str, ours: str, theirs: str, label: str) -> MergeResult:
        check_id(owner, "cycle")
        with self._private.locked() as private:
            return merge_commits(private, ours, theirs, label)

    def unresolved(self, commit: str, conflicts: Sequence[str]) -> tuple[str, ...]:
        with self._private.locked() as private:
            known = find_commit(private, commit)
            done = private.attempt("grep", "-a", "-l", "-z", "--full-name", "-E", "-e", _MARK, known)
            marked = {decode_name(line.partition(b":")[2]) for line in done.stdout.split(b"\0")[:-1]}
            return tuple(path for path in conflicts if path in marked)

    def close(self, owner: str) -> None:
        check_id(owner, "cycle")
        with self._private.locked() as private:
            for ref in private.run("for-each-ref", "--format=%(refname)", f"{_REFS}/{owner}/").decode().split():
                _drop(private, ref)
            drop_looks(private, f"index.{owner}.*")
            remove_all(self._folder(owner))

    def _lane(self, private: PrivateGit, owner: str, lane: int) -> LaneTree:
        folder = self._folder(check_id(owner, "cycle")) / str(lane) / (self._root.name or "root")
        return LaneTree(private.at(folder, private.directory / f"index.{owner}.{lane}"), self._root)

    def _folder(self, owner: str) -> Path:
        return self._private.directory.with_suffix(".lanes") / owner


_MERGE = ("merge-tree", "--write-tree", "-z", "--name-only")


def merge_commits(private: PrivateGit, ours: str, theirs: str, label: str) -> MergeResult:
    """Both in one, by what they have come from. NotFound, WorkspaceError."""
    pair = find_commit(private, ours), find_commit(private, theirs)
    with _named(private, pair):
        done = private.attempt(*_MERGE, *_SIDES)
        if done.returncode < 0:  # an assertion of its own fails over some renamed folders
            done = private.attempt("-c", "merge.directoryRenames=false", *_MERGE, *_SIDES)
    if done.returncode == _TOO_OLD:
        raise Invalid("git 2.38 or newer is needed to merge the work of agents; in a cycle, parallel 1 needs none")
    if done.returncode not in (0, 1):
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise WorkspaceError(f"git merge-tree failed in {private.directory}: {said}")
    tree, conflicts, told = _read(done.stdout)
    return MergeResult(create_commit(private, tree, pair, label), tree, conflicts, told)


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
    done = run_git("rev-parse", "--git-path", "info/exclude", cwd=root)
    path = root / os.fsdecode(done.stdout[:-1])
    return path.read_bytes() if done.returncode == 0 and path.is_file() else b""


def _read(printed: bytes) -> tuple[str, tuple[str, ...], str]:
    """What merge-tree -z --name-only prints: the tree, the names in conflict, and after an empty field the messages."""
    tree, *fields = printed.split(b"\0")
    end = fields.index(b"") if b"" in fields else len(fields)
    return tree.decode(), tuple(decode_name(name) for name in fields[:end]), _told(fields[end + 1 : -1])


def _told(fields: list[bytes]) -> str:
    """Each message is: how many paths, the paths, a short kind, the words."""
    said = b""
    while fields:
        count = int(fields[0])
        said += fields[count + 2]
        fields = fields[count + 3 :]
    return said.decode("utf-8", "replace").strip()
