"""Snapshots of the project in a private git directory; the user's branch, index, stash and hooks are never touched."""

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from loopwright.core.errors import Conflict, Invalid, NotFound, WorkspaceError
from loopwright.core.ids import check_id
from loopwright.core.ports import FileChange, FileLayer, Snapshot
from loopwright.evidence.environment import Environment, EnvironmentChange, Manifests
from loopwright.workspace.committed import read_commit
from loopwright.workspace.copies import bring_ignored, list_left_behind
from loopwright.workspace.environment import EnvironmentLook, compare_looks, look_at_environment
from loopwright.workspace.file_store import read_tree
from loopwright.workspace.listing import decode_name, folders_of, is_among
from loopwright.workspace.private_git import READY, PrivateGit, run_git
from loopwright.workspace.pruning import OF_RUNS, drop_run, prune_if_small
from loopwright.workspace.sealed_copy import (
    check_contents,
    check_listing,
    object_name,
    remove_links_out,
    remove_nested,
    share_git,
    was_there,
)
from loopwright.workspace.tree_index import TreeIndex


class WorkTree:
    """The work tree of `private`, which is locked for us, with the `index` of its files."""

    def __init__(self, private: PrivateGit, index: TreeIndex) -> None:
        self._private, self._index = private, index
        self._root = private.work_tree

    def restore(self, commit: str, chosen: frozenset[str] | None = None, over: str | None = None) -> None:
        """See ports.Workspace.restore; `chosen` are its paths."""
        private = self._private
        wanted = files_of(private, commit)
        self._index.look(private)
        present = {name: (one.mode, one.blob) for name, one in self._index.files.items()}
        within = [name for name in wanted.keys() | present.keys() if chosen is None or is_among(name, chosen)]
        if over is not None:
            known = files_of(private, over)
            touched = {*within, *_in_place_of(within, present)}
            changed = [name for name in touched if present.get(name) not in (known.get(name), wanted.get(name))]
            _refuse_to_overwrite(changed or [name for name in within if name not in present and self._is_there(name)])
        write = [name for name in within if name in wanted and wanted[name] != present.get(name)]
        self._refuse_to_bury_ignored(write, present)
        times = {name: path.stat().st_mtime for name in write if (path := self._path(name)).is_file()}
        write_files(private, commit, write, self._root)
        for name, before in times.items():
            make_newer(self._path(name), than=before)
        # Listed again by the ignore rules that hold now: a rule that was lost must not cost the files it guarded.
        self._index.look(private)
        for name in self._index.names:
            if name not in wanted and (chosen is None or is_among(name, chosen)):
                self._remove(name)

    def _path(self, name: bytes) -> Path:
        return self._root / os.fsdecode(name)

    def _is_there(self, name: bytes) -> bool:
        path = self._path(name)
        return path.is_symlink() or path.is_file()

    def _refuse_to_bury_ignored(self, write: Sequence[bytes], files: Container[bytes]) -> None:
        """Conflict when a file has to go where ignored files are: they are in no snapshot."""
        for name in write:
            hidden = next((file for file in self._in_the_way(name) if file not in files), None)
            if hidden is not None:
                raise Conflict(
                    f"{decode_name(name)} cannot be restored: the ignored file {decode_name(hidden)} is in its place"
                )

    def _in_the_way(self, name: bytes) -> Iterator[bytes]:
        """Files below a folder in the file's place, or the one that is where its folder has to be."""
        root = os.fsencode(self._root)
        place = os.path.join(root, name)
        if os.path.isdir(place) and not os.path.islink(place):
            yield from (
                os.path.relpath(os.path.join(at, file), root) for at, _, found in os.walk(place) for file in found
            )
        while name := os.path.dirname(name):
            place = os.path.join(root, name)
            if os.path.islink(place) or os.path.isfile(place):
                yield name

    def _remove(self, name: bytes) -> None:
        """Removes a file, and the folders that it leaves empty."""
        root = os.fsencode(self._root)
        try:
            os.unlink(os.path.join(root, name))
            folder = os.path.dirname(name)
            while folder and not os.listdir(os.path.join(root, folder)):
                os.rmdir(os.path.join(root, folder))
                folder = os.path.dirname(folder)
        except FileNotFoundError:  # someone else was faster
            return
        except OSError as error:
            raise WorkspaceError(f"{decode_name(name)} could not be removed: {error.strerror}") from error


