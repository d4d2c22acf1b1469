"""The store on plain files: see `writer` for how a state changes and `source` for how it is read."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Generic, NamedTuple, ParamSpec

from loopwright.core.errors import Conflict, Corrupt, NewerSchema, NotFound, StoreError
from loopwright.core.ports import ChangeWatcher, Clock, Lease, Page, Rule, StateChange
from loopwright.core.private_files import close_to_others
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.store import progress
from loopwright.store.change_notifier import watch_states
from loopwright.store.disk import (
    ClosingContext,
    Disk,
    DiskErrorTranslator,
    check_folders,
    network_type,
    quarantine_file,
)
from loopwright.store.group_commit import (
    Commit,
    CommitRequest,
    ErrorHandover,
    GroupCommit,
    carry_through,
    current_group,
)
from loopwright.store.index import StateIndex
from loopwright.store.journal import ANY, JournalLine, scan_lines
from loopwright.store.kept_index import stamp_state
from loopwright.store.kind import S, StateKind, with_incident, with_next_epoch
from loopwright.store.lease import Flock, HeldLease, LeaseFile, NotAtOnce, exclude_writers, find_holder
from loopwright.store.leased_state import LeasedState, StateMemory
from loopwright.store.mac_chain import COPY, JournalSeal, KindSeals, SealFolder, line_mac
from loopwright.store.paths import StatePaths
from loopwright.store.recovery import RecoveredState, recover_believed, recover_state
from loopwright.store.source import StateSource
from loopwright.store.state_reader import (
    CHUNK,
    DeletedState,
    ProjectionStatus,
    is_damaged,
    judge_journal,
    parse_journal,
    read_state,
    remember_whole,
    stat_journal,
    state_at,
)
from loopwright.store.writer import DisplacedJournal, ReplicaOf, StateWriter, can_show


class JournalCheck(NamedTuple):
    """`lines` that are believed, `adopted` among them that have no MAC of this machine, and what was found."""

    lines: int
    adopted: int
    troubles: tuple[str, ...]


class StoreLocation:
    """`name` is relative to the project `root`, which always exists."""

    def __init__(self, disk: Disk, root: Path, name: str) -> None:
        self._disk = disk
        self._steps = tuple(root / Path(*Path(name).parts[: n + 1]) for n in range(len(Path(name).parts)))
        self._ignore = self._steps[0] / ".gitignore"
        self.folder = root / name
        self._text = str(self.folder)

    def check(self) -> None:
        """StoreError where a link or the like stands on the way."""
        check_folders(*self._steps)

    def make(self, paths: StatePaths) -> None:
        """Creates what is missing, with the state's own folder where it has one. StoreError: see `check`."""
        self.check()
        self.clear(paths)
        home = paths.home or self._text
        if not os.path.isdir(home):
            self._disk.make_folder(Path(home))
            self._hide()

    def clear(self, paths: StatePaths) -> None:
        """What stands in the place of a state's own folder and is none: nothing is written through a link."""
        home = paths.home
        if home and os.path.lexists(home) and (os.path.islink(home) or not os.path.isdir(home)):
            quarantine_file(home)

    @property
    def is_real(self) -> bool:
        """Whether no step of the way is a link."""
        return not any(map(os.path.islink, self._steps))

    @property
    def is_hidden(self) -> bool:
        """Whether the file is there, with whatever in it."""
        return self._ignore.exists()

    def real(self) -> tuple[str, ...]:
        """Where each step of the way leads; differs once a link was put in its place."""
        return tuple(os.path.realpath(step) for step in self._steps)

    def make_again(self, paths: StatePaths, real: tuple[str, ...]) -> None:
        """As `make`, after somebody put something else in a folder's place; it is moved aside."""
        for step, led_to in zip(self._steps, real, strict=True):
            if os.path.lexists(step) and (not step.is_dir() or os.path.realpath(step) != led_to):
                quarantine_file(str(step))
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


