"""Changes of states that have folders of their own, as the kernel tells of them: for an event loop that waits."""

import contextlib
import os
from pathlib import Path

from loopwright.ports.watching import Changes
from loopwright.store.paths import JOURNAL, OWN, STATE, Layout
from loopwright.store.watch import CREATE, DELETE, INTERESTING, IS_FOLDER, MOVED_FROM, NO_LINK, OVERFLOW, Inotify, Told
from loopwright.store.watching import ANEW, COMING, begun

WANTED = INTERESTING | CREATE | NO_LINK


class HomesWatching:
    """See ports.watching.Watching. Each state's folder has a watch; what is in it is told only of those that are heard.

    Until the folder above them is there, of the coming of the way to it. `awaited`: see `watching.Way`.
    """

    def __init__(self, inotify: Inotify, layout: Layout, main: int, awaited: str | None) -> None:
        self._inotify, self._layout = inotify, layout
        self._main, self._awaited = main, awaited
        self._homes: dict[int, str] = {}
        self._inner: dict[int, str] = {}
        self._heard: set[str] = set()
        self._shown: set[str] = set()
        self._written: set[str] = set()
        self._noted: set[str] = set()
        self._missed = False

    @classmethod
    def on(cls, layout: Layout, root: Path) -> "HomesWatching | None":
        """None where the system gives no watch, or not enough of them."""
        inotify = Inotify.opened()
        way = begun(inotify, layout.folder, root) if inotify else None
        if inotify is None or way is None:
            return None
        watching = cls(inotify, layout, *way)
        for id in layout.ids() if way.awaited is None else ():
            watching._attend(id)
        if watching._missed:
            inotify.close()
            return None
        return watching

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
            else:
                self._take(told)
        if self._missed:
            return None
        found = Changes(frozenset(self._shown), frozenset(self._written - self._shown), frozenset(self._noted))
        self._shown, self._written, self._noted = set(), set(), set()
        return found

    def changed(self) -> frozenset[str] | None:
        """As `changes`, for those who ask when they need it: ids of all that is not what it was."""
        found = self.changes() if self._inotify.fd >= 0 else None
        return None if found is None else found.shown | found.written

    def hear(self, id: str) -> None:
        """See ports.watching.Watching."""
        self._heard.add(id)
        self._attend_inside(id)

    def ignore(self, id: str) -> None:
        """See ports.watching.Watching."""
        self._heard.discard(id)
        self._noted.discard(id)
        self._leave(self._inner, id)

    def close(self) -> None:
        self._inotify.close()

    def _take(self, told: Told) -> None:
        if told.folder == self._main:
            self._come_or_gone(told)
        elif told.folder in self._homes:
            self._sort(told, self._homes[told.folder])
        elif told.folder in self._inner:
            self._note(told, self._inner[told.folder])

    def _come_or_gone(self, told: Told) -> None:
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

    def _sort(self, told: Told, id: str) -> None:
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

    def _note(self, told: Told, id: str) -> None:
        if told.mask & ANEW:
            self._inner.pop(told.folder, None)
        if id in self._heard:
            self._noted.add(id)
            if told.mask & COMING and told.mask & IS_FOLDER:
                self._attend_inside(id)

    def _attend(self, id: str) -> None:
        if self._add(self._homes, Path(self._layout.paths(id).home), id) and id in self._heard:
            self._noted.add(id)
            self._attend_inside(id)

    def _attend_inside(self, id: str) -> None:
        """Watches the folders in it; to add one again changes nothing."""
        with contextlib.suppress(OSError), os.scandir(self._layout.paths(id).home) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    self._add(self._inner, Path(entry.path), id)

    def _add(self, numbers: dict[int, str], folder: Path, id: str) -> bool:
        """Whether it is watched; one that is gone already is not missed."""
        number = self._inotify.add(folder, WANTED)
        if number is not None:
            numbers[number] = id
        elif folder.is_dir() and not folder.is_symlink():
            self._missed = True
        return number is not None

    def _leave(self, numbers: dict[int, str], id: str) -> None:
        for number in [number for number, known in numbers.items() if known == id]:
            del numbers[number]
            self._inotify.remove(number)
