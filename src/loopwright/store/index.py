"""Which states there are, in order: in memory, and brought up to date by what the kernel says has changed.

What was found is kept on disk, so that a later process looks only into files that have changed since.
"""

import os
import threading
from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, NamedTuple

from loopwright.core.errors import LoopwrightError, NotFound
from loopwright.core.ports import Page
from loopwright.store import projection
from loopwright.store.change_notifier import StateChangeWatcher, watch_states
from loopwright.store.disk import Disk
from loopwright.store.kept_index import (
    OLD_STATES,
    IndexEntry,
    find_ids,
    is_settled,
    kept_folder,
    read_entries,
    read_kept,
    render_index,
    stamp_file,
    stamp_state,
    write_kept,
)
from loopwright.store.kind import S, matches_search, searched_texts, sort_age
from loopwright.store.patch import Doc
from loopwright.store.paths import KindLayout, StatePaths
from loopwright.store.source import StateSource
from loopwright.store.state_reader import DeletedState, read_projection, stat_journal

Key = tuple[float, str]

KEPT = 512
"""States of the pages that were last asked for."""
LONGEST_TEXTS = 4096
"""Characters of a state that are remembered for searches; one that has more of them is read again."""
WORTH_KEEPING = 64
"""Changes that are not left to `close`, which a process may not live to see."""


class IndexRow(NamedTuple):
    """What a listing is sorted, filtered and searched by; `age` is smaller the later the state was updated."""

    status: str
    age: float
    rev: int
    texts: tuple[str, ...] | None