def read_entries(
    disk: Disk, paths: StatePaths, after: int, seal: JournalSeal | None = None
) -> tuple[JournalEntry, ...]:
    """Entries with seq > after, as far as they verify. Corrupt when a damaged line is among them."""
    size = stat_journal(paths).size
    if not size:
        return ()
    chunk, seen = (CHUNK if after > 0 else size), b'\n{"seq":%d,' % after
    with disk.open(paths.journal) as fd:
        while True:
            start = max(0, size - chunk)
            data = disk.read_at(fd, start, size - start)
            cut = data.find(seen) + 1
            if cut == 0 and start:
                cut = data.find(b"\n") + 1  # unless it is the beginning, its first line may have been cut
            tail = scan_lines(data[cut:], start + cut, after=ANY if start + cut else None, lean=True)
            if tail.lines and tail.lines[0].seq <= after + 1:
                break
            if start == 0:
                tail = tail if tail.lines else scan_lines(data, lean=True)
                break
            chunk *= 4
    if tail.rest == "damage":
        raise Corrupt(f"the journal {paths.journal} is damaged at byte {tail.end}")
    end = tail.end
    if seal and tail.lines and not _verifies(seal, data, start, tail.lines):
        _, verdict = judge_journal(disk, paths, seal)
        end = verdict.end if verdict else end
    return tuple(line.entry for line in tail.lines if line.seq > after and line.end <= end)


def _verifies(seal: JournalSeal, data: bytes, start: int, lines: Sequence[JournalLine]) -> bool:
    """Whether all lines behind the first are ours, and that one where it is the first of all."""
    first, last = lines[0].end - start, lines[-1].end - start
    text = data[data.rfind(b"\n", 0, first - 1) + 1 : first]
    known = len(text) < lines[0].end or seal.is_next("", text)
    return known and seal.follows(line_mac(text), data[first:last])[0] == last - first


P = ParamSpec("P")

TRIES = 100
"""Times that a runner puts a folder back which vanishes under its hands, 10 ms apart."""


class StateAccess(Generic[S]):
    """Lock, hold and remove the files of one store's states, which are told apart by their paths."""

    def __init__(self, disk: Disk, place: StoreLocation, source: StateSource[S], writer: StateWriter[S]) -> None:
        self._disk, self._place, self._source, self._writer = disk, place, source, writer

    @contextlib.contextmanager
    def locked(self, paths: StatePaths, *, wait: bool = True) -> Iterator[None]:
        """The write lock of a state that exists; a mistyped id leaves no trace. NotAtOnce: see `Flock.take`."""
        if paths.id not in self._source.holds:
            self._place.check()
        self._place.clear(paths)
        try:
            lock = Flock.take(paths.lock, wait=wait)
        except (FileNotFoundError, NotADirectoryError):
            if paths.id not in self._source.holds:
                with contextlib.suppress(Corrupt):
                    self._source.read(paths, self._writer.now())
            self._place.make(paths)
            lock = Flock.ensure(paths.lock, wait=wait)
        try:
            yield
        except DeletedState:
            self.finish_deletion(paths)
            raise
        finally:
            lock.release()

    def in_place(self, paths: StatePaths, work: Callable[P, None], *args: P.args, **named: P.kwargs) -> None:
        """Calls `work`. A folder that was taken away from a runner is put back first, also while it is at it."""
        for _ in range(TRIES):
            hold = self._source.holds.get(paths.id)
            try:
                if hold and not (hold.lease_file.is_in_place and self._place.is_hidden and self._place.is_real):
                    self._place.make_again(paths, hold.real)
                    hold.lease_file.retake()
                return work(*args, **named)
            except (FileNotFoundError, NotADirectoryError, DisplacedJournal):
                if hold is None:
                    raise
                time.sleep(0.01)
        raise StoreError(f"{self._place.folder} keeps vanishing; something removes it")

    @contextlib.contextmanager
    def held(self, paths: StatePaths, lease_file: LeaseFile) -> Iterator[None]:
        """While this lasts, what the process remembers counts more than what the files say."""
        known = self._source.cache.get(paths.id)
        assert known is not None, "the lease was committed just now"
        journal = (self._disk.read(paths.journal) or b"")[: known.end]
        hold = LeasedState(lease_file, paths, StateMemory.of(known), journal, self._place.real())
        self._source.holds[paths.id] = hold
        try:
            yield
        finally:
            del self._source.holds[paths.id]
            with contextlib.suppress(OSError):
                remember_whole(self._disk, paths, hold.history, hold.memory.seq)
            hold.release()

    def tidy(self, paths: StatePaths) -> None:
        try:
            lock = Flock.take(paths.lock)
        except (FileNotFoundError, NotADirectoryError):
            return
        try:
            self._writer.projections.tidy(paths)
        finally:
            lock.release()

    def finish_deletion(self, paths: StatePaths) -> None:
        """Removes what a deletion left that was cut short. While somebody drives the state there was none."""
        held = Flock.at_once(paths.lease)
        if held is None:
            return
        try:
            self.remove_files(paths)
        finally:
            held.release()

    def remove_files(self, paths: StatePaths) -> None:
        """Every file of a buried state. Where an older place still has it, the tombstone stays and hides that."""
        if self._source.legacy.find(paths.id, self._writer.now()) is None:
            self.clear_files(paths)
            self._disk.remove(paths.lease)
            self._disk.remove(paths.lock)
            if seal := self._source.seals(paths.id):
                seal.forget()
            if paths.home:
                self._disk.remove_folder(paths.home)

    def clear_files(self, paths: StatePaths) -> None:
        """All but the locks; the journal with its tombstone goes when nothing else can come back."""
        self._source.cache.drop(paths.id)
        spared = {paths.journal, paths.lock, paths.lease}
        if paths.home:
            self._empty(paths.home, spared)
        else:
            shutil.rmtree(paths.progress, ignore_errors=True)
            self._remove_beside(paths.id, spared)
        self._disk.sync_folder(paths.home or str(self._place.folder))
        self._disk.remove(paths.journal)

    def _remove_beside(self, id: str, spared: Collection[str]) -> None:
        with os.scandir(self._place.folder) as entries:
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


