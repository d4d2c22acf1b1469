"""The store on plain files: see `writer` for how a state changes and `source` for how it is read."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Generic, Self

from loopwright.domain.errors import Conflict, Corrupt, NotFound, StoreError
from loopwright.domain.events import Entry, Event
from loopwright.domain.loop import LoopStatus
from loopwright.ports import Clock, Lease, Page, Rule
from loopwright.store import history, lease, patch, progress
from loopwright.store.commit import Stamp
from loopwright.store.disk import Disk, DiskTrouble
from loopwright.store.grouping import Turns
from loopwright.store.index import Index
from loopwright.store.journal import DELETED
from loopwright.store.kind import Kind, S, with_next_epoch
from loopwright.store.known import Deleted, Known, state_at
from loopwright.store.locks import Flock
from loopwright.store.network import network_type
from loopwright.store.paths import Paths
from loopwright.store.recovery import rescue
from loopwright.store.source import Source
from loopwright.store.writer import HandedOver, Request, Writer


class FileStore(Generic[S]):
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
        self._folder = self.root / kind.folder
        self._source = Source(self._disk, kind, self.root)
        self._writer = Writer(self._disk, kind, clock, self._source)
        self._index = Index(self._disk, self._folder, self._source, self._writer.now, self._finish_deletion)
        self._turns: dict[str, Turns[Request[S]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the watch and tidies up. What was acknowledged is on disk already."""
        self._index.close()
        for paths in map(self._paths, self._turns):
            with contextlib.suppress(StoreError), DiskTrouble():
                self._tidy(paths)

    @DiskTrouble()
    def create(self, state: S, *, actor: str) -> S:
        """See ports.Store."""
        paths = self._paths(self._kind.id_of(state))
        self._make_folder()
        lock = Flock.ensure(paths.lock)
        try:
            self._refuse_existing(paths)
            now = self._writer.now()
            nothing = Known(state, patch.plain(state), 0, 0, 0, None, whole=True)
            step = self._writer.step(nothing, state, Stamp(now, actor, Event(type="created")))
            known = self._writer.append(paths, nothing, step.known, [step.line])
            known = self._writer.project(paths, known)
            self._source.cache.put(paths.id, known)
            return known.state
        finally:
            lock.release()

    @DiskTrouble()
    def read(self, id: str) -> S:
        """See ports.Store."""
        return self._source.read(self._paths(id), self._writer.now())

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
    def list(self, *, status: LoopStatus | None = None, limit: int = 50, offset: int = 0) -> Page[S]:
        """See ports.Store. Newest first."""
        return self._index.page(status, limit, offset)

    @DiskTrouble()
    def damaged(self) -> Mapping[str, str]:
        """See ports.Store."""
        return self._index.damaged()

    @DiskTrouble()
    def events(self, id: str, after: int = 0) -> Sequence[Entry]:
        """See ports.Store. Costs what the new entries cost, however long the journal is."""
        paths = self._paths(id)
        entries = history.entries(self._disk, paths, after)
        if not entries or entries[-1].event.type == DELETED:
            self.read(id)
        return entries

    @DiskTrouble()
    def recover(self, id: str, *, actor: str) -> S:
        """See ports.Store. A damaged journal is kept beside the new one."""
        paths = self._paths(id)
        with self._known_lock(paths):
            self._writer.refuse_uncertain(id)
            try:
                request: Request[S] = Request(lambda state: state, actor, Event(type="recovered"), None)
                self._writer.carry_out(paths, [request], lambda: False)
            except Corrupt:
                return self._writer.restart(paths, rescue(self._disk, self._kind, paths, self._writer.now()), actor)
        assert request.result is not None
        return request.result

    @DiskTrouble()
    def delete(self, id: str, *, actor: str) -> None:
        """See ports.Store."""
        paths = self._paths(id)
        with self._known_lock(paths):
            held = Flock.at_once(paths.lease)
            if held is None:
                raise Conflict(f"{self._kind.name} {id} is being driven by process {self.holder(id)}")
            try:
                with contextlib.suppress(Corrupt, Deleted):
                    self._writer.bury(paths, actor)
                self._remove(paths)
            finally:
                held.release()

    @contextlib.contextmanager
    def lease(self, id: str) -> Iterator[Lease]:
        """See ports.Store."""
        paths = self._paths(id)
        self.read(id)
        with DiskTrouble():
            self._make_folder()
            lock = Flock.at_once(paths.lease)
        if lock is None:
            raise Conflict(f"{self._kind.name} {id} is being driven by process {self.holder(id)}")
        with lease.signed(self._disk, lock):
            state = self.update(id, with_next_epoch, actor="runner", event=Event(type="lease_taken"))
            yield lease.HeldLease(state.engine.epoch)

    @DiskTrouble()
    def holder(self, id: str) -> int | None:
        """See ports.Store."""
        return lease.holder(self._disk, self._paths(id).lease)

    @DiskTrouble()
    def write_progress(self, id: str, files: Mapping[str, bytes]) -> None:
        """See ports.Store."""
        progress.write(self._disk, self.progress_path(id), files)

    @DiskTrouble()
    def append_progress(self, id: str, name: str, lines: Sequence[bytes]) -> None:
        """See ports.Store."""
        progress.append(self._disk, self.progress_path(id), name, lines)

    def progress_path(self, id: str) -> Path:
        """See ports.Store."""
        return self._paths(id).progress

    def _paths(self, id: str) -> Paths:
        return Paths.of(self._folder, id)

    def _turn(self, paths: Paths) -> Callable[[Sequence[Request[S]], Callable[[], bool]], None]:
        def work(requests: Sequence[Request[S]], busy: Callable[[], bool]) -> None:
            with HandedOver(*requests), DiskTrouble(), self._known_lock(paths):
                self._writer.carry_out(paths, requests, busy)

        return work

    def _make_folder(self) -> None:
        """The folder, hidden from the project's git by a file of its own."""
        if self._folder.is_dir():
            return
        self._disk.make_folder(self._folder)
        ignore = self.root / Path(self._kind.folder).parts[0] / ".gitignore"
        if not ignore.exists():
            self._disk.replace(str(ignore), b"*\n")

    def _tidy(self, paths: Paths) -> None:
        try:
            lock = Flock.take(paths.lock)
        except FileNotFoundError:
            return
        try:
            self._writer.tidy(paths)
        finally:
            lock.release()

    @contextlib.contextmanager
    def _known_lock(self, paths: Paths) -> Iterator[None]:
        """The write lock of a state that exists; a mistyped id leaves no trace."""
        try:
            lock = Flock.take(paths.lock)
        except FileNotFoundError:
            with contextlib.suppress(Corrupt):
                self._source.read(paths, self._writer.now())
            self._make_folder()
            lock = Flock.ensure(paths.lock)
        try:
            yield
        except Deleted:
            self._remove(paths)
            raise
        finally:
            lock.release()

    def _refuse_existing(self, paths: Paths) -> None:
        try:
            self.read(paths.id)
        except Deleted:
            self._clear(paths)
        except NotFound:
            return
        except StoreError as error:
            raise Conflict(f"{self._kind.name} {paths.id} exists, but can not be read: {error}") from error
        else:
            raise Conflict(f"{self._kind.name} {paths.id} exists already")

    def _finish_deletion(self, id: str) -> None:
        """Removes what a deletion left that was cut short."""
        with contextlib.suppress(NotFound), self._known_lock(self._paths(id)):
            self.read(id)

    def _remove(self, paths: Paths) -> None:
        """Every file of a buried state. Where an older place still has it, the tombstone stays and hides that."""
        if self._source.legacy.find(paths.id, self._writer.now()) is None:
            self._clear(paths)
            self._disk.remove(paths.lease)
            self._disk.remove(paths.lock)

    def _clear(self, paths: Paths) -> None:
        """All but the locks; the journal with its tombstone goes when nothing else can come back."""
        self._source.cache.drop(paths.id)
        shutil.rmtree(paths.progress, ignore_errors=True)
        spared = {paths.journal, paths.lock, paths.lease}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.startswith(f"{paths.id}.") and entry.is_file() and entry.path not in spared:
                    self._disk.remove(entry.path)
        self._disk.sync_folder(str(self._folder))
        self._disk.remove(paths.journal)