class StateIndex(Generic[S]):
    """`finish_deletion` is called for states that are buried but not gone. `root`: the project's, where it is kept."""

    def __init__(
        self,
        disk: Disk,
        layout: KindLayout,
        source: StateSource[S],
        now: Callable[[], str],
        finish_deletion: Callable[[str], None],
        root: Path | None,
    ) -> None:
        self._disk, self._layout, self._source, self._root = disk, layout, source, root
        self._now, self._finish_deletion = now, finish_deletion
        self._mutex = threading.Lock()
        self._watch: StateChangeWatcher | None = None
        self._summaries: dict[str, IndexRow] = {}
        self._order: dict[str | None, list[Key]] = {}
        self._seen: dict[str, str] = {}
        self._unkept: int | None = None
        """Entries that are not as they are kept; None before the first look."""
        self._odd: set[str] = set()
        """Whose JSON file is not all there is to know of them."""
        self._fresh: set[str] = set()
        """Whose files had been changed so lately that a further change may have left the same stamp."""
        self._damaged: dict[str, str] = {}
        self._read: OrderedDict[str, S] = OrderedDict()

    def page(self, status: str | None, limit: int, offset: int, search: str) -> Page[S]:
        """Only the page's own states are read, and of those that are searched the ones with long texts."""
        with self._mutex:
            self._refresh()
            ids = [id for _, id in self._order.get(status, [])]
            texts = {id: self._summaries[id].texts for id in ids} if search.strip() else {}
        if texts:
            ids = [id for id in ids if self._matches(id, texts[id], search)]
        states = (state for id in ids[offset : offset + limit] if (state := self._state(id)) is not None)
        return Page(tuple(states), len(ids))

    def _matches(self, id: str, texts: tuple[str, ...] | None, search: str) -> bool:
        if texts is None:
            state = self._state(id)
            texts = searched_texts(self._source.kind, state) if state else ()
        return matches_search(texts, search)

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
            if self._unkept:
                self._keep_on_disk()

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
        if self._unkept is None:
            self._unkept = 0
            self._recall()
        ids = self._layout.ids()
        old, broken = self._source.legacy.states(self._now())
        for id in self._summaries.keys() - ids - old.keys():
            self._forget(id)
        self._damaged = {id: why for id, why in self._damaged.items() if id in ids} | broken
        for id in ids:
            if self._seen.get(id) != stamp_state(self._layout.base(id)):
                self._note(id)
        for id in old.keys() - ids:
            self._keep(id, self._row(old[id]))
        if self._unkept >= WORTH_KEEPING:
            self._keep_on_disk()

    def _recall(self) -> None:
        """What an earlier process has found."""
        if self._root is None:
            return
        root, name = str(self._root), self._layout.name
        index, known = (read_kept(kept_folder(root), f"{name}.{part}", root) for part in ("index", "texts"))
        for id, stamp, status, age, rev, texts in read_entries(index, known) if index and known else ():
            self._seen[id] = stamp
            self._summaries[id] = IndexRow(status, age, rev, None if texts is None else tuple(texts))
            for group in (None, status):
                self._order.setdefault(group, []).append((age, id))

    def _keep_on_disk(self) -> None:
        """Only what the next look can tell to be unchanged; `whole` where that is everything."""
        if self._root is None:
            return
        for id in tuple(self._fresh):
            self._note(id)
        folder = str(self._layout.folder)
        stamp, found = stamp_file(folder), find_ids(folder, self._layout.homes)
        known = (id for _, id in self._order.get(None, []) if id in self._seen)
        kept = (id for id in known if id not in self._odd and id not in self._fresh)
        entries = [IndexEntry(id, self._seen[id], *self._summaries[id]) for id in kept]
        whole = not self._damaged and found == {entry.id for entry in entries}
        whole = whole and not os.path.lexists(self._root / OLD_STATES)
        root, name = str(self._root), self._layout.name
        for part, text in zip(
            ("texts", "index"), render_index(entries, whole=whole, folder=stamp or "")[::-1], strict=True
        ):
            write_kept(kept_folder(root), f"{name}.{part}", root, text)
        self._unkept = 0

    def _note(self, id: str) -> None:
        stamp = stamp_state(self._layout.base(id))
        self._read.pop(id, None)
        self._damaged.pop(id, None)
        self._odd.discard(id)
        try:
            self._keep(id, self._look(self._layout.paths(id)))
        except NotFound as error:
            self._forget(id)
            if isinstance(error, DeletedState):
                self._finish_deletion(id)
        except LoopwrightError as error:
            self._forget(id)
            self._damaged[id] = str(error)
        self._seen[id] = stamp
        (self._fresh.discard if is_settled(stamp) else self._fresh.add)(id)
        self._unkept = (self._unkept or 0) + 1

    def _look(self, paths: StatePaths) -> IndexRow:
        """From memory, or from the JSON file alone where it is ours and up to date."""
        file = read_projection(self._disk, paths)
        if (known := self._source.cached_beside(paths, file)) and known.pending is None:
            return self._row(known.state)
        found = projection.parse_projection(file or b"")
        if found and found.genuine and self._is_latest(paths, found):
            id, *_ = searched_texts(self._source.kind, found.doc)
            if id == paths.id:  # else it was copied
                return self._describe(found.doc["status"], found.doc["updated_at"], found.rev, found.doc)
        self._odd.add(paths.id)
        return self._row(self._source.read(paths, self._now()))

    def _is_latest(self, paths: StatePaths, found: projection.Projection) -> bool:
        """Whether a genuine file shows the end of the journal, and what its anchor names if it has one."""
        seal = self._source.seals(paths.id)
        anchor = seal.anchor() if seal else None
        is_named = anchor is None or anchor.is_copy or anchor.digest == found.digest
        return is_named and found.journal_bytes == stat_journal(paths).size

    def _row(self, state: S) -> IndexRow:
        return self._describe(state.status, state.updated_at, state.engine.rev, state)

    def _describe(self, status: str, updated_at: str | None, rev: int, known: S | Doc) -> IndexRow:
        texts = searched_texts(self._source.kind, known)
        return IndexRow(status, sort_age(updated_at), rev, texts if sum(map(len, texts)) <= LONGEST_TEXTS else None)

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
        self._unkept = (self._unkept or 0) + 1
        for group in (None, summary.status):
            order = self._order[group]
            del order[bisect_left(order, (summary.age, id))]