LOOKED = JournalEvent(type="looked")
ACCEPTED = JournalEvent(type="journal_accepted")


class FileStore(ClosingContext, Generic[S]):
    """States of one kind under the project `root`, as ports.Store and ports.Watchable promise.

    Close it, or use it as a context. `keep_index`: what a list has found is kept for the next process. `replica_of`:
    what the commits of some of them are part of first. `seals`: by which lines have MACs; without, they have none.
    """

    def __init__(
        self,
        root: Path,
        kind: StateKind[S],
        clock: Clock,
        *,
        unsafe_fs: bool = False,
        disk: Disk | None = None,
        keep_index: bool = False,
        replica_of: ReplicaOf | None = None,
        seals: SealFolder | None = None,
    ) -> None:
        self.root = root.resolve()
        if not unsafe_fs and (network := network_type(self.root)):
            raise StoreError(
                f"{self.root} is on a network file system ({network}), where a crash can lose data"
                f"; use a local folder, or set unsafe_fs = true"
            )
        self._disk = disk or Disk()
        self._kind = kind
        self._place = StoreLocation(self._disk, self.root, kind.folder)
        self._place.check()
        close_to_others(self._place.folder)
        self._folder = self._place.folder
        self._source = StateSource(self._disk, kind, self.root, KindSeals(seals, self.root, kind.name))
        self._writer = StateWriter(self._disk, kind, clock, self._source, replica_of)
        self._layout = kind.layout(self._folder)
        self._index = StateIndex(
            self._disk,
            self._layout,
            self._source,
            self._writer.now,
            self._finish_deletion,
            self.root if keep_index else None,
        )
        self._access = StateAccess(self._disk, self._place, self._source, self._writer)
        self._turns: dict[str, GroupCommit[CommitRequest[S]]] = {}
        self._updated: set[str] = set()
        self._copied: dict[str, tuple[str, int]] = {}

    def close(self) -> None:
        """Ends the watch and tidies up. What was acknowledged is on disk already."""
        self._index.close()
        for paths in map(self._paths, self._updated):
            with contextlib.suppress(StoreError), DiskErrorTranslator():
                self._access.tidy(paths)

    @DiskErrorTranslator()
    def create(self, state: S, *, actor: str) -> S:
        paths = self._paths(self._kind.id_of(state))
        request = CommitRequest(
            paths=paths, rule=_unchanged, actor=actor, event=JournalEvent(type="created"), new=state
        )
        if group := current_group():
            return group.begin(self._creation(request, wait=False), request)
        carry_through(self._creation, request, wait=True)
        return request.answer()

    @DiskErrorTranslator()
    def read(self, id: str) -> S:
        """See ports.Store. The process that drives the state puts right on the way what others did to its files."""
        paths = self._paths(id)
        hold = self._source.holds.get(id)
        known = self._source.cached(paths) if hold is None or hold.lease_file.is_in_place else None
        if known:
            return known.state
        if hold is None:
            return self._source.read(paths, self._writer.now())
        return self.update(id, _unchanged, actor="runner", event=LOOKED)

    @DiskErrorTranslator()
    def read_at(self, id: str, rev: int) -> S:
        """See ports.Store. Costs a replay of the journal."""
        paths = self._paths(id)
        self.read(id)
        state = state_at(self._disk, self._kind, paths, rev, self._writer.now(), self._source.seals(id))
        if state is None:
            raise NotFound(f"{self._kind.name} {id} has no commit {rev}")
        return state

    def update(self, id: str, rule: Rule[S], *, actor: str, event: JournalEvent, epoch: int | None = None) -> S:
        paths = self._paths(id)
        request = CommitRequest(paths=paths, rule=rule, actor=actor, event=event, epoch=epoch)
        self._updated.add(id)
        if group := current_group():
            if id in self._source.holds:
                raise NotAtOnce
            lock = partial(self._access.locked, paths, wait=False)
            return group.begin(self._writer.carry_out(paths, [request], bool, lock), request)
        turns = self._turns.get(id) or self._turns.setdefault(id, GroupCommit(partial(self._commit, paths)))
        turns.run(request)
        return request.answer()

    @DiskErrorTranslator()
    def list(self, *, status: str | None = None, limit: int = 50, offset: int = 0, search: str = "") -> Page[S]:
        """See ports.Store. Newest first."""
        return self._index.page(status, limit, offset, search)

    @DiskErrorTranslator()
    def damaged(self) -> Mapping[str, str]:
        return self._index.damaged()

    @DiskErrorTranslator()
    def events(self, id: str, after: int = 0) -> Sequence[JournalEntry]:
        """See ports.Store. Costs what the new entries cost, however long the journal is."""
        paths = self._paths(id)
        entries = read_entries(self._disk, paths, after, self._source.seals(id))
        acknowledged = self.read(id).engine.rev
        return tuple(entry for entry in entries if entry.seq <= acknowledged)

    @DiskErrorTranslator()
    def shown(self, id: str, after: int = 0) -> StateChange[S]:
        paths = self._paths(id)
        known = self._source.recent(paths, after)
        if known:
            return StateChange(known.state, tuple(entry for entry in known.entries if entry.seq > after))
        state = self._source.shown(paths, self._writer.now())
        entries = read_entries(self._disk, paths, after, self._source.seals(id))
        return StateChange(state, tuple(entry for entry in entries if entry.seq <= state.engine.rev))

    @DiskErrorTranslator()
    def revs(self) -> Mapping[str, int]:
        return self._index.revs()

    def watch(self) -> ChangeWatcher | None:
        return watch_states(self._layout, self.root)

    @DiskErrorTranslator()
    def recover(self, id: str, *, actor: str) -> S:
        """See ports.Store. A damaged journal is kept beside the new one, even where the JSON file made up for it."""
        paths = self._paths(id)
        request: CommitRequest[S] = CommitRequest(
            paths=paths, rule=_unchanged, actor=actor, event=JournalEvent(type="recovered")
        )
        with self._access.locked(paths):
            self._writer.refuse_uncertain(id)
            with contextlib.suppress(Corrupt):
                carry_through(self._writer.carry_out, paths, [request], bool)
            if request.result is None or not self._is_whole(paths):
                return self._writer.restart(paths, self._rescue(paths), actor)
        return request.result

    @DiskErrorTranslator()
    def check(self, id: str) -> JournalCheck:
        """How far its files are believed. Forbidden where the key cannot be read."""
        paths = self._paths(id)
        seal = self._source.seals.for_writing(id)
        with exclude_writers(paths.lock):
            scan, verdict = judge_journal(self._disk, paths, seal)
            found = [verdict.trouble] if verdict and verdict.trouble else []
            if scan.rest == "damage":
                found.append(f"it is damaged after line {len(scan.lines)}")
            troubles = [f"its journal: {trouble}" for trouble in found]
            with contextlib.suppress(NotFound, Corrupt, NewerSchema):
                finding = read_state(self._disk, self._kind, paths, self._writer.now(), seal, in_spite=True).finding
                if finding in (ProjectionStatus.FOREIGN, ProjectionStatus.BROKEN, ProjectionStatus.AHEAD):
                    troubles.append(f"its JSON file: {finding.value}")
        end = verdict.end if verdict else scan.end
        adopted = verdict.adopted if verdict else scan.end
        return JournalCheck(
            sum(line.end <= end for line in scan.lines),
            sum(line.end <= adopted for line in scan.lines),
            tuple(troubles),
        )

    @DiskErrorTranslator()
    def accept(self, id: str, *, actor: str) -> S:
        """Believes what is there, whoever wrote it, as a person says. Conflict while somebody drives it; Corrupt."""
        paths = self._paths(id)
        if holder := self.holder(id):
            raise Conflict(f"{self._kind.name} {id} is being driven by process {holder}")
        seal = self._source.seals.for_writing(id)
        if seal and (stat_journal(paths).size or seal.anchors()):
            seal.keep(COPY, durable=True)
            self._source.cache.drop(id)
        self.recover(id, actor=actor)
        return self.update(id, partial(_accepted, self._writer.now()), actor=actor, event=ACCEPTED)

    @DiskErrorTranslator()
    def adopt(self, id: str) -> None:
        """Believes what the replica has said until now, once its lines are this machine's own again."""
        self._source.seals.adopt(self._paths(id).id)

    def _is_whole(self, paths: StatePaths) -> bool:
        scan, verdict = judge_journal(self._disk, paths, self._source.seals(paths.id))
        return scan.rest != "damage" and not (verdict and verdict.trouble)

    def _rescue(self, paths: StatePaths) -> RecoveredState[S]:
        """What verifies, where lines have MACs; else the best that is left."""
        now, seal = self._writer.now(), self._source.seals(paths.id)
        believed = recover_believed(self._disk, self._kind, paths, now, seal) if seal else None
        return believed or recover_state(self._disk, self._kind, paths, now)

    @DiskErrorTranslator()
    def journal(self, id: str) -> bytes:
        """Every line that was acknowledged."""
        end = self.read(id).engine.journal_bytes
        return (self._disk.read(self._paths(id).journal) or b"")[:end]

    @DiskErrorTranslator()
    def replace_journal(self, id: str, journal: bytes) -> S:
        """Makes what the replica has the journal, whatever there is or is not yet; the state is what it says.

        Conflict while somebody drives it; Corrupt, NewerSchema; NotFound where the journal ends with its deletion.
        """
        paths = self._paths(id)
        known = parse_journal(self._kind, id, journal, self._writer.now())
        lease_file = self._take_lease(paths)
        try:
            lock = Flock.ensure(paths.lock)
            try:
                return self._writer.replace_journal(paths, journal, known)
            finally:
                lock.release()
        finally:
            lease_file.release()

    @DiskErrorTranslator()
    def extend_journal(self, id: str, at: int, data: bytes) -> S:
        """Adds what the replica has behind the first `at` bytes of a copy that is here; the state is what it says then.

        Cheaper than `replace_journal`, and not durable. Conflict where the copy does not end there, or somebody drives
        it; else errors as those of `replace_journal`.
        """
        paths = self._paths(id)
        with self._access.locked(paths):
            if holder := self.holder(id):
                raise Conflict(f"{self._kind.name} {id} is being driven by process {holder}")
            return self._writer.extend_journal(paths, at, data)

    @DiskErrorTranslator()
    def copied(self, id: str) -> int:
        """How many bytes of a journal are here, of which the files are what they should be; 0 where they are not."""
        paths = self._paths(id)
        stamp = stamp_state(paths.base)
        before, end = self._copied.get(id, ("", 0))
        if stamp != before:
            try:
                view = self._source.view(paths, self._writer.now())
                is_whole = view.known.end == stat_journal(paths).size and (view.current or not can_show(view.known))
                end = view.known.end if view.is_copy and is_whole else 0
            except (NotFound, Corrupt):
                end = 0
            self._copied[id] = stamp, end
        return end

    @DiskErrorTranslator()
    def delete(self, id: str, *, actor: str) -> None:
        paths = self._paths(id)
        with self._access.locked(paths):
            held = Flock.at_once(paths.lease)
            if held is None:
                raise Conflict(f"{self._kind.name} {id} is being driven by process {self.holder(id)}")
            try:
                with contextlib.suppress(Corrupt, DeletedState):
                    self._writer.bury(paths, actor)
                self._access.remove_files(paths)
            finally:
                held.release()

    @contextlib.contextmanager
    def lease(self, id: str) -> Iterator[Lease]:
        paths = self._paths(id)
        self.read(id)
        lease_file = self._take_lease(paths)
        try:
            if is_damaged(self._disk, paths, self._source.seals(id)):
                self.recover(id, actor="runner")
            state = self.update(id, with_next_epoch, actor="runner", event=JournalEvent(type="lease_taken"))
            with self._access.held(paths, lease_file):
                yield HeldLease(state.engine.epoch)
        finally:
            lease_file.release()

    @DiskErrorTranslator()
    def holder(self, id: str) -> int | None:
        return find_holder(self._disk, self._paths(id).lease)

    @DiskErrorTranslator()
    def write_progress(self, id: str, files: Mapping[str, bytes]) -> None:
        paths = self._paths(id)
        self._access.in_place(paths, progress.write_files, self._disk, paths, files)

    @DiskErrorTranslator()
    def append_progress(self, id: str, name: str, lines: Sequence[bytes]) -> None:
        paths = self._paths(id)
        self._access.in_place(paths, progress.append_lines, self._disk, paths, name, lines)

    @DiskErrorTranslator()
    def kept(self, id: str) -> Sequence[Path]:
        base = Path(self._paths(id).base)
        return sorted(base.parent.glob(f"{base.name}.*.damaged-*"))

    def text(self, id: str, state: S) -> bytes | None:
        known = self._source.cache.get(id)
        return known.text if known and known.state is state else None

    def progress_path(self, id: str) -> Path:
        return self._paths(id).progress

    def _paths(self, id: str) -> StatePaths:
        return self._layout.paths(id)

    @DiskErrorTranslator()
    def _take_lease(self, paths: StatePaths) -> LeaseFile:
        self._place.make(paths)
        lease_file = LeaseFile.take(self._disk, str(self.root), paths.id, paths.lease)
        if lease_file is None:
            raise Conflict(f"{self._kind.name} {paths.id} is being driven by process {self.holder(paths.id)}")
        return lease_file

    def _commit(self, paths: StatePaths, requests: Sequence[CommitRequest[S]], busy: Callable[[], bool]) -> None:
        lock = partial(self._access.locked, paths)
        with ErrorHandover(*requests), DiskErrorTranslator():
            self._access.in_place(paths, carry_through, self._writer.carry_out, paths, requests, busy, lock)

    def _creation(self, request: CommitRequest[S], *, wait: bool) -> Commit[None]:
        self._place.make(request.paths)
        lock = Flock.ensure(request.paths.lock, wait=wait)
        try:
            self._refuse_existing(request.paths)
            yield from self._writer.begin(request)
        finally:
            lock.release()

    def _refuse_existing(self, paths: StatePaths) -> None:
        try:
            self._source.view(paths, self._writer.now())
        except DeletedState:
            self._access.clear_files(paths)
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


def _accepted(now: str, state: S) -> S:
    return with_incident(state, "journal_accepted", "a person took over its journal as it was found", now)
