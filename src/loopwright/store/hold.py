"""What the process that drives a state remembers of it: nothing done to its files meanwhile makes it forget."""

import os
from itertools import takewhile
from typing import Generic, NamedTuple

from loopwright.core.errors import Corrupt, NewerSchema
from loopwright.store import patch, projection
from loopwright.store.disk import READ, Disk
from loopwright.store.journal import Line, carried_on, load, scan
from loopwright.store.kind import Document, Kind, S
from loopwright.store.known import Finding, Known, View, journal_of, judge, projection_in
from loopwright.store.lease import Descriptor, Seat
from loopwright.store.patch import Doc
from loopwright.store.paths import Paths


class Memory(NamedTuple, Generic[S]):
    """The state that this process knows to be right: line `seq`, which ends at `end`.

    `whole`: the next line must carry the whole state, because lines that do not count stand before it.
    """

    state: S
    seq: int
    end: int
    whole: bool = False


class Hold(Generic[S]):
    """Lease, memory, every byte of the journal, and the open journal itself, which outlives the removal of its name.

    `real`: see `Place.real`.
    """

    def __init__(self, seat: Seat, paths: Paths, memory: Memory[S], history: bytes, real: tuple[str, ...]) -> None:
        self.seat, self.real, self._paths = seat, real, paths
        self._journal = Descriptor(-1)
        self.begin_again(memory, history)

    def begin_again(self, memory: Memory[S], history: bytes) -> None:
        """Remembers a journal that was written anew and holds `history`."""
        before, self._journal = self._journal, Descriptor(os.open(self._paths.journal, READ))
        before.release()
        self._history = bytearray(history)
        self.memory = memory

    def remember(self, memory: Memory[S], more: bytes) -> None:
        """The journal went on with `more`."""
        self._history += more
        self.memory = memory

    def knows(self, journal: bytes | None) -> bool:
        """Whether `journal` begins with every byte that is remembered."""
        return journal is not None and memoryview(journal)[: len(self._history)] == self._history

    def original(self, disk: Disk) -> bytes:
        """The journal as it was; with what others added last, unless the file was written over."""
        found = disk.read_at(self._journal.fd, 0, os.fstat(self._journal.fd).st_size)
        return found if self.knows(found) else bytes(self._history)

    def release(self) -> None:
        self._journal.release()


class Following(NamedTuple, Generic[S]):
    """What memory makes of the journal behind it: `doc` and `state` at line `seq`, and what does not count of it."""

    doc: Doc
    state: S
    seq: int
    end: int
    forged: tuple[str, ...]


def follow(kind: Kind[S], memory: Memory[S], tail: bytes, now: str) -> Following[S]:
    """What others have committed since, without what only a living runner may change and lines that do not follow."""
    lines = tuple(takewhile(lambda line: not line.is_tombstone, scan(tail, memory.end, after=memory.seq).lines))
    doc, state, lines = _carried_on(kind, memory, lines, now)
    seq, end = (lines[-1].seq, lines[-1].end) if lines else (memory.seq, memory.end)
    kept, forged = kind.keep_own(memory.state, state)
    if b"\n" in tail[end - memory.end :]:
        forged = (*forged, "journal lines that do not follow")
    return Following(patch.plain(kept) if forged else doc, kept, seq, end, forged)


def look_held(disk: Disk, kind: Kind[S], paths: Paths, memory: Memory[S], now: str) -> View[S]:
    """As `known.look`, for the process that drives the state; the journal begins with what is remembered."""
    file, journal = projection_in(disk, paths), journal_of(paths)
    found = projection.parse(file) if file is not None else None
    data = disk.read(paths.journal) or b""
    doc, state, seq, end, forged = follow(kind, memory, data[memory.end :], now)
    whole = memory.whole or bool(forged)
    known = Known(state, doc, seq, end, journal.inode, file, whole, changed=journal.changed)
    if not whole and file == projection.render(doc, rev=seq, journal_bytes=end)[0]:
        return View(known, Finding.OURS, True, found)
    finding = judge(file, found, scan(data[:end]).lines)
    return View(known, Finding.FOREIGN if finding is Finding.AHEAD else finding, False, found, forged)


def _carried_on(kind: Kind[S], memory: Memory[S], lines: tuple[Line, ...], now: str) -> tuple[Doc, S, tuple[Line, ...]]:
    """The remembered state with `lines` on top; without them where they do not fit."""
    if lines:
        try:
            doc = carried_on(patch.plain(memory.state), lines)
            return doc, load(kind, Document(doc, kind.id_of(memory.state), now, {}))[0], lines
        except (Corrupt, NewerSchema):
            pass
    return patch.plain(memory.state), memory.state, ()
