"""The news of all runs: read once for everybody who listens, and only while somebody does."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import structlog

from loopwright.domain.errors import StoreError
from loopwright.server.asking import Control
from loopwright.server.chronicle import Chronicle, Told, Which
from loopwright.server.feed import Feed
from loopwright.server.kinds import Source, sources
from loopwright.server.lookout import LOOK_SECONDS, Ear, Lookout
from loopwright.server.position import Place
from loopwright.server.sse import PING_SECONDS, opening, ping, reset

AT_ONCE = 200
"""Runs that are looked into before what they brought is sent; records that are read back at once."""
KEPT_BYTES = 4 << 20
"""Of events in memory, for those who read as they come."""
GONE_SECONDS = 0.3

log = structlog.get_logger("loopwright.server")


class Recent:
    """The latest events, in order and without a gap."""

    def __init__(self) -> None:
        self._told: deque[Told] = deque()
        self._size = 0

    def add(self, told: Sequence[Told]) -> None:
        if told and self._told and told[0].number != self._told[-1].number + 1:
            self.clear()
        for one in told:
            self._told.append(one)
            self._size += len(one.events)
        while self._size > KEPT_BYTES:
            self._size -= len(self._told.popleft().events)

    def after(self, number: int) -> tuple[Told, ...] | None:
        """Everything behind that record, None where that is not at hand."""
        if not self._told or number < self._told[0].number - 1:
            return None
        behind = self._told[-1].number - number
        return tuple(self._told)[-behind:] if behind > 0 else ()

    def clear(self) -> None:
        self._told.clear()
        self._size = 0


class News:
    """Belongs to one event loop. `folder`: where the feed is kept. `seen`: commits that were read as they came."""

    def __init__(self, control: Control, lookout: Callable[[Source], Lookout], folder: Path) -> None:
        self._control, self._lookout, self._folder = control, lookout, folder
        self._sources = sources(control.projects)
        self._opening = asyncio.Lock()
        self._chronicle: Chronicle | None = None
        self._recent = Recent()
        self._ears: set[Ear] = set()
        self._reading: asyncio.Task[None] | None = None
        self._dirty: dict[Which, bool] = {}
        self._doubted: set[Which] = set()
        self._all = False
        self._wake, self._current = asyncio.Event(), asyncio.Event()
        self.seen = 0

    async def open(self) -> Chronicle:
        """Opens the feed at the first time. StoreError."""
        async with self._opening:
            if self._chronicle is None:
                feed = await self._control.beside(self._feed)
                self._chronicle = Chronicle(feed, self._sources)
            return self._chronicle

    def close(self) -> None:
        """For another server to go on with."""
        if self._chronicle is not None:
            self._chronicle.feed.close()
            self._chronicle = None

    async def blocks(self, last: Place | None, project: str | None) -> AsyncGenerator[bytes, None]:
        """What one reader gets, who has seen everything up to `last`; of one project, if one is named."""
        try:
            async with aclosing(self._blocks(await self.open(), last, project)) as blocks:
                async for data in blocks:
                    yield data
        except StoreError as error:  # the reader comes back where it was
            log.warning("changes can not be told", problem=str(error))

    async def _blocks(
        self, chronicle: Chronicle, last: Place | None, project: str | None
    ) -> AsyncGenerator[bytes, None]:
        with self._listening(chronicle) as ear:
            place = last
            if place is None or place.feed != chronicle.feed.name:
                await self._current.wait()
                place = chronicle.end
            yield opening(str(place))
            if last and last.feed != place.feed:
                yield reset(str(place))
            whole = False
            while True:
                told = self._recent.after(place.number) if whole else None
                if told is None:
                    told = await self._control.beside(partial(chronicle.after, place.number, place.seq, AT_ONCE))
                if told is None:
                    place = chronicle.end
                    yield reset(str(place))
                    continue
                whole = True
                if told:
                    place = Place(place.feed, told[-1].number, told[-1].seq)
                    if news := b"".join(one.events for one in told if project in (None, one.project)):
                        yield news
                    continue
                while await ear.next(PING_SECONDS) is None:
                    yield ping(str(place))

    @contextmanager
    def _listening(self, chronicle: Chronicle) -> Iterator[Ear]:
        ear = Ear()
        self._ears.add(ear)
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(chronicle))
            self._reading.add_done_callback(self._ended)
        try:
            yield ear
        finally:
            self._ears.discard(ear)
            if not self._ears and self._reading is not None:
                self._reading.cancel()
                self._reading = None
                self._recent.clear()
                self._current.clear()

    def _ended(self, reading: asyncio.Task[None]) -> None:
        if not reading.cancelled() and (error := reading.exception()) is not None:
            log.error("changes are told no more until somebody comes anew", exc_info=error)
            self._reading = None

    async def _read(self, chronicle: Chronicle) -> None:
        """Reads what changes as long as somebody listens."""
        self._all = True
        self._wake.set()
        with ExitStack() as lookouts:
            for number, source in enumerate(self._sources):
                lookouts.enter_context(self._lookout(source).all(partial(self._hear, number)))
            while True:
                await self._wake.wait()
                self._wake.clear()
                try:
                    await self._read_all(chronicle)
                except StoreError as error:
                    log.warning("changes can not be told", problem=str(error))
                    await asyncio.sleep(LOOK_SECONDS)
                    self._hear(0, None, True)

    async def _read_all(self, chronicle: Chronicle) -> None:
        if self._all:
            self._all = False
            odd = await self._control.beside(chronicle.catch_up)
            self._dirty |= odd
            self._recent.clear()
            self._current.set()
            self._tell()
        while self._dirty:
            batch = dict(islice(self._dirty.items(), AT_ONCE))
            for which in batch:
                del self._dirty[which]
            sure = frozenset(self._doubted & batch.keys())
            self._doubted -= sure
            told, doubtful = await self._control.beside(partial(chronicle.take, batch, sure))
            self._recent.add(told)
            self.seen += sum(one.events.count(b"\ndata:") for one in told)
            self._tell()
            for which in doubtful:
                asyncio.get_running_loop().call_later(GONE_SECONDS, self._doubt, which)

    def _hear(self, source: int, id: str | None, exact: bool) -> None:
        if id is None:
            self._all = True
        else:
            self._dirty[source, id] = exact or self._dirty.get((source, id), False)
        self._wake.set()

    def _doubt(self, which: Which) -> None:
        self._doubted.add(which)
        self._hear(*which, True)

    def _tell(self) -> None:
        for ear in self._ears:
            ear.tell(None, False)

    def _feed(self) -> Feed:
        token = self._sources[0].service.clock.token
        return Feed.opened(self._folder, [source.name for source in self._sources], self._revs, token)

    def _revs(self) -> list[Mapping[str, int]]:
        return [source.service.store.revs() for source in self._sources]
