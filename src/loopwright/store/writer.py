"""The one way a state changes on disk: lock, look, apply the rules, append, sync, replace the JSON file, unlock."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from errno import ENOENT
from operator import is_
from typing import Generic, NamedTuple, NoReturn

import orjson

from loopwright.core.errors import Conflict, Corrupt, Fenced, StoreError, UncertainCommit
from loopwright.core.fleet import Replica
from loopwright.core.ports import Clock
from loopwright.core.record import JournalEvent
from loopwright.store import patch, progress, projection
from loopwright.store.commit import CommitStamp, CommitStep, build_commit, refuse_old_epoch
from loopwright.store.disk import CREATE, SPARE, WRITE, Disk
from loopwright.store.group_commit import Commit, CommitRequest, ErrorHandover, Unsynced, carry_through
from loopwright.store.journal import DELETED
from loopwright.store.kind import S, StateKind, with_incident
from loopwright.store.lease import find_holder, is_locked
from loopwright.store.leased_state import LeasedState, StateMemory, follow_journal
from loopwright.store.mac_chain import COPY, Anchor, JournalSeal, prefix_mac
from loopwright.store.paths import StatePaths
from loopwright.store.recovery import RecoveredState
from loopwright.store.source import StateSource
from loopwright.store.state_reader import (
    CommittedState,
    ProjectionStatus,
    StateView,
    extend_state,
    read_projection,
    stat_journal,
)

Signature = tuple[int, int, int]
NOWHERE: Signature = (0, 0, 0)


class ProjectionWriter(Generic[S]):
    """Every method expects the caller to hold the write lock of the state."""

    def __init__(self, disk: Disk, kind: StateKind[S]) -> None:
        self._disk, self._kind = disk, kind
        self._written: dict[str, Signature] = {}

    def write(self, paths: StatePaths, known: CommittedState[S]) -> CommittedState[S]:
        """Brings all of them up to date. A failure is no error: the journal has it all."""
        assert known.pending is not None
        try:
            for suffix, items in self._kind.side_files.items():
                self._show(paths.side(suffix), items(known.state), items(known.shown) if known.shown else None)
            self._disk.swap(paths.state, known.pending, fresh=known.file is None)
        except OSError:
            return known
        return replace(known, file=known.pending, pending=None, behind=0, shown=known.state)

    def tidy(self, paths: StatePaths) -> None:
        """Removes the spare of the JSON file; the next step makes a new one."""
        self._disk.remove(paths.state + SPARE)

    def _show(self, path: str, items: tuple[object, ...], shown: tuple[object, ...] | None) -> None:
        """Writes a side file anew, unless it still shows the same and nobody has touched it."""
        same = shown is not None and len(items) == len(shown) and all(map(is_, items, shown))
        found = _signature(path)
        if not items and found == NOWHERE:
            return
        if not same or found != self._written.get(path):
            lines = (orjson.dumps(patch.to_json(item), option=orjson.OPT_APPEND_NEWLINE) for item in items)
            self._disk.replace(path, b"".join(lines))
            self._written[path] = _signature(path)


def _signature(path: str) -> Signature:
    """Inode, size and time of the last change; NOWHERE where there is no file."""
    try:
        found = os.lstat(path)
    except OSError:
        return NOWHERE
    return found.st_ino, found.st_size, found.st_ctime_ns


LAG = 0.02
"""Seconds the JSON file may stay behind while commits for one state follow each other."""
PATIENCE = 20
"""Looks at a broken JSON file, 10 ms apart, before it counts as damaged: its writer may not be done."""


class DisplacedJournal(StoreError):
    """The journal lost its name while a line was appended: nothing is kept of that."""


class CommitBase(NamedTuple, Generic[S]):
    """What a commit stands on: the journal as it is (`base`), and lines that what was found adds to it first."""

    base: CommittedState[S]
    known: CommittedState[S]
    lines: list[bytes]


ReplicaOf = Callable[[str], Replica | None]
"""By the id of a run; None for one that has none. Fenced for one that is not to be changed here."""


def _to_show(known: CommittedState[S], behind: float) -> CommittedState[S]:
    """With the JSON file that it should have, unless only the next line can have one. See `can_show`."""
    if known.whole:
        return known
    digest = known.doc["engine"]["digest"]
    file, found = projection.render_projection(known.doc, rev=known.seq, journal_bytes=known.end)
    return replace(known, pending=file, behind=behind) if found == digest else replace(known, whole=True)


def can_show(known: CommittedState[S]) -> bool:
    """Whether what was read of a journal gives the JSON file that its last line speaks of.

    Not where two processes have written in turns: a field that came later may stand elsewhere in what the one had read.
    """
    return _to_show(known, 0).pending is not None


def anchor_of(known: CommittedState[S]) -> Anchor:
    return Anchor(known.seq, known.end, known.mac, known.doc["engine"]["digest"])


class StateWriter(Generic[S]):
    """Every method expects the caller to hold the write lock of the state.

    Where a state has a replica, that decides: it has each line before the journal on disk does, so that whoever reads
    the journal sees nothing that may have to be taken back, and does not wait while a database does not answer. A line
    that the disk did not keep then is there alone, until `replace_journal` brings it.
    """

    def __init__(
        self, disk: Disk, kind: StateKind[S], clock: Clock, source: StateSource[S], replica_of: ReplicaOf | None
    ) -> None:
        self._disk, self._kind, self._clock, self._source, self._replica_of = disk, kind, clock, source, replica_of
        self._replicated: dict[str, int] = {}
        """How much of a journal its replica is known to have."""
        self._uncertain: set[str] = set()
        self.projections = ProjectionWriter(disk, kind)

    def now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds")

    def refuse_uncertain(self, id: str) -> None:
        if id in self._uncertain:
            raise UncertainCommit(f"{self._kind.name} {id}: a commit failed earlier; this process writes nothing more")

    def begin(self, request: CommitRequest[S]) -> Commit[None]:
        """The first line of a journal."""
        paths, state = request.paths, request.new
        assert state is not None
        nothing: CommittedState[S] = CommittedState(state, {}, 0, 0, 0, None, whole=True)
        step = self.step(paths, nothing, state, CommitStamp(self.now(), request.actor, request.event))
        request.result = step.known.state
        known = yield from self.append(paths, nothing, step.known, [step.line])
        self._source.cache.put(paths.id, self.projections.write(paths, known))

    def carry_out(
        self,
        paths: StatePaths,
        requests: Sequence[CommitRequest[S]],
        busy: Callable[[], bool],
        lock: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> Commit[None]:
        """All requests in one append and one sync; then the JSON file, unless more commits follow at once."""
        with lock():
            self.refuse_uncertain(paths.id)
            now = self.now()
            base, known, lines = self.ground(paths, now)
            try:
                for request in requests:
                    known = self._answer(request, known, now, lines)
                if lines:
                    known = yield from self.append(paths, base, known, lines)
            except BaseException:
                self._source.cache.drop(paths.id)
                raise
            if known.pending is not None and not (busy() and self._clock.monotonic() - known.behind < LAG):
                known = self.projections.write(paths, known)
            self._source.cache.put(paths.id, known)

    def ground(self, paths: StatePaths, now: str) -> CommitBase[S]:
        """Looks at what is there, and mends a torn journal."""
        cached = self._source.cached(paths)
        if cached:
            return CommitBase(cached, cached, [])
        if os.path.islink(paths.journal) and (linked := self._disk.read(paths.journal)):
            self._disk.replace(paths.journal, linked, durable=True)
        hold = self._source.holds.get(paths.id)
        if hold and not hold.knows(self._disk.read(paths.journal)):
            self._restore(paths, hold, now)
        view = self._patiently(paths, now)
        known = view.known
        if view.foreign:
            raise Corrupt(
                f"{self._kind.name} {paths.id}: {view.foreign}, on another machine or as another user; "
                f"`verify --accept` takes over what is there, `recover` keeps it aside and goes on from what verifies"
            )
        if stat_journal(paths).size > known.end:
            self._cut(paths, known.end)
        if hold:
            more = (self._disk.read(paths.journal) or b"")[hold.memory.end : known.end]
            hold.remember(StateMemory.of(known, whole=known.whole), more)
        settlement = self._source.settle(paths, view, now)
        if settlement.quarantine:
            self.quarantine(paths.state, known.file)
        if settlement.event:
            stamp = CommitStamp(now, settlement.actor, settlement.event)
            step = self.step(paths, settlement.known, settlement.state, stamp)
            return CommitBase(settlement.known, step.known, [step.line])
        if not view.current:
            known = _to_show(known, self._clock.monotonic())
        return CommitBase(known, known, [])

    def append(
        self, paths: StatePaths, before: CommittedState[S], after: CommittedState[S], lines: Sequence[bytes]
    ) -> Commit[CommittedState[S]]:
        """The commit itself. Fenced or StoreError with nothing changed, or Uncertain."""
        data = b"".join(lines)
        self._source.unsynced[paths.id] = before.end + len(data)
        try:
            return (yield from self._appended(paths, before, after, data))
        finally:
            del self._source.unsynced[paths.id]

    def _appended(
        self, paths: StatePaths, before: CommittedState[S], after: CommittedState[S], data: bytes
    ) -> Commit[CommittedState[S]]:
        fresh, hold = before.end == 0, self._source.holds.get(paths.id)
        seal = self._source.seals.for_writing(paths.id)
        if fresh and seal:
            seal.forget()
        elif seal and not seal.anchors():
            self._refuse_to_intrude(paths, seal)
        with self._disk.open(paths.journal, CREATE if fresh else WRITE) as fd:
            replica = self._replica_of(paths.id) if self._replica_of else None
            if replica:
                start = min(self._replicated.get(paths.id, before.end), before.end)
                more = self._disk.read_at(fd, start, before.end - start) + data
                with self._replicating(paths.id, start + len(more)):
                    replica.append(paths.id, start, more)
            undo = self._close if replica else self._take_back
            try:
                if fresh and os.fstat(fd).st_size:
                    self._disk.truncate(fd, 0)
                self._disk.append(fd, before.end, data)
            except OSError as error:
                undo(paths, fd, before.end, error)
                raise StoreError(f"{self._kind.name} {paths.id} could not be written: {error.strerror}") from error
            try:
                yield Unsynced(self._disk, fd, os.path.dirname(paths.journal) if fresh else None)
            except OSError as error:
                self._close(paths, fd, before.end, error)
            found = os.fstat(fd)
            if not found.st_nlink and not (hold and replica):  # which has it, and memory brings it back
                undo(paths, fd, before.end, FileNotFoundError(ENOENT, "its journal was removed"))
                raise DisplacedJournal(f"{paths.journal} was removed while it was being written; that write is lost")
        if hold:
            hold.remember(StateMemory.of(after), data)
        if seal:
            seal.keep(anchor_of(after))
        return replace(after, inode=found.st_ino, changed=found.st_ctime_ns)

    def _refuse_to_intrude(self, paths: StatePaths, seal: JournalSeal) -> None:
        """Conflict where a runner lives that has another key: it would take our lines for forged ones."""
        last = (self._disk.read(paths.journal) or b"").splitlines(keepends=True)[-1:]
        if not last or not seal.is_foreign(last[0]) or not is_locked(paths.lease):
            return
        if find_holder(self._disk, paths.lease) != os.getpid():
            raise Conflict(
                f"{self._kind.name} {paths.id} is being driven with another key, on another machine or as another "
                f"user; it is told what to do from there"
            )

    def restart(self, paths: StatePaths, rescue: RecoveredState[S], actor: str) -> S:
        """Writes the journal anew from what could be rescued; what stood there is kept beside it."""
        now = self.now()
        incident = "journal_forged" if rescue.tampered else "state_rebuilt"
        state = with_incident(rescue.known.state, incident, f"rebuilt from {rescue.origin}", now)
        event = JournalEvent(type="recovered", data={"from": rescue.origin})
        step = self.step(paths, rescue.known, state, CommitStamp(now, actor, event), prefix=rescue.lines)
        journal = rescue.lines + step.line
        if replica := self._replica_of(paths.id) if self._replica_of else None:
            with self._replicating(paths.id, len(journal)):
                replica.rewrite(paths.id, journal)
        self.quarantine(paths.state, rescue.known.file)
        return self._put_journal(paths, step.known, journal)

    def replace_journal(self, paths: StatePaths, journal: bytes, state: CommittedState[S]) -> S:
        """Writes what the replica has, in which `state` is the last; nobody drives it. What was in doubt is no more.

        The JSON file goes first: one of other lines would count as a change from outside.
        """
        self._source.cache.drop(paths.id)
        file = read_projection(self._disk, paths) or b""
        if (found := projection.parse_projection(file)) is None or not found.genuine:
            self.quarantine(paths.state, file)
        self._disk.remove(paths.state)
        mac = prefix_mac(journal) if self._source.seals.for_writing(paths.id) else ""
        self._put_journal(paths, _to_show(replace(state, mac=mac), 0), journal)
        self._replicated[paths.id] = len(journal)
        self._uncertain.discard(paths.id)
        self._show_progress(paths, state.state)
        return state.state

    def extend_journal(self, paths: StatePaths, at: int, data: bytes) -> S:
        """Adds lines that the replica has to the copy of a journal that others drive.

        They are not made durable: whatever a loss of power leaves is seen to be no copy, and fetched again.
        Conflict where the copy does not end at `at`; Corrupt where they do not follow.
        """
        now = self.now()
        self._source.cache.drop(paths.id)
        if seal := self._source.seals.for_writing(paths.id):
            seal.keep(COPY)
        view = self._source.view(paths, now)
        if not view.is_copy or view.known.end != at:
            raise Conflict(f"{self._kind.name} {paths.id}: its copy here does not end at byte {at} any more")
        known = extend_state(self._kind, view.known, paths.id, data, now)
        if stat_journal(paths).size > at:
            self._cut(paths, at)
        with self._disk.open(paths.journal, WRITE) as fd:
            self._disk.append(fd, at, data)
            found = os.fstat(fd)
        known = _to_show(replace(known, inode=found.st_ino, changed=found.st_ctime_ns), 0)
        if known.pending:
            known = self.projections.write(paths, known)
        else:  # what it shows is over
            self._disk.remove(paths.state)
        self._source.cache.put(paths.id, known)
        self._replicated[paths.id] = known.end
        self._show_progress(paths, known.state)
        return known.state

    def _show_progress(self, paths: StatePaths, state: S) -> None:
        """Those of its documents that show something else."""
        files = self._kind.progress(state).items()
        changed = {name: data for name, data in files if self._disk.read(f"{paths.progress}/{name}") != data}
        progress.write_files(self._disk, paths, changed)

    def bury(self, paths: StatePaths, actor: str) -> None:
        """Commits the tombstone."""
        self.refuse_uncertain(paths.id)
        now = self.now()
        base, known, lines = self.ground(paths, now)
        self._source.cache.drop(paths.id)
        step = self.step(paths, known, known.state, CommitStamp(now, actor, JournalEvent(type=DELETED)))
        carry_through(self.append, paths, base, step.known, [*lines, step.line])

    def _put_journal(self, paths: StatePaths, known: CommittedState[S], journal: bytes) -> S:
        """Other lines that stood there are kept beside it."""
        found = self._disk.read(paths.journal) or b""
        if not journal.startswith(found):
            self.quarantine(paths.journal, found)
        seal = self._source.seals.for_writing(paths.id)
        if seal:
            seal.keep(anchor_of(known), seal.anchor() or COPY, durable=True)
        self._disk.replace(paths.journal, journal, durable=True)
        if seal:
            seal.keep(anchor_of(known))
        at = stat_journal(paths)
        known = replace(known, inode=at.inode, changed=at.changed)
        known = self.projections.write(paths, known) if known.pending else known
        self._source.cache.put(paths.id, known)
        if hold := self._source.holds.get(paths.id):
            hold.begin_again(StateMemory.of(known), journal)
        return known.state

    @contextlib.contextmanager
    def _replicating(self, id: str, end: int) -> Iterator[None]:
        """Around a commit to the replica, which then has `end` bytes. In doubt, nothing more is written."""
        try:
            yield
        except Fenced:
            raise
        except BaseException:
            self._uncertain.add(id)
            raise
        self._replicated[id] = end

    def step(
        self, paths: StatePaths, known: CommittedState[S], state: S, stamp: CommitStamp, prefix: bytes | None = None
    ) -> CommitStep[S]:
        """The commit of `state`. Its line vouches for everything before that has no MACs of ours; `prefix`: that.

        Forbidden where lines have MACs, and the key cannot be read.
        """
        seal = self._source.seals.for_writing(paths.id)
        if seal and known.end and not known.mac:
            data = self._disk.read(paths.journal) or b"" if prefix is None else prefix
            known = replace(known, mac=prefix_mac(data[: known.end]))
        return build_commit(self._kind, known, state, stamp, self._clock.monotonic(), seal)

    def quarantine(self, path: str, data: bytes | None) -> None:
        """Keeps what could not be understood beside its place. Nothing is kept of an empty file."""
        if data and data.strip(b"\0 \t\r\n"):
            at = f"{path}.damaged-{self._clock.now():%Y%m%dT%H%M%S%f}"
            same = sum(1 for name in os.listdir(os.path.dirname(path)) if name.startswith(os.path.basename(at)))
            self._disk.replace(f"{at}-{same}" if same else at, data, durable=True)

    def _answer(
        self, request: CommitRequest[S], known: CommittedState[S], now: str, lines: list[bytes]
    ) -> CommittedState[S]:
        request.error = None
        with ErrorHandover(request):
            refuse_old_epoch(request.epoch, known.state)
            state = request.rule(known.state)
            if state is not known.state:
                stamp = CommitStamp(now, request.actor, request.event, request.epoch)
                step = self.step(request.paths, known, state, stamp)
                lines.append(step.line)
                known = step.known
            request.result = known.state
        return known

    def _patiently(self, paths: StatePaths, now: str) -> StateView[S]:
        view = self._source.view(paths, now)
        for _ in range(PATIENCE):
            if view.finding is not ProjectionStatus.BROKEN:
                break
            time.sleep(0.01)
            view = self._source.view(paths, now)
        return view

    def _cut(self, paths: StatePaths, end: int) -> None:
        """Removes a torn tail; what looks like lines is kept beside it."""
        data = self._disk.read(paths.journal) or b""
        if b"\n" in data[end:]:
            self.quarantine(paths.journal, data[end:])
        with self._disk.open(paths.journal, WRITE) as fd:
            self._disk.truncate(fd, end)

    def _restore(self, paths: StatePaths, hold: LeasedState[S], now: str) -> None:
        """Everything from the runner's memory, after its files were removed or changed under its hands."""
        history = hold.original(self._disk)
        seal = self._source.seals(paths.id)
        _, state, seq, end, _, mac = follow_journal(self._kind, hold.memory, history[hold.memory.end :], now, seal)
        history = history[:end]
        file = read_projection(self._disk, paths) or b""
        strange = (shown := projection.parse_projection(file)) is None or not shown.genuine
        known = CommittedState(state, patch.to_json(state), seq, len(history), 0, file if strange else None, whole=True)
        known = replace(known, mac=mac)
        origin = "its runner's memory: its files had been removed or changed"
        self.restart(paths, RecoveredState(known, history, origin), "runner")
        progress.write_files(self._disk, paths, self._kind.progress(state))

    def _take_back(self, paths: StatePaths, fd: int, end: int, why: OSError) -> None:
        """Uncertain where that fails."""
        try:
            self._disk.truncate(fd, end)
        except OSError as error:
            self._close(paths, fd, end, error)

    def _close(self, paths: StatePaths, fd: int, end: int, error: OSError) -> NoReturn:
        """Nothing more is written by this process.

        The line goes, as far as that can be done: another process that appended behind it would sync its own pages
        only, and a loss of power could leave a hole before what it has acknowledged.
        """
        self._uncertain.add(paths.id)
        with contextlib.suppress(OSError):
            self._disk.truncate(fd, end)
        raise UncertainCommit(
            f"{self._kind.name} {paths.id}: {error.strerror}; the last update may or may not have been kept"
        ) from error
