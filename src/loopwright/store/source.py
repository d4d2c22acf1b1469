"""Reading: from memory where nothing has changed, else from the files, else from an older place."""

import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Generic, NamedTuple, assert_never

import orjson

from loopwright.core.errors import Corrupt, Invalid, NewerSchema, NotFound, StoreError
from loopwright.core.record import JournalEvent
from loopwright.store import patch, projection
from loopwright.store.disk import Disk
from loopwright.store.kind import ParsedDocument, S, StateKind, with_incident
from loopwright.store.lease import exclude_writers
from loopwright.store.leased_state import LeasedState, read_leased_state
from loopwright.store.mac_chain import KindSeals
from loopwright.store.paths import StatePaths
from loopwright.store.state_reader import (
    CommittedState,
    DeletedState,
    ProjectionStatus,
    StateView,
    committed_in_file,
    is_latest,
    read_projection,
    read_state,
    stat_journal,
    state_at,
)

KEPT = 256


class StateCache(Generic[S]):
    """The last used `Known` by id. Entries are hints: whoever takes one checks it against the files."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._known: OrderedDict[str, CommittedState[S]] = OrderedDict()

    def get(self, id: str) -> CommittedState[S] | None:
        with self._mutex:
            known = self._known.get(id)
            if known is not None:
                self._known.move_to_end(id)
            return known

    def put(self, id: str, known: CommittedState[S]) -> None:
        with self._mutex:
            self._known[id] = known
            self._known.move_to_end(id)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)

    def drop(self, id: str) -> None:
        with self._mutex:
            self._known.pop(id, None)


class LegacyFiles(Generic[S]):
    """The old files under one project root, by the id that each has now."""

    def __init__(self, disk: Disk, kind: StateKind[S], root: Path) -> None:
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
        return self._kind.read(ParsedDocument(raw, name, now, beside))[0]


EXTERNAL = "external"


class ReconciledState(NamedTuple, Generic[S]):
    """`known` is the state to build on; with an `event`, `state` has to be committed on top of it first."""

    known: CommittedState[S]
    state: S
    actor: str
    event: JournalEvent | None
    quarantine: bool = False


def reconcile_state(kind: StateKind[S], view: StateView[S], base: S | None, now: str, *, id: str) -> ReconciledState[S]:
    """`base` is the state whose projection the file was made from, where the finding is a change from outside."""
    known = view.known
    if view.forged:
        return _forged(view, now)
    match view.finding:
        case ProjectionStatus.OURS | ProjectionStatus.MISSING:
            return ReconciledState(known, known.state, EXTERNAL, None)
        case ProjectionStatus.ALONE:
            return ReconciledState(
                known, known.state, "store", JournalEvent(type="journal_started", data={"rev": known.seq})
            )
        case ProjectionStatus.BROKEN:
            return _put_back(known, "its JSON file could not be read", now)
        case ProjectionStatus.AHEAD:
            return _ahead(kind, view, now, id)
        case ProjectionStatus.FOREIGN:
            return _foreign(kind, view, base or known.state, now, id)
        case _:
            assert_never(view.finding)


def _forged(view: StateView[S], now: str) -> ReconciledState[S]:
    """Lines that gave themselves out as commits; a file that another program wrote meanwhile is kept aside."""
    names = ", ".join(view.forged)
    words = view.foreign or f"another program changed {names}; reverted"
    state = with_incident(view.known.state, "journal_forged", words, now)
    event = JournalEvent(type="journal_forged", data={"put_back": [*view.forged]})
    strange = view.finding in (ProjectionStatus.FOREIGN, ProjectionStatus.BROKEN)
    return ReconciledState(view.known, state, EXTERNAL, event, quarantine=strange)


def _put_back(known: CommittedState[S], why: str, now: str) -> ReconciledState[S]:
    state = with_incident(known.state, "state_put_back", f"{why}; the last committed state was restored", now)
    event = JournalEvent(type="state_put_back", data={"reason": why})
    return ReconciledState(known, state, EXTERNAL, event, quarantine=True)


def _ahead(kind: StateKind[S], view: StateView[S], now: str, id: str) -> ReconciledState[S]:
    """A genuine file that is newer than the journal: the journal has lost lines."""
    found, known = view.found, view.known
    assert found is not None
    try:
        state, _ = kind.read(ParsedDocument(found.doc, id, now, {}))
    except Invalid as error:
        return _put_back(known, f"its JSON file made no sense ({error})", now)
    if kind.id_of(state) != id:
        return _put_back(known, f"its JSON file is that of {kind.id_of(state)}", now)
    why = f"the journal ended at {known.seq}, the JSON file is at {found.rev}"
    base = CommittedState(state, patch.to_json(state), found.rev, known.end, known.inode, known.file, whole=True)
    base = replace(base, mac=known.mac)
    state = with_incident(state, "journal_damaged", f"{why}; the file's state was kept", now)
    return ReconciledState(base, state, "store", JournalEvent(type="journal_damaged", data={"reason": why}))


def _foreign(kind: StateKind[S], view: StateView[S], base: S, now: str, id: str) -> ReconciledState[S]:
    found, known = view.found, view.known
    assert found is not None
    try:
        state, _ = kind.read(ParsedDocument(found.doc, id, now, {}))
        if kind.id_of(state) != id:
            return _put_back(known, f"its JSON file is that of {kind.id_of(state)}", now)
        taken, accepted, refused = kind.take_in(base, state, known.state, now)
        projection.render_projection(patch.to_json(taken), rev=0, journal_bytes=0)
    except (Invalid, NewerSchema, RecursionError) as error:
        return _put_back(known, f"its JSON file made no sense ({error})", now)
    if refused:
        message = f"another program changed {', '.join(refused)}; reverted"
        taken = with_incident(taken, "external_change_refused", message, now)
    if not accepted and not refused:
        return ReconciledState(known, known.state, EXTERNAL, None)
    event = JournalEvent(type="external_change", data={"accepted": [*accepted], "put_back": [*refused]})
    return ReconciledState(known, taken, EXTERNAL, event)


LOOKS = 3
"""A reader takes no lock: what looks damaged may have been replaced under its eyes."""


class StateSource(Generic[S]):
    """Reads states and never writes. `holds` are those that this process drives.

    `unsynced`: how long the journals are with what this process has appended to them and not made durable yet.
    """

    def __init__(self, disk: Disk, kind: StateKind[S], root: Path, seals: KindSeals) -> None:
        self._disk, self.kind, self.seals = disk, kind, seals
        self.cache: StateCache[S] = StateCache()
        self.holds: dict[str, LeasedState[S]] = {}
        self.unsynced: dict[str, int] = {}
        self.legacy = LegacyFiles(disk, kind, root)

    def read(self, paths: StatePaths, now: str) -> S:
        """The last committed state, with legal changes from outside that no writer has taken in yet."""
        known = self.cached(paths)
        if known:
            return known.state
        view = self._acknowledged(paths, now)
        if view.current and paths.id not in self.holds:
            self.cache.put(paths.id, view.known)
        if view.forged or view.finding in (ProjectionStatus.FOREIGN, ProjectionStatus.AHEAD):
            return self.settle(paths, view, now).state
        return view.known.state

    def shown(self, paths: StatePaths, now: str) -> S:
        """What the JSON file shows, where that is a committed state of the journal; else what `read` finds."""
        if paths.id not in self.holds and (state := self._in_file(paths, now)):
            return state
        return self.read(paths, now)

    def _in_file(self, paths: StatePaths, now: str) -> S | None:
        return committed_in_file(self._disk, self.kind, paths, now, self.seals(paths.id))

    def cached(self, paths: StatePaths) -> CommittedState[S] | None:
        """What is known, if the files still are what it was made from."""
        return self.cached_beside(paths, read_projection(self._disk, paths))

    def cached_beside(self, paths: StatePaths, file: bytes | None) -> CommittedState[S] | None:
        """As `cached`, for a JSON file that was read just now."""
        known = self.cache.get(paths.id)
        if known is None or file != known.file:
            return None
        journal = stat_journal(paths)
        if journal.inode == known.inode and known.end < journal.size <= self.unsynced.get(paths.id, 0):
            return known
        return known if is_latest(known, journal) else None

    def recent(self, paths: StatePaths, after: int) -> CommittedState[S] | None:
        """What this process has committed last, with every line behind `after`, if the JSON file is still its own.

        Lines of others, which that file does not show yet, may follow.
        """
        known = self.cache.get(paths.id)
        if known and known.entries and known.entries[0].seq <= after + 1:
            return known if read_projection(self._disk, paths) == known.file else None
        return None

    def view(self, paths: StatePaths, now: str) -> StateView[S]:
        """What the files say. NotFound, Corrupt, NewerSchema."""
        hold = self.holds.get(paths.id)
        if hold:
            return read_leased_state(self._disk, self.kind, paths, hold.memory, now, self.seals(paths.id))
        try:
            return read_state(self._disk, self.kind, paths, now, self.seals(paths.id))
        except DeletedState:
            raise
        except NotFound:
            state = self.legacy.find(paths.id, now)
            if state is None:
                raise
        return StateView(
            CommittedState(state, patch.to_json(state), 0, 0, 0, None, whole=True), ProjectionStatus.ALONE, False, None
        )

    def settle(self, paths: StatePaths, view: StateView[S], now: str) -> ReconciledState[S]:
        """What to go on with.

        A file ahead of a journal that we know to be whole is forged. One that was written before the machine started
        proves nothing: a loss of power may have left pages of two of our own in it.
        """
        cached, known, found = self.cache.get(paths.id), view.known, view.found
        base = None
        if view.finding is ProjectionStatus.AHEAD and cached and (cached.inode, cached.seq) == (known.inode, known.seq):
            view = view._replace(finding=ProjectionStatus.FOREIGN)
        elif view.finding is ProjectionStatus.FOREIGN and self._disk.is_older_than_boot(paths.state):
            view = view._replace(finding=ProjectionStatus.BROKEN)
        elif view.finding is ProjectionStatus.FOREIGN and found and not view.forged:
            base = state_at(self._disk, self.kind, paths, found.rev, now, self.seals(paths.id))
        return reconcile_state(self.kind, view, base, now, id=paths.id)

    def _acknowledged(self, paths: StatePaths, now: str) -> StateView[S]:
        """What was acknowledged, and nothing beyond.

        The JSON file is written after the sync. What only the journal has may be a line whose writer still waits for
        its sync, or has to take it back; so that is looked at in a moment without a writer, and made durable.
        """
        view = self._steadily(paths, now)
        if view.current or not view.known.end:
            return view
        with exclude_writers(paths.lock):
            view = self.view(paths, now)
            with self._disk.open(paths.journal) as journal:
                self._disk.sync(journal)
        return view

    def _steadily(self, paths: StatePaths, now: str) -> StateView[S]:
        for _ in range(LOOKS - 1):
            try:
                return self.view(paths, now)
            except Corrupt:
                continue
        return self.view(paths, now)
