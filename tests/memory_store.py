"""The store's fake: the same promises, kept in memory; only the progress files are files."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic

from loopwright.core.errors import Conflict, NotFound
from loopwright.core.ports import Clock, Lease, Page, Rule, StateChange, StateChanges
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.store import patch, progress, projection
from loopwright.store.commit import pick_later_time, refuse_old_epoch, refuse_other_id
from loopwright.store.disk import ClosingContext, Disk
from loopwright.store.kind import S, StateKind, matches_search, searched_texts, sort_age, with_next_epoch
from loopwright.store.lease import HeldLease
from loopwright.store.paths import StatePaths


class MemoryWatching:
    """See ports.watching.Watching."""

    def __init__(self, closed: Callable[["MemoryWatching"], None]) -> None:
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._closed = closed
        self._mutex = threading.Lock()
        self._heard: set[str] = set()
        self._shown: set[str] = set()
        self._noted: set[str] = set()

    def fileno(self) -> int:
        return self._fd

    def changes(self) -> StateChanges:
        with self._mutex:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self._fd)
            found = StateChanges(frozenset(self._shown), frozenset(), frozenset(self._noted))
            self._shown, self._noted = set(), set()
            return found

    def hear(self, id: str) -> None:
        self._heard.add(id)

    def ignore(self, id: str) -> None:
        self._heard.discard(id)

    def close(self) -> None:
        self._closed(self)
        os.close(self._fd)

    def tell(self, id: str, *, noted: bool) -> None:
        """Of a commit, or of progress files."""
        with self._mutex:
            if noted and id not in self._heard:
                return
            (self._noted if noted else self._shown).add(id)
            os.eventfd_write(self._fd, 1)


class MemoryStore(ClosingContext, Generic[S]):
    """States of one kind for the life of this object; progress files go to `folder`."""

    def __init__(self, kind: StateKind[S], clock: Clock, folder: Path) -> None:
        self._kind, self._clock, self._layout = kind, clock, kind.layout(folder)
        self._disk = Disk()
        self._mutex = threading.RLock()
        self._history: dict[str, list[S]] = {}
        self._entries: dict[str, list[JournalEntry]] = {}
        self._leased: set[str] = set()
        self._watching: list[MemoryWatching] = []

    def close(self) -> None:
        """Nothing is open."""

    def create(self, state: S, *, actor: str) -> S:
        id = self._paths(self._kind.id_of(state)).id
        with self._mutex:
            if id in self._history:
                raise Conflict(f"{self._kind.name} {id} already exists")
            return self._commit(id, state, state, actor, JournalEvent(type="created"))

    def read(self, id: str) -> S:
        with self._mutex:
            try:
                return self._history[self._paths(id).id][-1]
            except KeyError:
                raise NotFound(f"{self._kind.name} not found: {id}") from None

    def read_at(self, id: str, rev: int) -> S:
        with self._mutex:
            self.read(id)
            if not 0 < rev <= len(self._history[id]):
                raise NotFound(f"{self._kind.name} {id} has no commit {rev}")
            return self._history[id][rev - 1]

    def update(self, id: str, rule: Rule[S], *, actor: str, event: JournalEvent, epoch: int | None = None) -> S:
        with self._mutex:
            state = self.read(id)
            refuse_old_epoch(epoch, state)
            changed = rule(state)
            return state if changed is state else self._commit(id, state, changed, actor, event)

    def list(self, *, status: str | None = None, limit: int = 50, offset: int = 0, search: str = "") -> Page[S]:
        with self._mutex:
            states = [
                state
                for *_, state in self._history.values()
                if status in (None, state.status) and matches_search(searched_texts(self._kind, state), search)
            ]
        states.sort(key=lambda state: (sort_age(state.updated_at), self._kind.id_of(state)))
        return Page(tuple(states[offset : offset + limit]), len(states))

    def damaged(self) -> Mapping[str, str]:
        return {}

    def events(self, id: str, after: int = 0) -> Sequence[JournalEntry]:
        self.read(id)
        with self._mutex:
            return tuple(entry for entry in self._entries[id] if entry.seq > after)

    def shown(self, id: str, after: int = 0) -> StateChange[S]:
        with self._mutex:
            return StateChange(self.read(id), tuple(self.events(id, after)))

    def text(self, id: str, state: S) -> bytes | None:
        return None

    def revs(self) -> Mapping[str, int]:
        with self._mutex:
            return {id: len(states) for id, states in self._history.items()}

    def watch(self) -> MemoryWatching:
        with self._mutex:
            self._watching.append(MemoryWatching(self._watching.remove))
            return self._watching[-1]

    def recover(self, id: str, *, actor: str) -> S:
        return self.read(id)

    def delete(self, id: str, *, actor: str) -> None:
        with self._mutex:
            self.read(id)
            if id in self._leased:
                raise Conflict(f"{self._kind.name} {id} is being driven by process {os.getpid()}")
            del self._history[id], self._entries[id]
            self._tell(id)

    @contextlib.contextmanager
    def lease(self, id: str) -> Iterator[Lease]:
        with self._mutex:
            self.read(id)
            if id in self._leased:
                raise Conflict(f"{self._kind.name} {id} is being driven by process {os.getpid()}")
            self._leased.add(id)
        try:
            state = self.update(id, with_next_epoch, actor="runner", event=JournalEvent(type="lease_taken"))
            yield HeldLease(state.engine.epoch)
        finally:
            with self._mutex:
                self._leased.discard(id)

    def holder(self, id: str) -> int | None:
        return os.getpid() if id in self._leased else None

    def write_progress(self, id: str, files: Mapping[str, bytes]) -> None:
        progress.write_files(self._disk, self._paths(id), files)
        self._tell(id, noted=True)

    def append_progress(self, id: str, name: str, lines: Sequence[bytes]) -> None:
        progress.append_lines(self._disk, self._paths(id), name, lines)
        self._tell(id, noted=True)

    def kept(self, id: str) -> Sequence[Path]:
        return ()

    def progress_path(self, id: str) -> Path:
        return self._paths(id).progress

    def _paths(self, id: str) -> StatePaths:
        return self._layout.paths(id)

    def _commit(self, id: str, before: S, state: S, actor: str, event: JournalEvent) -> S:
        """What the files would not hold is refused here as well."""
        refuse_other_id(self._kind, before, state)
        projection.render_projection(patch.to_json(state), rev=0, journal_bytes=0)
        entries = self._entries.setdefault(id, [])
        now = self._clock.now().isoformat(timespec="milliseconds")
        engine = state.engine.evolve(rev=len(entries) + 1)
        state = state.evolve(updated_at=pick_later_time(before.updated_at, now), engine=engine)
        entries.append(JournalEntry(seq=engine.rev, ts=now, actor=actor, event=event))
        self._history.setdefault(id, []).append(state)
        self._tell(id)
        return state

    def _tell(self, id: str, *, noted: bool = False) -> None:
        with self._mutex:
            for one in self._watching:
                one.tell(id, noted=noted)
