"""What the process that drives a state remembers of it: nothing done to its files meanwhile makes it forget."""

import os
from itertools import takewhile
from typing import Generic, NamedTuple

from loopwright.core.errors import Corrupt, NewerSchema
from loopwright.store import patch, projection
from loopwright.store.disk import READ, Disk
from loopwright.store.journal import JournalLine, apply_lines, load_state, scan_lines
from loopwright.store.kind import ParsedDocument, S, StateKind
from loopwright.store.lease import LeaseFile, LockDescriptor
from loopwright.store.mac_chain import JournalSeal
from loopwright.store.patch import Doc
from loopwright.store.paths import StatePaths
from loopwright.store.state_reader import (
    CommittedState,
    ProjectionStatus,
    StateView,
    judge_projection,
    read_projection,
    stat_journal,
)


class StateMemory(NamedTuple, Generic[S]):
    """The state that this process knows to be right: line `seq`, which ends at `end`.

    `whole`: the next line must carry the whole state, because lines that do not count stand before it. `mac`: what the
    next line is chained to.
    """

    state: S
    seq: int
    end: int
    whole: bool = False
    mac: str = ""

    @classmethod
    def of(cls, known: CommittedState[S], *, whole: bool = False) -> "StateMemory[S]":
        return cls(known.state, known.seq, known.end, whole, known.mac)


class LeasedState(Generic[S]):
    """Lease, memory, every byte of the journal, and the open journal itself, which outlives the removal of its name.

    `real`: see `StoreLocation.real`.
    """

    def __init__(
        self, lease_file: LeaseFile, paths: StatePaths, memory: StateMemory[S], history: bytes, real: tuple[str, ...]
    ) -> None:
        self.lease_file, self.real, self._paths = lease_file, real, paths
        self._journal = LockDescriptor(-1)
        self.begin_again(memory, history)

    def begin_again(self, memory: StateMemory[S], history: bytes) -> None:
        """Remembers a journal that was written anew and holds `history`."""
        before, self._journal = self._journal, LockDescriptor(os.open(self._paths.journal, READ))
        before.release()
        self._history = bytearray(history)
        self.memory = memory

    def remember(self, memory: StateMemory[S], more: bytes) -> None:
        """The journal went on with `more`."""
        self._history += more
        self.memory = memory

    @property
    def history(self) -> bytearray:
        """Every byte of the journal; not to be changed."""
        return self._history

    def knows(self, journal: bytes | None) -> bool:
        """Whether `journal` begins with every byte that is remembered."""
        return journal is not None and memoryview(journal)[: len(self._history)] == self._history

    def original(self, disk: Disk) -> bytes:
        """The journal as it was; with what others added last, unless the file was written over."""
        found = disk.read_at(self._journal.fd, 0, os.fstat(self._journal.fd).st_size)
        return found if self.knows(found) else bytes(self._history)

    def release(self) -> None:
        self._journal.release()


class FollowResult(NamedTuple, Generic[S]):
    """What memory makes of the journal behind it: `doc` and `state` at line `seq`, and what does not count of it."""

    doc: Doc
    state: S
    seq: int
    end: int
    forged: tuple[str, ...]
    mac: str


def follow_journal(
    kind: StateKind[S], memory: StateMemory[S], tail: bytes, now: str, seal: JournalSeal | None
) -> FollowResult[S]:
    """What others have committed since, without what only a living runner may change and lines that do not follow."""
    ours = tail[: seal.follows(memory.mac, tail)[0]] if seal and memory.mac else tail
    lines = tuple(takewhile(lambda line: not line.is_tombstone, scan_lines(ours, memory.end, after=memory.seq).lines))
    doc, state, lines = _carried_on(kind, memory, lines, now)
    seq, end = (lines[-1].seq, lines[-1].end) if lines else (memory.seq, memory.end)
    kept, forged = kind.keep_own(memory.state, state)
    if b"\n" in tail[end - memory.end :]:
        forged = (*forged, "journal lines that do not follow")
    mac = seal.follows(memory.mac, tail[: end - memory.end])[1] if seal and memory.mac else ""
    return FollowResult(patch.to_json(kept) if forged else doc, kept, seq, end, forged, mac)


def read_leased_state(
    disk: Disk, kind: StateKind[S], paths: StatePaths, memory: StateMemory[S], now: str, seal: JournalSeal | None
) -> StateView[S]:
    """As `known.look`, for the process that drives the state; the journal begins with what is remembered."""
    file, journal = read_projection(disk, paths), stat_journal(paths)
    found = projection.parse_projection(file) if file is not None else None
    data = disk.read(paths.journal) or b""
    doc, state, seq, end, forged, mac = follow_journal(kind, memory, data[memory.end :], now, seal)
    whole = memory.whole or bool(forged)
    known = CommittedState(state, doc, seq, end, journal.inode, file, whole, changed=journal.changed, mac=mac)
    if not whole and file == projection.render_projection(doc, rev=seq, journal_bytes=end)[0]:
        return StateView(known, ProjectionStatus.OURS, True, found)
    finding = judge_projection(file, found, scan_lines(data[:end]).lines)
    return StateView(
        known, ProjectionStatus.FOREIGN if finding is ProjectionStatus.AHEAD else finding, False, found, forged
    )


def _carried_on(
    kind: StateKind[S], memory: StateMemory[S], lines: tuple[JournalLine, ...], now: str
) -> tuple[Doc, S, tuple[JournalLine, ...]]:
    """The remembered state with `lines` on top; without them where they do not fit."""
    if lines:
        try:
            doc = apply_lines(patch.to_json(memory.state), lines)
            return doc, load_state(kind, ParsedDocument(doc, kind.id_of(memory.state), now, {}))[0], lines
        except (Corrupt, NewerSchema):
            pass
    return patch.to_json(memory.state), memory.state, ()
