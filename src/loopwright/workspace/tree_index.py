"""What a work tree holds: looked at as a whole once, and from then on only where something has changed."""

import os
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from loopwright.core.errors import WorkspaceError
from loopwright.workspace.file_store import (
    UNKNOWN,
    IndexedFile,
    NewEntries,
    add_facts,
    copy_tracked_files,
    facts_file,
    read_facts,
    read_tree,
    stamp_of,
    store_tree,
)
from loopwright.workspace.listing import (
    OURS,
    Repository,
    left_out_of,
    list_beneath,
    list_files,
    list_ignored,
    list_ignored_folders,
    look_at,
)
from loopwright.workspace.private_git import PrivateGit
from loopwright.workspace.tree_watch import TreeChanges, TreeWatch

_ATTEMPTS = 3
_SOON = 120.0
"""Seconds after a look in which another one makes it worth while to watch."""

_MOST_TOLD = 1000
"""Names that git is asked about one by one."""


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
        self.look(private)
        return self._tree

    def look(self, private: PrivateGit) -> None:
        """Finds the files as they are now. WorkspaceError.

        Files come and go meanwhile, and what git has kept may be torn: what fails is begun anew.
        """
        for _ in range(_ATTEMPTS - 1):
            with suppress(OSError, WorkspaceError):
                return self._look(private)
            self._forget(private)
        try:
            return self._look(private)
        except (OSError, WorkspaceError) as error:
            raise WorkspaceError(f"The files of {private.work_tree} could not be read: {error}") from error

    def list_ignored(self, private: PrivateGit) -> list[bytes]:
        """Ignored files, and folders that hold nothing else: these end with a slash."""
        self.look(private)
        return [name for name in list_ignored(private, self._repositories) if name.rstrip(b"/") not in OURS]

    def _forget(self, private: PrivateGit) -> None:
        self._end_watch()
        self._files, self._names, self._tree = {}, None, ""
        (private.directory / private.look).unlink(missing_ok=True)  # git deletes none that is torn
        private.attempt("update-ref", "-d", private.look)
        facts_file(private).unlink(missing_ok=True)

    def _look(self, private: PrivateGit) -> None:
        told = self._changes() if self.is_trusted else None
        if told is not None:
            if not any(told):
                return
            if found := self._look_at_some(private, told):
                self._read(private, *found)
                return
        began = time.time_ns()
        try:
            self._read(private, self._look_at_all(private), set(), began=began)
        except BaseException:
            self._end_watch()  # it has told of what was not read
            raise
        self.is_trusted = True

    def _read(
        self, private: PrivateGit, seen: Mapping[bytes, os.stat_result], gone: set[bytes], began: int | None = None
    ) -> None:
        """Of those that were `seen`, what has changed. `began` (ns): when a look at all files did."""
        base, held = (self._tree, self._files) if self._tree else read_last(private)
        known = self._files or read_facts(private)
        if began is not None:
            gone |= held.keys() - seen.keys()
        changed = {name: one for name, one in seen.items() if name not in known or known[name].stamp != stamp_of(one)}
        read: dict[bytes, IndexedFile] = {}
        if began is not None and len(changed) > _MOST_TOLD:
            for one in self._repositories:
                read |= copy_tracked_files(private, one, changed, began)
        fresh: dict[bytes, IndexedFile] = {}

        def plan(stored: Mapping[bytes, IndexedFile]) -> NewEntries:
            read.update(stored)
            gone.update(changed.keys() - read.keys())
            fresh.update((name, read.get(name) or known[name]) for name in seen if name not in gone)
            entries: dict[bytes, IndexedFile | None] = dict.fromkeys(name for name in gone if name in held)
            return entries | {name: one for name, one in fresh.items() if name not in held or held[name][1:] != one[1:]}

        unread = {name: one for name, one in changed.items() if name not in read}
        tree = base if base and not unread and not plan({}) else store_tree(private, base, unread, plan)
        if any(name not in self._files for name in fresh) or any(name in self._files for name in gone):
            self._names = None
        self._files.update(fresh)
        for name in gone:
            self._files.pop(name, None)
        self._linked = self._linked - seen.keys() - gone | {name for name, one in seen.items() if one.st_nlink > 1}
        self._tree = tree
        add_facts(private, read)
        self._pending = TreeChanges(set(), set())

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

    def _look_at_all(self, private: PrivateGit) -> Mapping[bytes, os.stat_result]:
        """Every file as it is now. Watches first, so that nothing is missed in between."""
        self._end_watch()
        if self._listed is not None:
            return self._listed()
        if time.monotonic() < self._looked + _SOON:
            self._begin_watch(private)
        listing = list_files(private, without=self._without)
        if listing.repositories != self._repositories:
            self._end_watch()
            self._repositories = listing.repositories
        self._pending, self._looked = TreeChanges(set(), set()), time.monotonic()
        return listing.seen

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
                ignored = list_ignored_folders(private, self._repositories, told.folders)
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
        ignored, root = list_ignored_folders(private, self._repositories), private.work_tree
        self._watch = TreeWatch.begin(root, ignored, left_out_of(root, self._without))

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = None


def drop_looks(private: PrivateGit, index: str) -> None:
    """Forgets what is known of work trees; `index` is the name of theirs, or a pattern."""
    for ref in private.run("for-each-ref", "--format=%(refname)", f"refs/looks/{index}").decode().split():
        private.run("update-ref", "-d", ref)
    for facts in private.directory.glob(f"{index}.files"):
        facts.unlink()


def read_last(private: PrivateGit) -> tuple[str, dict[bytes, IndexedFile]]:
    """The tree that was written last, maybe by another process, and what it holds; empty where that is not known."""
    with suppress(WorkspaceError):
        tree = private.run("rev-parse", "--verify", "--quiet", f"{private.look}^{{tree}}").decode().strip()
        return tree, {name: IndexedFile(UNKNOWN, *held) for name, held in read_tree(private, tree).items()}
    return "", {}
