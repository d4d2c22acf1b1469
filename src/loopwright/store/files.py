"""The store on plain files: see `writer` for how a state changes and `source` for how it is read."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic

from loopwright.domain.errors import Conflict, Corrupt, NotFound, StoreError
from loopwright.domain.events import Entry, Event
from loopwright.ports import Clock, Lease, Page, Rule
from loopwright.ports.watching import Shown, Watching
from loopwright.store import history, progress
from loopwright.store.access import Access
from loopwright.store.closing import Closing
from loopwright.store.commit import Stamp
from loopwright.store.disk import Disk, DiskTrouble
from loopwright.store.grouping import Turns
from loopwright.store.homes import HomesWatching
from loopwright.store.index import Index
from loopwright.store.kind import Kind, S, with_next_epoch
from loopwright.store.known import Deleted, Known, read_journal, state_at
from loopwright.store.lease import HeldLease, Seat, holder
from loopwright.store.locks import Flock
from loopwright.store.network import network_type
from loopwright.store.paths import Paths
from loopwright.store.place import Place
from loopwright.store.recovery import rescue
from loopwright.store.removal import Removal
from loopwright.store.request import HandedOver, Request
from loopwright.store.source import Source
from loopwright.store.watching import FolderWatching
from loopwright.store.writer import Writer

LOOKED = Event(type="looked")


class FileStore(Closing, Generic[S]):
    """States of one kind under the project `root`, as ports.Store promises. Close it, or use it as a context."""

    def __init__(
        self, root: Path, kind: Kind[S], clock: Clock, *, unsafe_fs: bool = False, disk: Disk | None = None
    ) -> None:
        self.root = root.resolve()
        if not unsafe_fs and (network := network_type(self.root)):
            raise StoreError(
                f"{self.root} is on a network file system ({network}), where a crash can lose what was kept"
                f"; use a local folder, or set unsafe_fs = true"
            )
        self._disk = disk or Disk()
        self._kind = kind
        self._place = Place(self._disk, self.root, kind.folder)
        self._folder = self._place.folder
        self._source = Source(self._disk, kind, self.root)
        self._writer = Writer(self._disk, kind, clock, self._source)
        self._layout = kind.layout(self._folder)
        self._index = Index(self._disk, self._layout, self._source, self._writer.now, self._finish_deletion)
        self._removal = Removal(self._disk, self._folder, self._source, self._writer.now)
        self._access = Access(self._disk, self._place, self._source, self._writer, self._removal)
        self._turns: dict[str, Turns[Request[S]]] = {}

    def close(self) -> None:
        """Ends the watch and tidies up. What was acknowledged is on disk already."""
        self._index.close()
        for paths in map(self._paths, self._turns):
            with contextlib.suppress(StoreError), DiskTrouble():
                self._access.tidy(paths)

    @DiskTrouble()
    def create(self, state: S, *, actor: str) -> S:
        """See ports.Store."""
        paths = self._paths(self._kind.id_of(state))
        self._place.make(paths)
        lock = Flock.ensure(paths.lock)
        try:
            self._refuse_existing(paths)
            now = self._writer.now()
            nothing: Known[S] = Known(state, {}, 0, 0, 0, None, whole=True)
            step = self._writer.step(nothing, state, Stamp(now, actor, Event(type="created")))
            known = self._writer.append(paths, nothing, step.known, [step.line])
            known = self._writer.projections.write(paths, known)
            self._source.cache.put(paths.id, known)
            return known.state
        finally:
            lock.release()

    @DiskTrouble()
    def read(self, id: str) -> S:
        """See ports.Store. The process that drives the state puts right on the way what others did to its files."""
        paths = self._paths(id)
        hold = self._source.holds.get(id)
        if hold is None:
            return self._source.read(paths, self._writer.now())
        known = self._source.cached(paths) if hold.seat.is_in_place else None
        return known.state if known else self.update(id, _unchanged, actor="runner", event=LOOKED)

    @DiskTrouble()
    def read_at(self, id: str, rev: int) -> S:
        """See ports.Store. Costs a replay of the journal."""
        paths = self._paths(id)
        self.read(id)
        state = state_at(self._disk, self._kind, paths, rev, self._writer.now())
        if state is None:
            raise NotFound(f"{self._kind.name} {id} has no commit {rev}")
        return state

    def update(self, id: str, rule: Rule[S], *, actor: str, event: Event, epoch: int | None = None) -> S:
        """See ports.Store."""
        paths = self._paths(id)
        request = Request(rule, actor, event, epoch)
        turns = self._turns.get(id) or self._turns.setdefault(id, Turns(self._turn(paths)))
        turns.run(request)
        if request.error:
            raise request.error
        assert request.result is not None
        return request.result

    @DiskTrouble()
    def list(self, *, status: str | None = None, limit: int = 50, offset: int = 0, search: str = "") -> Page[S]:
        """See ports.Store. Newest first."""
        return self._index.page(status, limit, offset, search)

    @DiskTrouble()
    def damaged(self) -> Mapping[str, str]:
        """See ports.Store."""
        return self._index.damaged()

    @DiskTrouble()
    def events(self, id: str, after: int = 0) -> Sequence[Entry]:
        """See ports.Store. Costs what the new entries cost, however long the journal is."""
        paths = self._paths(id)
        entries = history.entries(self._disk, paths, after)
        acknowledged = self.read(id).engine.rev
        return tuple(entry for entry in entries if entry.seq <= acknowledged)

    @DiskTrouble()
    def shown(self, id: str, after: int = 0) -> Shown[S]:
        """See ports.watching.Watchable."""
        paths = self._paths(id)
        state = self._source.shown(paths, self._writer.now())
        return Shown(state, tuple(e for e in history.entries(self._disk, paths, after) if e.seq <= state.engine.rev))

    @DiskTrouble()
    def revs(self) -> Mapping[str, int]:
        """See ports.watching.Watchable."""
        return self._index.revs()

    def watch(self) -> Watching | None:
        """See ports.watching.Watchable."""
        if self._layout.homes is None:
            return FolderWatching.on(self._folder, self.root)
        return HomesWatching.on(self._layout, self.root)

    @DiskTrouble()
    def recover(self, id: str, *, actor: str) -> S:
        """See ports.Store. A damaged journal is kept beside the new one, even where the JSON file made up for it."""
        paths = self._paths(id)
        request: Request[S] = Request(_unchanged, actor, Event(type="recovered"), None)
        with self._access.locked(paths):
            self._writer.refuse_uncertain(id)
            with contextlib.suppress(Corrupt):
                self._writer.carry_out(paths, [request], lambda: False)
            if request.result is None or read_journal(self._disk, paths).rest == "damage":
                return self._writer.restart(paths, rescue(self._disk, self._kind, paths, self._writer.now()), actor)
        return request.result

    @DiskTrouble()
    def delete(self, id: str, *, actor: str) -> None:
        """See ports.Store."""
        paths = self._paths(id)
        with self._access.locked(paths):
            held = Flock.at_once(paths.lease)
            if held is None:
                raise Conflict(f"{self._kind.name} {id} is being driven by process {self.holder(id)}")
            try:
                with contextlib.suppress(Corrupt, Deleted):
                    self._writer.bury(paths, actor)
                self._removal.remove(paths)
            finally:
                held.release()

    @contextlib.contextmanager
    def lease(self, id: str) -> Iterator[Lease]:
        """See ports.Store."""
        paths = self._paths(id)
        self.read(id)
        with DiskTrouble():
            self._place.make(paths)
            seat = Seat.take(self._disk, str(self.root), id, paths.lease)
        if seat is None:
            raise Conflict(f"{self._kind.name} {id} is being driven by process {self.holder(id)}")
        try:
            if read_journal(self._disk, paths).rest == "damage":
                self.recover(id, actor="runner")
            state = self.update(id, with_next_epoch, actor="runner", event=Event(type="lease_taken"))
            with self._access.held(paths, seat):
                yield HeldLease(state.engine.epoch)
        finally:
            seat.release()

    @DiskTrouble()
    def holder(self, id: str) -> int | None:
        """See ports.Store."""
        return holder(self._disk, self._paths(id).lease)

    @DiskTrouble()
    def write_progress(self, id: str, files: Mapping[str, bytes]) -> None:
        """See ports.Store."""
        paths = self._paths(id)
        self._access.in_place(paths, lambda: progress.write(self._disk, paths, files))

    @DiskTrouble()
    def append_progress(self, id: str, name: str, lines: Sequence[bytes]) -> None:
        """See ports.Store."""
        paths = self._paths(id)
        self._access.in_place(paths, lambda: progress.append(self._disk, paths, name, lines))

    @DiskTrouble()
    def kept(self, id: str) -> Sequence[Path]:
        """See ports.Store."""
        base = Path(self._paths(id).base)
        return sorted(base.parent.glob(f"{base.name}.*.damaged-*"))

    def progress_path(self, id: str) -> Path:
        """See ports.Store."""
        return self._paths(id).progress

    def _paths(self, id: str) -> Paths:
        return self._layout.paths(id)

    def _turn(self, paths: Paths) -> Callable[[Sequence[Request[S]], Callable[[], bool]], None]:
        def work(requests: Sequence[Request[S]], busy: Callable[[], bool]) -> None:
            with HandedOver(*requests), DiskTrouble():
                self._access.in_place(paths, lambda: self._locked(paths, requests, busy))

        return work

    def _locked(self, paths: Paths, requests: Sequence[Request[S]], busy: Callable[[], bool]) -> None:
        with self._access.locked(paths):
            self._writer.carry_out(paths, requests, busy)

    def _refuse_existing(self, paths: Paths) -> None:
        try:
            self._source.view(paths, self._writer.now())
        except Deleted:
            self._removal.clear(paths)
        except NotFound:
            return
        except StoreError as error:
            raise Conflict(f"{self._kind.name} {paths.id} exists, but can not be read: {error}") from error
        else:
            raise Conflict(f"{self._kind.name} {paths.id} exists already")

    def _finish_deletion(self, id: str) -> None:
        paths = self._paths(id)
        with contextlib.suppress(NotFound), self._access.locked(paths):
            self._source.view(paths, self._writer.now())


def _unchanged(state: S) -> S:
    return state
