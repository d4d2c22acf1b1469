"""Changes of a store's files, as the kernel tells of them: for an event loop that waits.

Not by watchfiles: it tells of a change after 10.6 ms and this after 0.2 (after 2.0 at best, for 24 ms of CPU time in
every idle second), from a thread of its own instead of a descriptor to wait for.
"""

import contextlib
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import NamedTuple

from loopwright.core.ports import StateChanges
from loopwright.processes.inotify import (
    CLOSE_WRITE,
    CREATE,
    DELETE,
    DELETE_SELF,
    IGNORED,
    IS_FOLDER,
    MODIFY,
    MOVE_SELF,
    MOVED_FROM,
    MOVED_TO,
    NO_LINK,
    OVERFLOW,
    UNMOUNT,
    Inotify,
    InotifyEvent,
)
from loopwright.store.paths import JOURNAL, OWN, PROGRESS, STATE, KindLayout, StatePaths, parse_id

INTERESTING = MODIFY | CLOSE_WRITE | MOVED_FROM | MOVED_TO | DELETE | DELETE_SELF | MOVE_SELF
COMING = CREATE | MOVED_TO
ANEW = DELETE_SELF | MOVE_SELF | UNMOUNT | IGNORED
"""What is said of a folder that is not watched any more."""
WANTED = INTERESTING | CREATE


class WatchedPath(NamedTuple):
    """The number of a folder that is watched; `awaited`: the next name on the way to the one that is wanted."""

    main: int
    awaited: str | None


def begin_watch(inotify: Inotify, folder: Path, root: Path) -> WatchedPath | None:
    """Watches `folder`, or the last one on the way to it that is there. None, and closed, where that cannot be.

    Files in it are told of when they are closed, or moved: whoever writes a state does that at once.
    """
    if (main := inotify.add(folder, WANTED & ~MODIFY)) is not None:
        return WatchedPath(main, None)
    for child in (folder, *folder.parents):
        if child == root:
            break
        main = inotify.add(child.parent, COMING | INTERESTING)
        if main is not None and not child.exists():
            return WatchedPath(main, child.name)
    inotify.close()
    return None


class StateChangeWatcher(ABC):
    """See core.ports.ChangeWatcher. Until the states' folder is there, of the coming of the way to it."""

    def __init__(self, inotify: Inotify, path: WatchedPath) -> None:
        self._inotify = inotify
        self._main, self._awaited = path
        self._shown: set[str] = set()
        self._written: set[str] = set()
        self._noted: set[str] = set()
        self._moved: set[str] = set()
        """Of whose files something else came or went."""
        self._missed = False

    @abstractmethod
    def _take(self, told: InotifyEvent) -> None: ...

    @abstractmethod
    def hear(self, id: str) -> None: ...

    @abstractmethod
    def ignore(self, id: str) -> None: ...

    def fileno(self) -> int:
        return self._inotify.fd

    def changes(self) -> StateChanges | None:
        for told in self._inotify.told():
            if told.mask & OVERFLOW or (told.folder == self._main and told.mask & ANEW):
                return None
            if self._awaited is None:
                self._take(told)
            elif told.name == self._awaited:
                return None
        if self._missed:
            return None
        found = StateChanges(frozenset(self._shown), frozenset(self._written - self._shown), frozenset(self._noted))
        self._shown, self._written, self._noted, self._moved = set(), set(), set(), set()
        return found

    def changed(self) -> frozenset[str] | None:
        """As `changes`, for those who ask when they need it: ids of all that is not what it was."""
        moved = self._moved
        found = self.changes() if self._inotify.fd >= 0 else None
        return None if found is None else found.shown | found.written | moved

    def close(self) -> None:
        self._inotify.close()

    def _watch_inside(self, folder: Path, numbers: dict[int, str], id: str) -> None:
        """Watches the folders in it; to add one again changes nothing."""
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    self._watch(Path(entry.path), numbers, id)

    def _watch(self, folder: Path, numbers: dict[int, str], id: str) -> int | None:
        number = self._inotify.add(folder, WANTED)
        if number is not None:
            numbers[number] = id
        return number

    def _leave(self, numbers: dict[int, str], id: str) -> None:
        for number in [number for number, known in numbers.items() if known == id]:
            del numbers[number]
            self._inotify.remove(number)


