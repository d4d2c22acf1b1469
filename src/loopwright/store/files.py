"""The store on plain files: see `writer` for how a state changes and `source` for how it is read."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic

from loopwright.core.errors import Conflict, Corrupt, NotFound, StoreError
from loopwright.core.ports import Clock, Lease, Page, Rule, Shown, Watching
from loopwright.core.record import Entry, Event
from loopwright.store import progress
from loopwright.store.change_notifier import FolderWatching, HomesWatching
from loopwright.store.commit import Stamp
from loopwright.store.disk import Closing, Disk, DiskTrouble, move_aside
from loopwright.store.hold import Hold, Memory
from loopwright.store.index import Index
from loopwright.store.journal import ANY, Scan, scan
from loopwright.store.kind import Kind, S, with_next_epoch
from loopwright.store.known import CHUNK, Deleted, Known, journal_of, read_journal, state_at
from loopwright.store.lease import Flock, HeldLease, Seat, holder
from loopwright.store.network import network_type
from loopwright.store.paths import Paths
from loopwright.store.recovery import rescue
from loopwright.store.source import Source
from loopwright.store.writer import Displaced, HandedOver, Request, Turns, Writer


class Place:
    """`name` is relative to the project `root`, which always exists."""

    def __init__(self, disk: Disk, root: Path, name: str) -> None:
        self._disk = disk
        self._steps = tuple(root / Path(*Path(name).parts[: n + 1]) for n in range(len(Path(name).parts)))
        self._ignore = self._steps[0] / ".gitignore"
        self.folder = root / name

    def make(self, paths: Paths) -> None:
        """Creates what is missing, with the state's own folder where it has one."""
        self.clear(paths)
        home = Path(paths.home or self.folder)
        if not home.is_dir():
            self._disk.make_folder(home)
            self._hide()

    def clear(self, paths: Paths) -> None:
        """What stands in the place of a state's own folder and is none: nothing is written through a link."""
        if paths.home and os.path.lexists(paths.home) and not _is_folder(paths.home):
            move_aside(paths.home)

    @property
    def is_hidden(self) -> bool:
        """Whether the file is there, with whatever in it."""
        return self._ignore.exists()

    def real(self) -> tuple[str, ...]:
        """Where each step of the way leads; differs once a link was put in its place."""
        return tuple(os.path.realpath(step) for step in self._steps)

    def make_again(self, paths: Paths, real: tuple[str, ...]) -> None:
        """As `make`, after somebody put something else in a folder's place; it is moved aside."""
        for step, led_to in zip(self._steps, real, strict=True):
            if os.path.lexists(step) and (not step.is_dir() or os.path.realpath(step) != led_to):
                move_aside(str(step))
        self.make(paths)
        self._hide()

    def _hide(self) -> None:
        if self.is_hidden:
            return
        try:
            self._disk.replace(str(self._ignore), b"*\n")
        except FileNotFoundError:
            if not self.is_hidden:  # else somebody did the same at the same time
                raise


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def read_entries(disk: Disk, paths: Paths, after: int) -> tuple[Entry, ...]:
    """Entries with seq > after. Corrupt when a damaged line is among them."""
    size = journal_of(paths).size
    if not size:
        return ()
    with disk.open(paths.journal) as fd:
        chunk = CHUNK
        while True:
            start = max(0, size - chunk)
            tail = _tail(disk.read_at(fd, start, size - start), start)
            if start == 0 or (tail.lines and tail.lines[0].seq <= after + 1):
                break
            chunk *= 4
    if tail.rest == "damage":
        raise Corrupt(f"the journal {paths.journal} is damaged at byte {tail.end}")
    return tuple(line.entry for line in tail.lines if line.seq > after)


def _tail(data: bytes, start: int) -> Scan:
    """The whole lines in `data`; unless it is a journal's beginning, its first line may have been cut."""
    cut = data.find(b"\n") + 1 if start else 0
    return scan(data[cut:], start + cut, after=ANY if start else None)


class Removal(Generic[S]):
    """Called under the write lock."""

    def __init__(self, disk: Disk, folder: Path, source: Source[S], now: Callable[[], str]) -> None:
        self._disk = disk
        self._folder = folder
        self._source = source
        self._now = now

    def finish(self, paths: Paths) -> None:
        """Removes what a deletion left that was cut short. While somebody drives the state there was none."""
        held = Flock.at_once(paths.lease)
        if held is None:
            return
        try:
            self.remove(paths)
        finally:
            held.release()

    def remove(self, paths: Paths) -> None:
        """Every file of a buried state. Where an older place still has it, the tombstone stays and hides that."""
        if self._source.legacy.find(paths.id, self._now()) is None:
            self.clear(paths)
            self._disk.remove(paths.lease)
            self._disk.remove(paths.lock)
            if paths.home:
                self._disk.remove_folder(paths.home)

    def clear(self, paths: Paths) -> None:
        """All but the locks; the journal with its tombstone goes when nothing else can come back."""
        self._source.cache.drop(paths.id)
        spared = {paths.journal, paths.lock, paths.lease}
        if paths.home:
            self._empty(paths.home, spared)
        else:
            shutil.rmtree(paths.progress, ignore_errors=True)
            self._remove_beside(paths.id, spared)
        self._disk.sync_folder(paths.home or str(self._folder))
        self._disk.remove(paths.journal)

    def _remove_beside(self, id: str, spared: Collection[str]) -> None:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.startswith(f"{id}.") and entry.is_file() and entry.path not in spared:
                    self._disk.remove(entry.path)

    def _empty(self, home: str, spared: Collection[str]) -> None:
        """All that is in a state's own folder; links are removed, not followed."""
        with os.scandir(home) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                elif entry.path not in spared:
                    self._disk.remove(entry.path)


