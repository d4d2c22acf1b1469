"""What a work tree holds: looked at as a whole once, and from then on only where something has changed."""

import os
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from loopwright.core.errors import WorkspaceError
from loopwright.workspace.file_store import (
    NO_BLOB,
    UNKNOWN,
    IndexedFile,
    add_facts,
    copy_tracked_files,
    facts_file,
    read_facts,
    stamp_of,
    store_files,
)
from loopwright.workspace.listing import (
    OURS,
    Repository,
    left_out_of,
    list_beneath,
    list_files,
    list_ignored,
    look_at,
)
from loopwright.workspace.private_git import PrivateGit
from loopwright.workspace.tree_watch import TreeChanges, TreeWatch

_ATTEMPTS = 3
_SOON = 120.0
"""Seconds after a look in which another one makes it worth while to watch."""

_MOST_TOLD = 1000
"""Names that git is asked about one by one."""

T = TypeVar("T")


def _stamp(path: Path) -> bytes:
    try:
        return stamp_of(path.lstat())
    except OSError:
        return UNKNOWN


class TreeIndex:
    """The files of one work tree, with the objects of the private git that hold them. Used under its lock alone.

    They are those of the project, `without` a folder, or as `listed`. The kernel tells what changes in a project; all
    files are looked at where it cannot.
    """

    def __init__(
        self, *, without: Path | None = None, listed: Callable[[], Mapping[bytes, os.stat_result]] | None = None
    ) -> None:
        self._without = without
        self._listed = listed
        self.is_trusted = True
        """Whether what the kernel tells counts; a look at all files makes it so."""
        self._watch: TreeWatch | None = None
        self._guards: dict[Path, bytes] = {}
        """What says which files belong to the project, by its stamp."""
        self._repositories: tuple[Repository, ...] = ()
        self._looked = -_SOON
        """When; monotonic."""
        self._pending = TreeChanges(set(), set())
        """What was told and not looked at yet."""
        self._files: dict[bytes, IndexedFile] = {}
        self._names: list[bytes] | None = None
        self._linked: set[bytes] = set()
        """Files with other names, by which they change unseen."""
        self._held = UNKNOWN
        """The stamp of git's index when it held all files."""
        self._tree = ""

    @property
    def files(self) -> Mapping[bytes, IndexedFile]:
        """As of the last look."""
        return self._files

    @property
    def names(self) -> list[bytes]:
        """Of the files, sorted."""
        if self._names is None:
            self._names = sorted(self._files)
        return self._names

    def tree(self, private: PrivateGit) -> str:
        """The tree of the files as they are now. WorkspaceError."""

        def work() -> str:
            self._look(private)
            return self._write(private)

        return self._insist(private, work)

    def look(self, private: PrivateGit) -> None:
        """Finds the files as they are now; git's index holds them afterwards. WorkspaceError."""
        self._insist(private, lambda: self._look(private))

    def list_ignored(self, private: PrivateGit) -> list[bytes]:
        """Ignored files, and folders that hold nothing else: these end with a slash."""
        self.look(private)
        return [name for name in list_ignored(private, self._repositories) if name.rstrip(b"/") not in OURS]

    def _insist(self, private: PrivateGit, work: Callable[[], T]) -> T:
        """Files come and go while we look, and what git has kept may be torn: what fails is begun anew."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(OSError, WorkspaceError):
                return work()
            self._forget(private)
        try:
            return work()
        except (OSError, WorkspaceError) as error:
            raise WorkspaceError(f"The files of {private.work_tree} could not be read: {error}") from error

    def _forget(self, private: PrivateGit) -> None:
        self._end_watch()
        self._files, self._names, self._held, self._tree = {}, None, UNKNOWN, ""
        private.index.unlink(missing_ok=True)
        facts_file(private).unlink(missing_ok=True)

    def _look(self, private: PrivateGit) -> None:
        told = self._changes() if self.is_trusted else None
        if told is not None:
            if not any(told) and self._held == _stamp(private.index):
                return
            if found := self._look_at_some(private, told):
                self._read(private, *found)
                return
        began = time.time_ns()
        try:
            self._read(private, *self._look_at_all(private), began=began)
        except BaseException:
            self._end_watch()  # it has told of what was not read
            raise
        self.is_trusted = True

    def _read(
        self, private: PrivateGit, seen: Mapping[bytes, os.stat_result], gone: set[bytes], began: int | None = None
    ) -> None:
        """Of those that were `seen`, what has changed. `began` (ns): when a look at all files did."""
        known = self._files or read_facts(private)
        changed = {name: one for name, one in seen.items() if name not in known or known[name].stamp != stamp_of(one)}
        read: dict[bytes, IndexedFile] = {}
        if began is not None and len(changed) > _MOST_TOLD:
            for one in self._repositories:
                read |= copy_tracked_files(private, one, changed, began)
        read |= store_files(private, {name: one for name, one in changed.items() if name not in read})
        gone |= changed.keys() - read.keys()
        fresh = {name: read.get(name) or known[name] for name in seen if name not in gone}
        self._take_in(private, fresh, gone)
        self._linked = self._linked - seen.keys() - gone | {name for name, one in seen.items() if one.st_nlink > 1}
        add_facts(private, read)
        self._pending = TreeChanges(set(), set())

    def _take_in(self, private: PrivateGit, fresh: Mapping[bytes, IndexedFile], gone: set[bytes]) -> None:
        """Brings git's index up to date; all of it where somebody else has written it."""
        known = self._files
        if any(name not in known for name in fresh) or any(name in known for name in gone):
            self._names = None
        lines = [b"0 %s\t%s\0" % (NO_BLOB, name) for name in gone if name in known]
        lines += [_line(name, one) for name, one in fresh.items() if name not in known or known[name][1:] != one[1:]]
        known.update(fresh)
        for name in gone:
            known.pop(name, None)
        if self._held != _stamp(private.index) or not self._held:
            private.index.unlink(missing_ok=True)
            lines = [_line(name, one) for name, one in known.items()]
            self._tree = ""
        if lines:
            self._held, self._tree = UNKNOWN, ""
            private.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
            if len(lines) > _MOST_TOLD:
                self._tree = write_packed_tree(private)
            self._held = _stamp(private.index)

    def _write(self, private: PrivateGit) -> str:
        """The tree that the index holds."""
        if not self._tree:
            self._tree = private.run("write-tree").decode().strip()
            self._held = _stamp(private.index)
        return self._tree

    # ── what to look at ──────────────────────────────────────────────────────────────────────────────────────────

    def _changes(self) -> TreeChanges | None:
        """All that may have changed since the last look that came to its end; None where nobody knows."""
        if self._watch is None or any(_stamp(path) != before for path, before in self._guards.items()):
            return None
        told = self._watch.changes()
        if told is None:
            return None
        self._pending.files.update(told.files)
        self._pending.folders.update(told.folders)
        return TreeChanges(self._pending.files | self._linked, self._pending.folders)

    def _look_at_all(self, private: PrivateGit) -> tuple[dict[bytes, os.stat_result], set[bytes]]:
        """Every file as it is now, and which are gone. Watches first, so that nothing is missed in between."""
        self._end_watch()
        if self._listed is not None:
            return dict(seen := self._listed()), self._files.keys() - seen.keys()
        if time.monotonic() < self._looked + _SOON:
            self._begin_watch(private)
        listing = list_files(private, without=self._without)
        if listing.repositories != self._repositories:
            self._end_watch()
            self._repositories = listing.repositories
        self._pending, self._looked = TreeChanges(set(), set()), time.monotonic()
        return listing.seen, self._files.keys() - listing.seen.keys()

    def _look_at_some(
        self, private: PrivateGit, told: TreeChanges
    ) -> tuple[dict[bytes, os.stat_result], set[bytes]] | None:
        """The same of what may have changed. None where that is too much, or not as simple as that."""
        assert self._watch is not None
        left = {name for folder in told.folders for name in self._beneath(folder)}
        known = left | {name for name in told.files if name in self._files}
        asked = told.folders | (told.files - known)
        if len(asked) > _MOST_TOLD:
            return None
        listed: set[bytes] = set()
        if asked:
            if told.folders:
                names = list_ignored(private, self._repositories, told.folders)
                ignored = frozenset(name.rstrip(b"/") for name in names)
                came = [folder for folder in told.folders if folder not in ignored]
                if not all(self._watch.extend(folder, ignored) for folder in came) or self._watch.met_repository:
                    return None
            listed = list_beneath(private, self._repositories, asked)
        seen = dict(look_at(private.work_tree, listed | (told.files & known)))
        return seen, known - seen.keys()

    def _beneath(self, folder: bytes) -> list[bytes]:
        """The files that were there."""
        names = self.names
        return names[bisect_left(names, folder + b"/") : bisect_left(names, folder + b"0")]

    def _begin_watch(self, private: PrivateGit) -> None:
        guards = [one.find_guards() for one in self._repositories]
        if None in guards:
            return
        self._guards = {path: _stamp(path) for paths in guards for path in paths or ()}
        ignored = list_ignored(private, self._repositories)
        folders = frozenset(name.rstrip(b"/") for name in ignored if name.endswith(b"/"))
        root = private.work_tree
        self._watch = TreeWatch.begin(root, folders, left_out_of(root, self._without))

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = None


def write_packed_tree(private: PrivateGit) -> str:
    """As write-tree, for a tree most of whose folders are new: one pack is made durable, and not each of them."""
    with tempfile.TemporaryDirectory(prefix="trees-", dir=private.directory) as scratch:
        objects = private.directory / "objects"
        env = {"GIT_OBJECT_DIRECTORY": scratch, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}
        tree = private.run("-c", "core.fsync=none", "write-tree", env=env).strip()
        written = [os.fsencode(path.parent.name + path.name) for path in Path(scratch).glob("[0-9a-f][0-9a-f]/*")]
        if written:
            pack = str(objects / "pack" / "pack")
            private.run("pack-objects", "-q", pack, stdin=b"".join(name + b"\n" for name in written), env=env)
    return tree.decode()


def _line(name: bytes, one: IndexedFile) -> bytes:
    return b"%s %s\t%s\0" % (one.mode, one.blob, name)
