"""The changes of one store, brought to whoever listens: by the kernel's word; where it gives none, by looking often."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loopwright.core.ports import ChangeWatcher, StateChanges, WatchableStore

LATE_SECONDS = 0.05
"""How long a commit may take to be shown, before it is read with waiting."""
REST_SECONDS = 0.01
"""After a reading of what the kernel tells: what comes in quick succession is read, and told on, together."""
LOOK_SECONDS = 1.0
"""Between two looks where nothing tells of changes."""

Listener = Callable[[str | None, bool], None]
"""Hears of an id, or of None: any may have changed. True: read it with waiting, for nothing shows it yet."""


class ChangeListener:
    """Waits for the next change."""

    def __init__(self) -> None:
        self._heard = asyncio.Event()
        self._exact = False

    def tell(self, id: str | None, exact: bool) -> None:
        self._exact |= exact
        self._heard.set()

    async def next(self, seconds: float) -> bool | None:
        """Whether to read with waiting; None when nothing came for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._heard.wait()
        except TimeoutError:
            return None
        exact, self._exact = self._exact, False
        self._heard.clear()
        return exact


class ChangeNotifier:
    """Belongs to one event loop. Watches only while somebody listens."""

    def __init__(self, store: WatchableStore[object]) -> None:
        self._store = store
        self._everything: set[Listener] = set()
        self._by_id: dict[str, set[Listener]] = {}
        self._watching: ChangeWatcher | None = None
        self._again: asyncio.TimerHandle | None = None
        """The next look, or the end of a rest."""
        self._late: dict[str, asyncio.TimerHandle] = {}

    @contextmanager
    def one(self, id: str) -> Iterator[ChangeListener]:
        """Listens for one run, with its progress files."""
        listener = ChangeListener()
        listeners = self._by_id.setdefault(id, set())
        listeners.add(listener.tell)
        self._begin()
        if self._watching and len(listeners) == 1:
            self._watching.hear(id)
        try:
            yield listener
        finally:
            listeners.discard(listener.tell)
            if not listeners:
                del self._by_id[id]
                if self._watching:
                    self._watching.ignore(id)
            self._end_if_alone()

    @contextmanager
    def all(self, listener: Listener) -> Iterator[None]:
        """Listens for every run."""
        self._everything.add(listener)
        self._begin()
        try:
            yield
        finally:
            self._everything.discard(listener)
            self._end_if_alone()

    def _begin(self) -> None:
        if self._watching is None and self._again is None:
            self._watch()

    def _watch(self) -> None:
        """Watches; where that cannot be, looks again and again, and tries anew each time."""
        self._again = None
        self._watching = self._store.watch()
        loop = asyncio.get_running_loop()
        if self._watching is None:
            self._again = loop.call_later(LOOK_SECONDS, self._look_again)
            return
        self._wait()
        for id in self._by_id:
            self._watching.hear(id)

    def _wait(self) -> None:
        assert self._watching is not None
        self._again = None
        asyncio.get_running_loop().add_reader(self._watching.fileno(), self._take)

    def _look_again(self) -> None:
        self._watch()
        self._tell(None, True)

    def _take(self) -> None:
        assert self._watching is not None
        changes = self._watching.changes()
        if changes is None:
            self._unwatch()
            self._look_again()
        else:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._watching.fileno())
            self._again = loop.call_later(REST_SECONDS, self._wait)
            self._spread(changes)

    def _spread(self, changes: StateChanges) -> None:
        loop = asyncio.get_running_loop()
        for id in changes.shown:
            if (late := self._late.pop(id, None)) is not None:
                late.cancel()
            self._tell(id, False)
        for id in changes.written:
            if id not in self._late:
                self._late[id] = loop.call_later(LATE_SECONDS, self._is_late, id)
        for id in changes.noted:
            for listener in tuple(self._by_id.get(id, ())):
                listener(id, False)

    def _is_late(self, id: str) -> None:
        del self._late[id]
        self._tell(id, True)

    def _tell(self, id: str | None, exact: bool) -> None:
        some = self._by_id.get(id, ()) if id else (one for listeners in self._by_id.values() for one in listeners)
        for listener in (*some, *self._everything):
            listener(id, exact)

    def _end_if_alone(self) -> None:
        if self._everything or self._by_id:
            return
        self._unwatch()

    def _unwatch(self) -> None:
        for late in self._late.values():
            late.cancel()
        self._late.clear()
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._watching is not None:
            asyncio.get_running_loop().remove_reader(self._watching.fileno())
            self._watching.close()
            self._watching = None