TRIES = 100
"""Times that a runner puts a folder back which vanishes under its hands, 10 ms apart."""


class Access(Generic[S]):
    """Of one store; the states are told apart by their paths."""

    def __init__(self, disk: Disk, place: Place, source: Source[S], writer: Writer[S], removal: Removal[S]) -> None:
        self._disk = disk
        self._place = place
        self._source = source
        self._writer = writer
        self._removal = removal

    @contextlib.contextmanager
    def locked(self, paths: Paths) -> Iterator[None]:
        """The write lock of a state that exists; a mistyped id leaves no trace."""
        self._place.clear(paths)
        try:
            lock = Flock.take(paths.lock)
        except (FileNotFoundError, NotADirectoryError):
            if paths.id not in self._source.holds:
                with contextlib.suppress(Corrupt):
                    self._source.read(paths, self._writer.now())
            self._place.make(paths)
            lock = Flock.ensure(paths.lock)
        try:
            yield
        except Deleted:
            self._removal.finish(paths)
            raise
        finally:
            lock.release()

    def in_place(self, paths: Paths, work: Callable[[], None]) -> None:
        """Does `work`. A folder that was taken away from a runner is put back first, also while it is at it."""
        for _ in range(TRIES):
            hold = self._source.holds.get(paths.id)
            try:
                if hold and not (hold.seat.is_in_place and self._place.is_hidden):
                    self._place.make_again(paths, hold.real)
                    hold.seat.retake()
                return work()
            except (FileNotFoundError, NotADirectoryError, Displaced):
                if hold is None:
                    raise
                time.sleep(0.01)
        raise StoreError(f"{self._place.folder} keeps vanishing; something removes it")

    @contextlib.contextmanager
    def held(self, paths: Paths, seat: Seat) -> Iterator[None]:
        """While this lasts, what the process remembers counts more than what the files say."""
        known = self._source.cache.get(paths.id)
        assert known is not None, "the lease was committed just now"
        journal = (self._disk.read(paths.journal) or b"")[: known.end]
        hold = Hold(seat, paths, Memory(known.state, known.seq, known.end), journal, self._place.real())
        self._source.holds[paths.id] = hold
        try:
            yield
        finally:
            del self._source.holds[paths.id]
            hold.release()

    def tidy(self, paths: Paths) -> None:
        try:
            lock = Flock.take(paths.lock)
        except (FileNotFoundError, NotADirectoryError):
            return
        try:
            self._writer.projections.tidy(paths)
        finally:
            lock.release()


LOOKED = Event(type="looked")


class FileStore(Closing, Generic[S]):
    """States of one kind under the project `root`, as ports.Store promises. Close it, or use it as a context."""

    def __init__(
        self, root: Path, kind: Kind[S], clock: Clock, *, unsafe_fs: bool = False, disk: Disk | None = None
    ) -> None:
        self.root = root.resolve()
        if not unsafe_fs and (network := network_type(self.root)):
            raise StoreError(
                f"{self.root} is on a network file system ({network}), where a crash can lose data"
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
        entries = read_entries(self._disk, paths, after)
        acknowledged = self.read(id).engine.rev
        return tuple(entry for entry in entries if entry.seq <= acknowledged)

    @DiskTrouble()
    def shown(self, id: str, after: int = 0) -> Shown[S]:
        """See core.ports.Watchable."""
        paths = self._paths(id)
        state = self._source.shown(paths, self._writer.now())
        return Shown(state, tuple(e for e in read_entries(self._disk, paths, after) if e.seq <= state.engine.rev))

    @DiskTrouble()
    def revs(self) -> Mapping[str, int]:
        """See core.ports.Watchable."""
        return self._index.revs()

    def watch(self) -> Watching | None:
        """See core.ports.Watchable."""
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
            raise Conflict(f"{self._kind.name} {paths.id} exists, but cannot be read: {error}") from error
        else:
            raise Conflict(f"{self._kind.name} {paths.id} already exists")

    def _finish_deletion(self, id: str) -> None:
        paths = self._paths(id)
        with contextlib.suppress(NotFound), self._access.locked(paths):
            self._source.view(paths, self._writer.now())


def _unchanged(state: S) -> S:
    return state