class FolderChangeWatcher(StateChangeWatcher):
    """Of a folder in which the files of all states lie side by side."""

    def __init__(self, inotify: Inotify, folder: Path, path: WatchedPath) -> None:
        super().__init__(inotify, path)
        self._folder = folder
        self._heard: dict[str, int | None] = {}
        self._ids: dict[int, str] = {}

    @classmethod
    def on(cls, folder: Path, root: Path) -> "FolderChangeWatcher | None":
        """`folder` is `root`, which exists, or lies below it. None where the system gives no watch."""
        inotify = Inotify.opened()
        path = begin_watch(inotify, folder, root) if inotify else None
        return cls(inotify, folder, path) if inotify and path else None

    def hear(self, id: str) -> None:
        self._heard[id] = None
        self._attend(id)

    def ignore(self, id: str) -> None:
        self._heard.pop(id, None)
        self._leave(self._ids, id)

    def _take(self, told: InotifyEvent) -> None:
        if told.folder != self._main:
            self._note(told)
        elif id := parse_id(told.name):
            if told.name.endswith(PROGRESS):
                self._moved.add(id)
                self._attend(id)
            elif told.name.endswith(STATE) or told.mask & DELETE:
                self._shown.add(id)
            else:
                assert told.name.endswith(JOURNAL)
                self._written.add(id)

    def _note(self, told: InotifyEvent) -> None:
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
            self._watch_inside(StatePaths.of(self._folder, id).progress, self._ids, id)

    def _attend(self, id: str) -> None:
        """Watches the progress folder, if somebody wants to hear of it and it is there."""
        if id not in self._heard:
            return
        progress = StatePaths.of(self._folder, id).progress
        number = self._inotify.add(progress, WANTED)
        before = self._heard[id]
        if before is not None and before != number:
            self._leave(self._ids, id)
        self._heard[id] = number
        if number is not None:
            self._ids[number] = id
            self._noted.add(id)
            self._watch_inside(progress, self._ids, id)


class HomesChangeWatcher(StateChangeWatcher):
    """Each state's folder has a watch; what is in it is told only of those that are heard."""

    def __init__(self, inotify: Inotify, layout: KindLayout, path: WatchedPath) -> None:
        super().__init__(inotify, path)
        self._layout = layout
        self._homes: dict[int, str] = {}
        self._inner: dict[int, str] = {}
        self._heard: set[str] = set()

    @classmethod
    def on(cls, layout: KindLayout, root: Path) -> "HomesChangeWatcher | None":
        """None where the system gives no watch, or not enough of them."""
        inotify = Inotify.opened()
        path = begin_watch(inotify, layout.folder, root) if inotify else None
        if inotify is None or path is None:
            return None
        watching = cls(inotify, layout, path)
        for id in layout.ids() if path.awaited is None else ():
            watching._attend(id)
        if watching._missed:
            inotify.close()
            return None
        return watching

    def hear(self, id: str) -> None:
        self._heard.add(id)
        self._watch_inside(Path(self._layout.paths(id).home), self._inner, id)

    def ignore(self, id: str) -> None:
        self._heard.discard(id)
        self._noted.discard(id)
        self._leave(self._inner, id)

    def _take(self, told: InotifyEvent) -> None:
        if told.folder == self._main:
            self._come_or_gone(told)
        elif told.folder in self._homes:
            self._sort(told, self._homes[told.folder])
        elif told.folder in self._inner:
            self._note(told, self._inner[told.folder])

    def _come_or_gone(self, told: InotifyEvent) -> None:
        """A folder came or went. What was written into one before its watch is told of at once."""
        id = self._layout.id_in(told.name)
        if id is None:
            return
        if told.mask & (DELETE | MOVED_FROM):
            self._leave(self._homes, id)
            self._leave(self._inner, id)
            self._shown.add(id)
        elif told.mask & COMING and told.mask & IS_FOLDER:
            self._attend(id)
            paths = self._layout.paths(id)
            if os.path.lexists(paths.state):
                self._shown.add(id)
            elif os.path.lexists(paths.journal):
                self._written.add(id)

    def _sort(self, told: InotifyEvent, id: str) -> None:
        """Of a state's own folder; one that goes is told of in the folder above too."""
        if told.mask & ANEW:
            self._homes.pop(told.folder, None)
            self._shown.add(id)
        elif told.name == OWN + STATE or (told.name == OWN + JOURNAL and told.mask & DELETE):
            self._shown.add(id)
        elif told.name == OWN + JOURNAL:
            self._written.add(id)
        elif not told.name.startswith(f"{OWN}."):
            self._note(told, id)

    def _note(self, told: InotifyEvent, id: str) -> None:
        if told.mask & ANEW:
            self._inner.pop(told.folder, None)
        if id in self._heard:
            self._noted.add(id)
            if told.mask & COMING and told.mask & IS_FOLDER:
                self._watch_inside(Path(self._layout.paths(id).home), self._inner, id)

    def _attend(self, id: str) -> None:
        home = Path(self._layout.paths(id).home)
        if self._watch(home, self._homes, id) is not None and id in self._heard:
            self._noted.add(id)
            self._watch_inside(home, self._inner, id)

    def _watch(self, folder: Path, numbers: dict[int, str], id: str) -> int | None:
        """No link in a folder's place is followed; one that is gone already is not missed."""
        number = self._inotify.add(folder, WANTED | NO_LINK)
        if number is not None:
            numbers[number] = id
        elif folder.is_dir() and not folder.is_symlink():
            self._missed = True
        return number


def watch_states(layout: KindLayout, root: Path) -> StateChangeWatcher | None:
    """Of all states of a kind, whose folder is `root` or lies below it. None where the system gives no watch."""
    if layout.homes is None:
        return FolderChangeWatcher.on(layout.folder, root)
    return HomesChangeWatcher.on(layout, root)
