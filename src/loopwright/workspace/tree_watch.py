"""What changes in a work tree between two looks at it, as the kernel tells it, and where it does not tell all."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loopwright.core.threads import check_cancelled, tell
from loopwright.processes import inotify
from loopwright.workspace.listing import is_left_out

_WANTED = (
    inotify.MODIFY
    | inotify.ATTRIB
    | inotify.CLOSE_WRITE
    | inotify.MOVED_FROM
    | inotify.MOVED_TO
    | inotify.CREATE
    | inotify.DELETE
    | inotify.DELETE_SELF
    | inotify.MOVE_SELF
    | inotify.NO_LINK
)
_GONE = inotify.MOVED_FROM | inotify.DELETE
_RULES = (b".gitignore", b".git")
"""Whatever happens to these, other files may belong to the project."""


class TreeChanges(NamedTuple):
    """What may have changed: files, and folders with all that lies or lay in them. Project-relative names."""

    files: set[bytes]
    folders: set[bytes]


class TreeWatch:
    """A watch of all folders below a root that may hold files of the project.

    The kernel notes a change before the call that makes it returns: `changes` misses none of those made by calls on
    these folders. It cannot see a change by a hard link elsewhere, or by memory that maps a file which was closed.
    """

    def __init__(self, root: Path, notes: inotify.Inotify, left_out: tuple[bytes, ...]) -> None:
        self._root = os.fsencode(root)
        self._notes = notes
        self._left_out = left_out
        self._folders: dict[int, bytes] = {}
        """By number: the name, with a slash at its end where it is not the root's."""
        self.met_repository = False
        """Whether a folder that came in held a repository of its own."""

    @classmethod
    def begin(cls, root: Path, ignored: frozenset[bytes], left_out: tuple[bytes, ...]) -> "TreeWatch | None":
        """`ignored`: folders that are not watched. None where the system has no such thing, or no more of it."""
        notes = inotify.Inotify.opened()
        if notes is None:
            return None
        watch = cls(root, notes, left_out)
        if watch.extend(b"", ignored):
            watch.met_repository = False
            return watch
        watch.close()
        return None

    def extend(self, folder: bytes, ignored: frozenset[bytes]) -> bool:
        """Watches the folder and those in it. False where the system gives no more watches."""
        waiting = [folder]
        while waiting:
            name = waiting.pop()
            prefix = name + b"/" if name else b""
            path = os.path.join(self._root, name)
            number = self._notes.add(path, _WANTED)
            if number is None:
                if os.path.isdir(path) and not os.path.islink(path) and os.access(path, os.R_OK | os.X_OK):
                    return False
                continue  # gone, or not to be read by anybody
            self._folders[number] = prefix
            check_cancelled()
            waiting += [one for one in self._inside(prefix) if one not in ignored]
        return True

    def _inside(self, prefix: bytes) -> Iterator[bytes]:
        """The folders there that may hold files of the project."""
        try:
            with os.scandir(os.path.join(self._root, prefix)) as entries:
                inside = [one.name for one in entries if one.is_dir(follow_symlinks=False) or one.name == b".git"]
        except OSError:
            return
        self.met_repository = self.met_repository or any(name == b".git" for name in inside)
        names = (prefix + name for name in inside if name != b".git")
        yield from (name for name in names if not is_left_out(name, self._left_out))

    def changes(self) -> TreeChanges | None:
        """Since the last time. None: more than is known; whoever gets it looks at everything, and begins anew."""
        files: set[bytes] = set()
        folders: set[bytes] = set()
        for note in self._notes.told():
            if note.folder == -1 or note.mask & inotify.UNMOUNT:
                tell("the system lost track of what changes in the project; looking at all files")
                return None
            if note.mask & inotify.IGNORED:
                self._folders.pop(note.folder, None)
                continue
            prefix = self._folders.get(note.folder)
            if prefix is None:
                continue
            if note.mask & (inotify.DELETE_SELF | inotify.MOVE_SELF):
                if not prefix:
                    return None
                continue  # its parent tells
            base = os.fsencode(note.name)
            name = prefix + base
            if is_left_out(name, self._left_out):
                continue
            if base in _RULES:
                return None
            if not note.mask & inotify.IS_FOLDER:
                files.add(name)
            elif base:
                folders.add(name)
                if note.mask & _GONE:
                    self._drop(name + b"/")
        return TreeChanges(files, folders)

    def _drop(self, prefix: bytes) -> None:
        """What is told of a folder that has moved has another name now."""
        for number in [number for number, known in self._folders.items() if known.startswith(prefix)]:
            del self._folders[number]
            self._notes.remove(number)

    def close(self) -> None:
        """Once is enough."""
        self._notes.close()
