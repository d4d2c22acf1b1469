"""Snapshots of the project in a private git directory; the user's branch, index, stash and hooks are never touched."""

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from loopwright.domain.environment import Environment, EnvironmentChange, Manifests
from loopwright.domain.errors import Invalid
from loopwright.domain.ids import checked
from loopwright.ports import FileChange, Snapshot
from loopwright.workspace.environment import Look, compare_looks, look
from loopwright.workspace.ignored import bring_ignored
from loopwright.workspace.listing import ignored_names, is_among, project_files, shown
from loopwright.workspace.private_git import PrivateGit, git
from loopwright.workspace.work_tree import WorkTree, committed, known_commit, lines, make_newer, written_tree

_ACTIONS = {b"A": "create", b"D": "delete", b"M": "modify", b"T": "modify"}


def project_root(path: Path) -> Path:
    """The top of the git work tree around `path`, else the folder itself; a real path."""
    try:
        done = git("rev-parse", "--show-toplevel", cwd=path)
    except Invalid:  # without git, a project is a folder
        return path.resolve()
    return Path(os.fsdecode(done.stdout[:-1])).resolve() if done.returncode == 0 else path.resolve()


def private_directory(home: Path, root: Path) -> Path:
    """Where under `home` the snapshots of the project at `root` (a real path) are kept."""
    return home / f"{root.name or 'root'}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:16]}.git"


class GitWorkspace:
    """See ports.Workspace. `home` is the folder of all private git directories, one for each project."""

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root.resolve()
        self._home = home.resolve()
        self._private = PrivateGit(private_directory(self._home, self._root), self._root)

    @property
    def root(self) -> Path:
        return self._root

    def listed(self) -> Sequence[str]:
        with self._private.locked() as private:
            return [shown(name) for name in self._files(private)]

    def tree(self, without: Sequence[str] = ()) -> str:
        with self._private.locked() as private:
            files = self._work_tree(private).update_index()
            left_out = frozenset(path.rstrip("/") for path in without)
            names = [name for name in files if left_out and is_among(name, left_out)]
            if not names:
                return written_tree(private)
            with private.scratch_index(like=private.index) as scratch:
                private.run("update-index", "-z", "--force-remove", "--stdin", stdin=lines(names), index=scratch)
                return written_tree(private, scratch)

    def snapshot(self, loop_id: str, label: str) -> Snapshot:
        ref = f"refs/loopwright/{checked(loop_id)}"
        with self._private.locked() as private:
            self._work_tree(private).update_index()
            tree = written_tree(private)
            last = private.attempt("rev-parse", "--verify", "--quiet", ref).stdout.decode().strip()
            commit = committed(private, tree, (last,) if last else (), label)
            private.run("update-ref", ref, commit)
            return Snapshot(commit, tree)

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        with self._private.locked() as private:
            pair = known_commit(private, before), known_commit(private, after)
            fields = private.run("diff-tree", "-r", "-z", "--no-renames", "--name-status", *pair).split(b"\0")
            return tuple(
                FileChange(shown(name), _ACTIONS[status])
                for status, name in zip(fields[:-1:2], fields[1::2], strict=True)
            )

    def diff(self, before: str, after: str) -> str:
        with self._private.locked() as private:
            pair = known_commit(private, before), known_commit(private, after)
            text = private.run("diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv", *pair)
            return text.decode("utf-8", "replace")

    def export(self, commit: str, to: Path, *, paths: Sequence[str] | None = None, without: Sequence[str] = ()) -> None:
        chosen = None if paths is None else frozenset(path.rstrip("/") for path in paths)
        left_out = frozenset(path.rstrip("/") for path in without)
        with self._private.locked() as private, private.scratch_index() as scratch:
            private.run("read-tree", known_commit(private, commit), index=scratch)
            known = private.run("ls-files", "-z", "--cached", index=scratch).split(b"\0")[:-1]
            wanted = [n for n in known if (chosen is None or is_among(n, chosen)) and not is_among(n, left_out)]
            to.mkdir(parents=True, exist_ok=True)
            private.run(
                "checkout-index", f"--prefix={to}/", "-f", "-q", "-z", "--stdin", stdin=lines(wanted), index=scratch
            )

    def bring_ignored(self, to: Path) -> Sequence[bytes]:
        with self._private.locked() as private:
            files = self._files(private)
        return bring_ignored(self._root, to, files, self._home)

    def restore(self, commit: str, paths: Sequence[str] | None = None, *, over: str | None = None) -> None:
        chosen = None if paths is None else frozenset(path.rstrip("/") for path in paths)
        with self._private.locked() as private:
            self._work_tree(private).restore(commit, chosen, over)

    def replace_text(self, file: str, old: str, new: str) -> bool:
        path = self._root / file
        if path.is_symlink() or not path.is_file() or path.read_bytes() != old.encode():
            return False
        beside = path.with_name(f".{path.name}.loopwright")
        try:
            beside.write_bytes(new.encode())
            shutil.copymode(path, beside)
            make_newer(beside, than=path.stat().st_mtime)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        return True

    def remember_environment(self, loop_id: str, command: str, pythons: Sequence[str]) -> str:
        with self._private.locked() as private:
            seen = look(self._root, ignored_names(private), command, pythons)
            name = private.run("hash-object", "-w", "--stdin", stdin=seen.as_json()).decode().strip()
            private.run("update-ref", f"refs/environment/{checked(loop_id)}", name)
            return name

    def changed_environment(
        self, remembered: str, command: str, pythons: Sequence[str], manifests: Callable[[], Manifests]
    ) -> Environment:
        with self._private.locked() as private:
            kept, ignored = private.attempt("cat-file", "blob", remembered).stdout, ignored_names(private)
        if _blob_name(kept) != remembered:
            return Environment((EnvironmentChange("what was remembered of the environment", "gone"),))
        before = Look.of(kept)
        return compare_looks(self._root, before, look(self._root, ignored, command, pythons, before.path), manifests)

    def forget(self, loop_id: str) -> None:
        with self._private.locked() as private:
            for kind in ("loopwright", "environment"):
                private.run("update-ref", "-d", f"refs/{kind}/{checked(loop_id)}")

    def _work_tree(self, private: PrivateGit) -> WorkTree:
        return WorkTree(private, lambda: self._files(private))

    def _files(self, private: PrivateGit) -> list[bytes]:
        return project_files(private, without=self._home)


def _blob_name(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
