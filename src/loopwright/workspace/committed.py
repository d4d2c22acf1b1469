"""A revision of the user's own repository, as its files would lie in the work tree."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from loopwright.core.errors import Invalid, WorkspaceError
from loopwright.workspace.listing import folders_of
from loopwright.workspace.private_git import PrivateGit, run_git

_LINK, _SUBMODULE = b"120000", b"160000"


class CommittedFiles(NamedTuple):
    """The commit `name` of the repository at `root`: mode and object of each file."""

    root: Path
    name: str
    files: Mapping[bytes, tuple[bytes, bytes]]

    def index_lines(self, private: PrivateGit, present: Mapping[bytes, tuple[bytes, bytes]]) -> Iterator[bytes]:
        """What makes an index of the files that are `present` one of these, as git reads it with -z --index-info.

        A file that git sees as unchanged, by its filters and line ends, stays as it is; so do submodules, and what is
        not there because it is ignored, or left out of a sparse checkout.
        """
        differing = {name: one for name, one in self.files.items() if present.get(name) != one}
        submodules = {name for name, (mode, _) in self.files.items() if mode == _SUBMODULE}
        is_sparse = self._git("config", "--bool", "core.sparseCheckout") == b"true\n"
        same = self._unchanged(differing)
        for name, (mode, blob) in differing.items():
            is_there = os.path.lexists(os.path.join(os.fsencode(self.root), name))
            if name in submodules or name in same or (name not in present and (is_there or is_sparse)):
                continue
            how = ("blob", blob) if mode == _LINK else ("--filters", b"%s:%s" % (self.name.encode(), name))
            data = self._git("cat-file", *how)
            kept = private.run("hash-object", "-w", "--stdin", stdin=data).strip()
            yield b"%s %s\t%s\0" % (mode, kept, name)
        for name in present:
            if name not in self.files and submodules.isdisjoint(folders_of(name)):
                yield b"0 %s\t%s\0" % (b"0" * 40, name)

    def _unchanged(self, differing: Mapping[bytes, tuple[bytes, bytes]]) -> frozenset[bytes]:
        """Those whose content git would commit as it is committed already, under the same mode."""
        root = os.fsencode(self.root)
        plain = [
            name
            for name, (mode, _) in differing.items()
            if mode not in (_LINK, _SUBMODULE) and b"\n" not in name and _mode(os.path.join(root, name)) == mode
        ]
        blobs = self._git("hash-object", "--stdin-paths", stdin=b"".join(name + b"\n" for name in plain)).split()
        return frozenset(name for name, blob in zip(plain, blobs, strict=True) if differing[name][1] == blob)

    def _git(self, *args: str | bytes, stdin: bytes = b"") -> bytes:
        done = run_git(*args, cwd=self.root, stdin=stdin)
        if done.returncode != 0 and args[0] != "config":
            said = done.stderr.decode("utf-8", "replace").strip()
            raise WorkspaceError(f"git {os.fsdecode(args[0])} failed in {self.root}: {said}")
        return done.stdout


def read_commit(root: Path, revision: str) -> CommittedFiles | None:
    """See ports.Workspace.snapshot_commit."""
    done = run_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", cwd=root)
    if done.returncode != 0:
        if revision == "HEAD":
            return None
        raise Invalid(f"There is no commit {revision!r} that the tests could be compared with")
    name = done.stdout.decode().strip()
    listed = run_git("ls-tree", "-r", "-z", "--full-tree", name, cwd=root).stdout.split(b"\0")
    entries = (entry.partition(b"\t") for entry in listed if entry)
    files = {file: (words.split()[0], words.split()[2]) for words, _, file in entries}
    return CommittedFiles(root, name, files)


def _mode(path: bytes) -> bytes | None:
    """As git has it; None for what is no plain file."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    return b"100755" if os.access(path, os.X_OK) else b"100644"
