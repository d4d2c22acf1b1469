"""One lane: its files, and the repository that an agent finds there."""

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from loopwright.workspace.ignored import as_rule, link_ignored
from loopwright.workspace.listing import existing, folders_of, project_files
from loopwright.workspace.private_git import ATTRIBUTES, PrivateGit
from loopwright.workspace.removing import remove_all
from loopwright.workspace.work_tree import WorkTree, written_tree

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


class Lane:
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
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names = self._names(commit)
        _clean(self.folder, names)
        tree = self._work_tree(lambda: existing(self.folder, names))
        tree.restore(commit)
        tree.update_index()

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
        if self._private.index.exists():  # git writes none as long as there are no files
            shutil.copyfile(self._private.index, git / "index")
        (git / "HEAD").write_text(f"ref: {branch}\n")

    def tree(self, opened: str) -> str:
        """The tree of what the folder holds now; what it was `opened` with counts even where a rule ignores it."""
        names = self._names(opened)
        self._work_tree(lambda: (*project_files(self._private), *existing(self.folder, names))).update_index()
        return written_tree(self._private)

    def _work_tree(self, listed: Callable[[], Iterable[bytes]]) -> WorkTree:
        return WorkTree(self._private, lambda: sorted(n for n in set(listed()) if not self._is_link_of_ours(n)))

    @property
    def _way(self) -> tuple[Path, ...]:
        """From the owner's folder to the lane's own."""
        return self.folder.parent.parent, self.folder.parent, self.folder

    def _names(self, commit: str) -> list[bytes]:
        return self._private.run("ls-tree", "-r", "-z", "--name-only", commit).split(b"\0")[:-1]

    def _is_link_of_ours(self, name: bytes) -> bool:
        path = self._path(name)
        return path.is_symlink() and os.readlink(path) == str(self._project / os.fsdecode(name))

    def _path(self, name: bytes) -> Path:
        return self.folder / os.fsdecode(name)


def _clean(folder: Path, names: Sequence[bytes]) -> None:
    """Removes all below the folder but files of these names."""
    files = frozenset(names)
    folders = frozenset(folder for name in names for folder in folders_of(name))
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