def write_files(private: PrivateGit, commit: str, names: Sequence[bytes], to: Path) -> None:
    """Writes these files of the commit below a folder, over what is there."""
    to.mkdir(parents=True, exist_ok=True)
    how = "-c", "checkout.workers=0", "checkout-index", f"--prefix={to}/", "-f", "-q", "-z", "--stdin"
    with private.scratch_index() as scratch:
        private.run("read-tree", find_commit(private, commit), index=scratch)
        private.run(*how, stdin=join_names(names), index=scratch)


def make_newer(path: Path, *, than: float) -> None:
    """Gives a rewritten file a later second than it had: caches such as .pyc files look at second and size alone."""
    if path.is_file() and not path.is_symlink() and int(path.stat().st_mtime) <= int(than):
        os.utime(path, (than + 1, than + 1))


def join_names(names: Sequence[bytes]) -> bytes:
    """Names as git reads them with -z."""
    return b"".join(name + b"\0" for name in names)


def create_commit(private: PrivateGit, tree: str, parents: Sequence[str], label: str) -> str:
    """A new commit, on no ref yet."""
    whose = (part for parent in parents for part in ("-p", parent))
    made = private.run("commit-tree", tree, *whose, "-F", "-", stdin=label.encode("utf-8", "replace"))
    return made.decode().strip()


def _compare(private: PrivateGit, before: str, after: str, *how: str) -> bytes:
    """What differs between two commits. NotFound."""
    pair = f"{before}^{{commit}}", f"{after}^{{commit}}"
    done = private.attempt("diff-tree", "-r", *how, "--end-of-options", *pair)
    if done.returncode != 0:
        known = find_commit(private, before), find_commit(private, after)
        return private.run("diff-tree", "-r", *how, *known)
    return done.stdout


def find_commit(private: PrivateGit, commit: str) -> str:
    """The commit itself, if it is one of ours. NotFound."""
    found = private.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    if found.returncode != 0:
        raise NotFound(f"There is no snapshot {commit}")
    return found.stdout.decode().strip()


def _refuse_to_overwrite(names: Sequence[bytes]) -> None:
    """Conflict that names files which somebody has changed meanwhile, or which are ignored and so in no snapshot."""
    if names:
        told = sorted(decode_name(name) for name in names)
        more = f" and {len(told) - 3} more" if len(told) > 3 else ""
        raise Conflict(f"{', '.join(told[:3])}{more} changed in the project meanwhile and will not be overwritten")


def _in_place_of(names: Sequence[bytes], present: Iterable[bytes]) -> Iterator[bytes]:
    """Those present that are where these names need a folder, or lie in a folder that is where one needs a file."""
    needed = frozenset(names)
    ways = frozenset(folder for name in names for folder in folders_of(name))
    return (name for name in present if name in ways or any(folder in needed for folder in folders_of(name)))


def files_of(private: PrivateGit, commit: str) -> dict[bytes, tuple[bytes, bytes]]:
    """Mode and object of each file. NotFound."""
    return read_tree(private, find_commit(private, commit))


_SMALL = 3000
"""Files of a project that are copied sooner than a program is started to lay others over them."""

_ACTIONS = {b"A": "create", b"D": "delete", b"M": "modify", b"T": "modify"}


def project_root(path: Path) -> Path:
    """The top of the git work tree around `path`, else the folder itself; a real path."""
    try:
        done = run_git("rev-parse", "--show-toplevel", cwd=path)
    except Invalid:  # without git, a project is a folder
        return path.resolve()
    return Path(os.fsdecode(done.stdout[:-1])).resolve() if done.returncode == 0 else path.resolve()


def private_directory(home: Path, root: Path) -> Path:
    """Where under `home` the snapshots of the project at `root` (a real path) are kept."""
    return home / f"{root.name or 'root'}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:16]}.git"


