"""Reading: from memory where nothing has changed, else from the files, else from an older place."""

from pathlib import Path
from typing import Generic

from loopwright.domain.errors import Corrupt, NotFound
from loopwright.store import patch
from loopwright.store.cache import Cache
from loopwright.store.disk import Disk
from loopwright.store.hold import Hold, look_held
from loopwright.store.kind import Kind, S
from loopwright.store.known import (
    Deleted,
    Finding,
    Known,
    View,
    committed_in_file,
    is_latest,
    journal_of,
    look,
    projection_in,
    state_at,
)
from loopwright.store.legacy import Legacy
from loopwright.store.locks import no_writer
from loopwright.store.paths import Paths
from loopwright.store.settle import Settlement, settle

LOOKS = 3
"""A reader takes no lock: what looks damaged may have been replaced under its eyes."""


class Source(Generic[S]):
    """Reads states and never writes. `holds` are those that this process drives."""

    def __init__(self, disk: Disk, kind: Kind[S], root: Path) -> None:
        self._disk, self.kind = disk, kind
        self.cache: Cache[S] = Cache()
        self.holds: dict[str, Hold[S]] = {}
        self.legacy = Legacy(disk, kind, root)

    def read(self, paths: Paths, now: str) -> S:
        """The last committed state, with legal changes from outside that no writer has taken in yet."""
        known = self.cached(paths)
        if known:
            return known.state
        view = self._acknowledged(paths, now)
        if view.current and paths.id not in self.holds:
            self.cache.put(paths.id, view.known)
        if view.finding in (Finding.FOREIGN, Finding.AHEAD):
            return self.settle(paths, view, now).state
        return view.known.state

    def shown(self, paths: Paths, now: str) -> S:
        """What the JSON file shows, where that is a committed state of the journal; else what `read` finds."""
        known = self.cached(paths)
        if known:
            return known.state
        if paths.id not in self.holds and (state := committed_in_file(self._disk, self.kind, paths, now)):
            return state
        return self.read(paths, now)

    def cached(self, paths: Paths) -> Known[S] | None:
        """What is known, if the files still are what it was made from."""
        known = self.cache.get(paths.id)
        if known and is_latest(known, journal_of(paths), projection_in(self._disk, paths)):
            return known
        return None

    def view(self, paths: Paths, now: str) -> View[S]:
        """What the files say. NotFound, Corrupt, NewerSchema."""
        hold = self.holds.get(paths.id)
        if hold:
            return look_held(self._disk, self.kind, paths, hold.memory, now)
        try:
            return look(self._disk, self.kind, paths, now)
        except Deleted:
            raise
        except NotFound:
            state = self.legacy.find(paths.id, now)
            if state is None:
                raise
        return View(Known(state, patch.plain(state), 0, 0, 0, None, whole=True), Finding.ALONE, False, None)

    def settle(self, paths: Paths, view: View[S], now: str) -> Settlement[S]:
        """What to go on with.

        A file ahead of a journal that we know to be whole is forged. One that was written before the machine started
        proves nothing: a loss of power may have left pages of two of our own in it.
        """
        cached, known, found = self.cache.get(paths.id), view.known, view.found
        base = None
        if view.finding is Finding.AHEAD and cached and (cached.inode, cached.seq) == (known.inode, known.seq):
            view = view._replace(finding=Finding.FOREIGN)
        elif view.finding is Finding.FOREIGN and self._disk.is_older_than_boot(paths.state):
            view = view._replace(finding=Finding.BROKEN)
        elif view.finding is Finding.FOREIGN and found and not view.forged:
            base = state_at(self._disk, self.kind, paths, found.rev, now)
        return settle(self.kind, view, base, now, id=paths.id)

    def _acknowledged(self, paths: Paths, now: str) -> View[S]:
        """What was acknowledged, and nothing beyond.

        The JSON file is written after the sync. What only the journal has may be a line whose writer still waits for
        its sync, or has to take it back; so that is looked at in a moment without a writer, and made durable.
        """
        view = self._steadily(paths, now)
        if view.current or not view.known.end:
            return view
        with no_writer(paths.lock):
            view = self.view(paths, now)
            with self._disk.open(paths.journal) as journal:
                self._disk.sync(journal)
        return view

    def _steadily(self, paths: Paths, now: str) -> View[S]:
        for _ in range(LOOKS - 1):
            try:
                return self.view(paths, now)
            except Corrupt:
                continue
        return self.view(paths, now)
