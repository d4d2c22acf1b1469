"""Reading: from memory where nothing has changed, else from the files, else from an older place."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Generic, NamedTuple, assert_never

import orjson

from loopwright.core.errors import Corrupt, Invalid, NewerSchema, NotFound, StoreError
from loopwright.core.record import Event
from loopwright.store import patch, projection
from loopwright.store.disk import Disk
from loopwright.store.hold import Hold, look_held
from loopwright.store.kind import Document, Kind, S, with_incident
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
from loopwright.store.lease import no_writer
from loopwright.store.paths import Paths

KEPT = 256


class Cache(Generic[S]):
    """The last used `Known` by id. Entries are hints: whoever takes one checks it against the files."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._known: OrderedDict[str, Known[S]] = OrderedDict()

    def get(self, id: str) -> Known[S] | None:
        with self._mutex:
            known = self._known.get(id)
            if known is not None:
                self._known.move_to_end(id)
            return known

    def put(self, id: str, known: Known[S]) -> None:
        with self._mutex:
            self._known[id] = known
            self._known.move_to_end(id)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)

    def drop(self, id: str) -> None:
        with self._mutex:
            self._known.pop(id, None)


class Legacy(Generic[S]):
    """The old files under one project root, by the id that each has now."""

    def __init__(self, disk: Disk, kind: Kind[S], root: Path) -> None:
        self._disk, self._kind, self._root = disk, kind, root
        self._places: dict[str, tuple[Path, str]] | None = None

    def find(self, id: str, now: str) -> S | None:
        """The old state with this id. Places are searched once; `states` searches them again."""
        if self._places is None:
            self.states(now)
        place = self._places.get(id) if self._places else None
        return self._read(*place, now) if place else None

    def states(self, now: str) -> tuple[dict[str, S], dict[str, str]]:
        """All old states that can be read, and for the others the reason by name."""
        found: dict[str, S] = {}
        places: dict[str, tuple[Path, str]] = {}
        damaged: dict[str, str] = {}
        for path, name in self._kind.legacy(self._root).items():
            try:
                state = self._read(path, name, now)
            except (Invalid, StoreError) as error:
                damaged[name] = f"{path.relative_to(self._root)}: {error}"
                continue
            id = self._kind.id_of(state)
            if id not in found:
                found[id], places[id] = state, (path, name)
        self._places = places
        return found, damaged

    def _read(self, path: Path, name: str, now: str) -> S:
        data = self._disk.read(str(path)) or b""
        try:
            raw = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise Invalid(f"not JSON: {error}") from error
        beside = {}
        for suffix in self._kind.side_files:
            text = self._disk.read(str(path.with_suffix(f".{suffix}")))
            if text is not None:
                beside[suffix] = text.decode(errors="replace")
        return self._kind.read(Document(raw, name, now, beside))[0]


EXTERNAL = "external"


class Settlement(NamedTuple, Generic[S]):
    """`known` is the state to build on; with an `event`, `state` has to be committed on top of it first."""

    known: Known[S]
    state: S
    actor: str
    event: Event | None
    quarantine: bool = False


def settle(kind: Kind[S], view: View[S], base: S | None, now: str, *, id: str) -> Settlement[S]:
    """`base` is the state whose projection the file was made from, where the finding is a change from outside."""
    known = view.known
    if view.forged:
        return _forged(view, now)
    match view.finding:
        case Finding.OURS | Finding.MISSING:
            return Settlement(known, known.state, EXTERNAL, None)
        case Finding.ALONE:
            return Settlement(known, known.state, "store", Event(type="journal_started", data={"rev": known.seq}))
        case Finding.BROKEN:
            return _put_back(known, "its JSON file could not be read", now)
        case Finding.AHEAD:
            return _ahead(kind, view, now, id)
        case Finding.FOREIGN:
            return _foreign(kind, view, base or known.state, now, id)
        case _:
            assert_never(view.finding)


def _forged(view: View[S], now: str) -> Settlement[S]:
    """Lines that gave themselves out as commits; a file that another program wrote meanwhile is kept aside."""
    names = ", ".join(view.forged)
    state = with_incident(view.known.state, "journal_forged", f"another program changed {names}; reverted", now)
    event = Event(type="journal_forged", data={"put_back": [*view.forged]})
    strange = view.finding in (Finding.FOREIGN, Finding.BROKEN)
    return Settlement(view.known, state, EXTERNAL, event, quarantine=strange)


def _put_back(known: Known[S], why: str, now: str) -> Settlement[S]:
    state = with_incident(known.state, "state_put_back", f"{why}; the last committed state was restored", now)
    event = Event(type="state_put_back", data={"reason": why})
    return Settlement(known, state, EXTERNAL, event, quarantine=True)


def _ahead(kind: Kind[S], view: View[S], now: str, id: str) -> Settlement[S]:
    """A genuine file that is newer than the journal: the journal has lost lines."""
    found, known = view.found, view.known
    assert found is not None
    try:
        state, _ = kind.read(Document(found.doc, id, now, {}))
    except Invalid as error:
        return _put_back(known, f"its JSON file made no sense ({error})", now)
    if kind.id_of(state) != id:
        return _put_back(known, f"its JSON file is that of {kind.id_of(state)}", now)
    why = f"the journal ended at {known.seq}, the JSON file stands at {found.rev}"
    base = Known(state, patch.plain(state), found.rev, known.end, known.inode, known.file, whole=True)
    state = with_incident(state, "journal_damaged", f"{why}; the file's state was kept", now)
    return Settlement(base, state, "store", Event(type="journal_damaged", data={"reason": why}))


def _foreign(kind: Kind[S], view: View[S], base: S, now: str, id: str) -> Settlement[S]:
    found, known = view.found, view.known
    assert found is not None
    try:
        state, _ = kind.read(Document(found.doc, id, now, {}))
        if kind.id_of(state) != id:
            return _put_back(known, f"its JSON file is that of {kind.id_of(state)}", now)
        taken, accepted, refused = kind.take_in(base, state, known.state, now)
        projection.render(patch.plain(taken), rev=0, journal_bytes=0)
    except (Invalid, NewerSchema, RecursionError) as error:
        return _put_back(known, f"its JSON file made no sense ({error})", now)
    if refused:
        message = f"another program changed {', '.join(refused)}; reverted"
        taken = with_incident(taken, "external_change_refused", message, now)
    if not accepted and not refused:
        return Settlement(known, known.state, EXTERNAL, None)
    event = Event(type="external_change", data={"accepted": [*accepted], "put_back": [*refused]})
    return Settlement(known, taken, EXTERNAL, event)


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