def take_over_snapshots(home: Path, root: Path, ids: Callable[[], Collection[str]]) -> None:
    """Where the project was moved to `root`: makes its own what it had under `home` by its former path.

    That is where its former folder is gone, and a run of it, which are `ids`, has snapshots.
    """
    own = private_directory(home, root)
    if own.exists() or not (known := frozenset(ids())):
        return
    for ready in home.glob(f"*.git/{READY}"):
        former, directory = ready.read_text(), ready.parent
        if not former or os.path.lexists(former):
            continue
        done = run_git("--git-dir", ".", "for-each-ref", "--format=%(refname:lstrip=2)", *OF_RUNS, cwd=directory)
        if not known.isdisjoint(done.stdout.decode().split()):
            for suffix in (".processes", ".git"):
                with suppress(FileNotFoundError):  # another command does the same
                    os.rename(directory.with_suffix(suffix), own.with_suffix(suffix))
            with suppress(FileNotFoundError):
                (own / READY).write_text(str(root))
            return


class GitWorkspace:
    """See ports.Workspace. `home` is the folder of all private git directories, one for each project.

    `of`: the project whose history this one shares, as a worktree of it; `index` names an index of its own.
    """

    def __init__(self, root: Path, home: Path, of: Path | None = None, index: str = "index") -> None:
        self._root = root.resolve()
        self._home = home.resolve()
        self._source = of.resolve() if of else None
        directory = private_directory(self._home, self._source or self._root)
        self._private = PrivateGit(directory, self._root, directory / index)
        self._index = TreeIndex(without=self._home)

    @property
    def root(self) -> Path:
        return self._root

    def listed(self) -> Sequence[str]:
        with self._private.locked() as private:
            self._index.look(private)
            return [decode_name(name) for name in self._index.names]

    def tree(self, without: Sequence[str] = ()) -> str:
        with self._private.locked() as private:
            tree = self._index.tree(private)
            left_out = frozenset(path.rstrip("/") for path in without)
            names = [name for name in self._index.names if is_among(name, left_out)] if left_out else []
            if not names:
                return tree
            with private.scratch_index() as scratch:
                private.run("read-tree", tree, index=scratch)
                private.run("update-index", "-z", "--force-remove", "--stdin", stdin=join_names(names), index=scratch)
                return private.run("write-tree", index=scratch).decode().strip()

    def distrust(self) -> None:
        self._index.is_trusted = False

    def snapshot(self, loop_id: str, label: str) -> Snapshot:
        ref = f"refs/loopwright/{check_id(loop_id)}"
        with self._private.locked() as private:
            tree = self._index.tree(private)
            known = private.attempt("rev-parse", "--quiet", ref, f"{ref}^{{tree}}")
            last = known.stdout.decode().split() if known.returncode == 0 else []
            if last[1:] == [tree]:
                return Snapshot(*last)
            commit = create_commit(private, tree, last[:1], label)
            private.run("update-ref", ref, commit)
            return Snapshot(commit, tree)

    def snapshot_commit(self, loop_id: str, revision: str) -> Snapshot | None:
        committed = read_commit(self._root, revision)
        if committed is None:
            return None
        ref = f"refs/loopwright/{check_id(loop_id)}"
        with self._private.locked() as private:
            self._index.look(private)
            present = {name: (one.mode, one.blob) for name, one in self._index.files.items()}
            with private.scratch_index() as scratch:
                private.run("read-tree", self._index.tree(private), index=scratch)
                lines = committed.index_lines(private, present)
                private.run("update-index", "-z", "--index-info", stdin=b"".join(lines), index=scratch)
                tree = private.run("write-tree", index=scratch).decode().strip()
            known = private.attempt("rev-parse", "--quiet", "--verify", ref)
            commit = create_commit(private, tree, known.stdout.decode().split(), f"commit {committed.name}")
            private.run("update-ref", ref, commit)
            return Snapshot(commit, tree)

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        with self._private.locked() as private:
            fields = _compare(private, before, after, "-z", "--no-renames", "--name-status").split(b"\0")
            return tuple(
                FileChange(decode_name(name), _ACTIONS[status])
                for status, name in zip(fields[:-1:2], fields[1::2], strict=True)
            )

    def diff(self, before: str, after: str) -> str:
        with self._private.locked() as private:
            text = _compare(private, before, after, "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv")
            return text.decode("utf-8", "replace")

    def export(self, commit: str, to: Path, *, paths: Sequence[str] | None = None, without: Sequence[str] = ()) -> None:
        chosen = None if paths is None else frozenset(path.rstrip("/") for path in paths)
        left_out = frozenset(path.rstrip("/") for path in without)
        with self._private.locked() as private:
            known = files_of(private, commit)
            check_listing(commit, private.run("cat-file", "commit", find_commit(private, commit)), known)
            wanted = [n for n in known if (chosen is None or is_among(n, chosen)) and not is_among(n, left_out)]
            write_files(private, commit, wanted, to)
        check_contents(wanted, known, to)

    def bring_ignored(self, to: Path) -> Sequence[bytes]:
        with self._private.locked() as private:
            self._index.look(private)
            files = self._index.names
        return bring_ignored(self._root, to, files, self._home)

    def lay_out_sealed(self, commit: str, to: Path, *, start: str | None, remembered: str | None) -> None:
        self.export(commit, to)
        with self._private.locked() as private:
            self._index.look(private)
            files = self._index.names
            first = files_of(private, start) if start else {}
            made = [name for name, one in files_of(private, commit).items() if first.get(name) != one]
            look = self._remembered(private, remembered) if remembered else None
        remove_links_out(to, made if start else ())
        remove_nested(self._root, to, made if start else (), first)
        if look is None or look.ignored is None:
            bring_ignored(self._root, to, files, self._home)
        else:
            roots = [root.removeprefix(f"{self._root}/") for root in look.roots]
            bring_ignored(self._root, to, files, self._home, was_there(look.ignored, roots, files))
        share_git(self._root, to)

    def layer(self, commit: str, to: Path, *, source: str, paths: Sequence[str] = ()) -> FileLayer | None:
        theirs = frozenset(path.rstrip("/") for path in paths)
        with self._private.locked() as private:
            self._index.look(private)
            if len(self._index.files) < _SMALL:
                return None
            wanted = {name: one for name, one in files_of(private, commit).items() if not is_among(name, theirs)}
            wanted |= {name: one for name, one in files_of(private, source).items() if is_among(name, theirs)}
            present = {name: (one.mode, one.blob) for name, one in self._index.files.items()}
            with private.scratch_index() as scratch:
                lines = [b"%s %s\t%s\0" % (*one, name) for name, one in wanted.items() if one != present.get(name)]
                private.run("update-index", "-z", "--index-info", stdin=b"".join(lines), index=scratch)
                to.mkdir(parents=True)
                private.run("checkout-index", f"--prefix={to}/", "-a", "-f", "-q", index=scratch)
            ignored = self._index.list_ignored(private)
        gone = [name for name in present if name not in wanted]
        return FileLayer(to, [*gone, *list_left_behind(self._root, ignored, self._home)])

    def restore(self, commit: str, paths: Sequence[str] | None = None, *, over: str | None = None) -> None:
        chosen = None if paths is None else frozenset(path.rstrip("/") for path in paths)
        with self._private.locked() as private:
            WorkTree(private, self._index).restore(commit, chosen, over)

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
            seen = look_at_environment(self._root, self._ignored(private), command, pythons, source=self._source)
            name = private.run("hash-object", "-w", "--stdin", stdin=seen.as_json()).decode().strip()
            private.run("update-ref", f"refs/environment/{check_id(loop_id)}", name)
            return name

    def changed_environment(
        self, remembered: str, command: str, pythons: Sequence[str], manifests: Callable[[], Manifests]
    ) -> Environment:
        with self._private.locked() as private:
            before, ignored = self._remembered(private, remembered), self._ignored(private)
        if before is None:
            return Environment((EnvironmentChange("what was remembered of the environment", "gone"),))
        return compare_looks(
            self._root,
            before,
            look_at_environment(self._root, ignored, command, pythons, before.path, self._source),
            manifests,
        )

    def _remembered(self, private: PrivateGit, name: str) -> EnvironmentLook | None:
        kept = private.attempt("cat-file", "blob", name).stdout
        return EnvironmentLook.of(kept) if object_name(b"blob", kept) == name else None

    def _ignored(self, private: PrivateGit) -> list[str]:
        return [decode_name(name) for name in self._index.list_ignored(private)]

    def forget(self, loop_id: str) -> None:
        with self._private.locked() as private:
            if drop_run(private, check_id(loop_id)):
                prune_if_small(private)
