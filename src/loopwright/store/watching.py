"""Changes of a store's files, as the kernel tells of them: for an event loop that waits."""

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from loopwright.ports.watching import Changes
from loopwright.store.paths import JOURNAL, PROGRESS, STATE, Paths, id_in
from loopwright.store.watch import CREATE, DELETE, INTERESTING, IS_FOLDER, LOST, MOVED_TO, OVERFLOW, Inotify, Told

COMING = CREATE | MOVED_TO
ANEW = LOST & ~OVERFLOW


class Way(NamedTuple):
    """The number of a folder that is watched; `awaited`: the next name on the way to the one that is wanted."""

    main: int
    awaited: str | None


def begun(inotify: Inotify, folder: Path, root: Path) -> Way | None:
    """Watches `folder`, or the last one on the way to it that is there. None, and closed, where that can not be."""
    if (main := inotify.add(folder, INTERESTING | CREATE)) is not None:
        return Way(main, None)
    for child in (folder, *folder.parents):
        if child == root:
            break
        main = inotify.add(child.parent, COMING | INTERESTING)
        if main is not None and not child.exists():
            return Way(main, child.name)
    inotify.close()
    return None


class FolderWatching:
    """Of the folder of one kind of states; where that is not there yet, of the coming of the way to it."""

    def __init__(self, inotify: Inotify, folder: Path, main: int, awaited: str | None) -> None:
        self._inotify, self._folder = inotify, folder
        self._main, self._awaited = main, awaited
        self._heard: dict[str, int | None] = {}
        self._ids: dict[int, str] = {}
        self._shown: set[str] = set()
        self._written: set[str] = set()
        self._noted: set[str] = set()

    @classmethod
    def on(cls, folder: Path, root: Path) -> "FolderWatching | None":
        """`folder` lies below `root`, which exists. None where the system gives no watch."""
        inotify = Inotify.opened()
        way = begun(inotify, folder, root) if inotify else None
        return cls(inotify, folder, *way) if inotify and way else None

    def fileno(self) -> int:
        return self._inotify.fd

    def changes(self) -> Changes | None:
        """See ports.watching.Watching."""
        for told in self._inotify.told():
            if told.mask & OVERFLOW or (told.folder == self._main and told.mask & ANEW):
                return None
            if self._awaited is not None:
                if told.name == self._awaited:
                    return None
            elif told.folder == self._main:
                self._sort(told)
            else:
                self._note(told)
        found = Changes(frozenset(self._shown), frozenset(self._written - self._shown), frozenset(self._noted))
        self._shown, self._written, self._noted = set(), set(), set()
        return found

    def hear(self, id: str) -> None:
        """See ports.watching.Watching."""
        self._heard[id] = None
        self._attend(id)

    def ignore(self, id: str) -> None:
        """See ports.watching.Watching."""
        self._heard.pop(id, None)
        self._leave(id)

    def close(self) -> None:
        self._inotify.close()

    def _sort(self, told: Told) -> None:
        id = id_in(told.name)
        if id is None:
            return
        if told.name.endswith(PROGRESS):
            self._attend(id)
        elif told.name.endswith(STATE) or told.mask & DELETE:
            self._shown.add(id)
        else:
            assert told.name.endswith(JOURNAL)
            self._written.add(id)

    def _note(self, told: Told) -> None:
        """Of a progress folder or one in it; one that went away is attended to when it comes back."""
        id = self._ids.get(told.folder)
        if id is None:
            return
        self._noted.add(id)
        is_main = self._heard.get(id) == told.folder
        if told.mask & ANEW:
            del self._ids[told.folder]
            if is_main:
                self._heard[id] = None
                self._attend(id)
        elif is_main and told.mask & COMING and told.mask & IS_FOLDER:
            self._attend_inside(id)

    def _attend(self, id: str) -> None:
        """Watches the progress folder, if somebody wants to hear of it and it is there."""
        if id not in self._heard:
            return
        number = self._inotify.add(Paths.of(self._folder, id).progress, INTERESTING | CREATE)
        before = self._heard[id]
        if before is not None and before != number:
            self._leave(id)
        self._heard[id] = number
        if number is not None:
            self._ids[number] = id
            self._noted.add(id)
            self._attend_inside(id)

    def _attend_inside(self, id: str) -> None:
        """Watches the folders in it too; to add one again changes nothing."""
        with contextlib.suppress(OSError), os.scandir(Paths.of(self._folder, id).progress) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    continue
                number = self._inotify.add(Path(entry.path), INTERESTING | CREATE)
                if number is not None:
                    self._ids[number] = id

    def _leave(self, id: str) -> None:
        for number in [number for number, known in self._ids.items() if known == id]:
            del self._ids[number]
            self._inotify.remove(number)
