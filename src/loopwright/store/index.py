"""Which states there are, in order: in memory, and brought up to date by what the kernel says has changed."""

import os
import threading
from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple

from loopwright.core.errors import LoopwrightError, NotFound
from loopwright.core.ports import Page
from loopwright.store import projection
from loopwright.store.change_notifier import StateChangeWatcher, watch_states
from loopwright.store.disk import Disk
from loopwright.store.kind import S, matches_search, sort_age
from loopwright.store.paths import KindLayout, StatePaths
from loopwright.store.source import StateSource
from loopwright.store.state_reader import DeletedState, read_projection, stat_journal

Key = tuple[float, str]

KEPT = 512
"""States of the pages that were last asked for."""


class IndexRow(NamedTuple):
    """What a listing is sorted and filtered by; `age` is smaller the later the state was updated."""

    status: str
    age: float
    rev: int


class StateIndex(Generic[S]):
    """`finish_deletion` is called for states that are buried but not gone."""

    def __init__(
        self,
        disk: Disk,
        layout: KindLayout,
        source: StateSource[S],
        now: Callable[[], str],
        finish_deletion: Callable[[str], None],
    ) -> None:
        self._disk, self._layout, self._source = disk, layout, source
        self._now, self._finish_deletion = now, finish_deletion
        self._mutex = threading.Lock()
        self._watch: StateChangeWatcher | None = None
        self._summaries: dict[str, IndexRow] = {}
        self._order: dict[str | None, list[Key]] = {}
        self._seen: dict[str, object] = {}
        self._damaged: dict[str, str] = {}
        self._read: OrderedDict[str, S] = OrderedDict()

    def page(self, status: str | None, limit: int, offset: int, search: str) -> Page[S]:
        """Only the page's own states are read, unless something is searched for."""
        with self._mutex:
            self._refresh()
            order = self._order.get(status, [])
            part, total = order[:] if search.strip() else order[offset : offset + limit], len(order)
        states = (state for _, id in part if (state := self._state(id)) is not None)
        if not search.strip():
            return Page(tuple(states), total)
        found = [state for state in states if matches_search(self._source.kind, state, search)]
        return Page(tuple(found[offset : offset + limit]), len(found))

    def damaged(self) -> Mapping[str, str]:
        with self._mutex:
            self._refresh()
            return dict(self._damaged)

    def revs(self) -> Mapping[str, int]:
        with self._mutex:
            self._refresh()
            return {id: summary.rev for id, summary in self._summaries.items()}

    def close(self) -> None:
        with self._mutex:
            if self._watch:
                self._watch.close()
            self._watch = None

    def _state(self, id: str) -> S | None:
        """None for one that went away or broke since it was looked at. Read again only after the watch told of it."""
        known = self._read.get(id)
        if known is not None:
            return known
        seen = self._seen.get(id)
        try:
            state = self._source.read(self._layout.paths(id), self._now())
        except LoopwrightError:
            return None
        with self._mutex:
            if self._watch and seen is not None and self._seen.get(id) is seen:
                self._read[id] = state
                if len(self._read) > KEPT:
                    self._read.popitem(last=False)
        return state

    def _refresh(self) -> None:
        changed = self._watch.changed() if self._watch else None
        if changed is not None:
            for id in changed:
                self._note(id)
            return
        if self._watch:
            self._watch.close()
        self._watch = watch_states(self._layout, self._layout.folder)
        self._scan()

    def _scan(self) -> None:
        """Looks at everything, and into what is not as it was."""
        self._read.clear()
        ids = self._layout.ids()
        old, broken = self._source.legacy.states(self._now())
        for id in self._summaries.keys() - ids - old.keys():
            self._forget(id)
        self._damaged = {id: why for id, why in self._damaged.items() if id in ids} | broken
        for id in ids:
            if self._seen.get(id) != self._signature(id):
                self._note(id)
        for id in old.keys() - ids:
            self._keep(id, _summary(old[id].status, old[id].updated_at, old[id].engine.rev))

    def _signature(self, id: str) -> object:
        paths = self._layout.paths(id)
        try:
            stat = os.stat(paths.state)
        except (FileNotFoundError, NotADirectoryError):
            return stat_journal(paths)
        return (stat.st_mtime_ns, stat.st_ino, stat.st_size, stat_journal(paths))

    def _note(self, id: str) -> None:
        signature = self._signature(id)
        self._read.pop(id, None)
        self._damaged.pop(id, None)
        try:
            self._keep(id, self._look(self._layout.paths(id)))
        except NotFound as error:
            self._forget(id)
            if isinstance(error, DeletedState):
                self._finish_deletion(id)
        except LoopwrightError as error:
            self._forget(id)
            self._damaged[id] = str(error)
        self._seen[id] = signature

    def _look(self, paths: StatePaths) -> IndexRow:
        """From the JSON file alone where it is ours and up to date."""
        found = projection.parse_projection(read_projection(self._disk, paths) or b"")
        if found and found.genuine and found.journal_bytes == stat_journal(paths).size:
            return _summary(found.doc["status"], found.doc["updated_at"], found.rev)
        state = self._source.read(paths, self._now())
        return _summary(state.status, state.updated_at, state.engine.rev)

    def _keep(self, id: str, summary: IndexRow) -> None:
        if self._summaries.get(id) == summary:
            return
        self._forget(id)
        self._summaries[id] = summary
        for group in (None, summary.status):
            insort(self._order.setdefault(group, []), (summary.age, id))

    def _forget(self, id: str) -> None:
        summary = self._summaries.pop(id, None)
        self._seen.pop(id, None)
        if summary is None:
            return
        for group in (None, summary.status):
            order = self._order[group]
            del order[bisect_left(order, (summary.age, id))]


def _summary(status: str, updated_at: str | None, rev: int) -> IndexRow:
    return IndexRow(status, sort_age(updated_at), rev)
