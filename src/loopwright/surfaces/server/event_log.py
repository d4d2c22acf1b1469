"""All runs of all projects, told in one order: what changed becomes records of the feed, and records become events."""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import structlog

from loopwright.core.errors import Corrupt, NewerSchema, NotFound, StoreError
from loopwright.core.ports import Store
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.run import Run
from loopwright.surfaces.server.change_notifier import LOOK_SECONDS, ChangeListener, ChangeNotifier
from loopwright.surfaces.server.dependencies import Control
from loopwright.surfaces.server.kinds import RunSource, list_sources
from loopwright.surfaces.server.offset_log import GONE, OffsetLog, OffsetRecord
from loopwright.surfaces.server.run_event_stream import Fields, entry_fields, find_beginning
from loopwright.surfaces.server.sse import (
    PING_SECONDS,
    LogPosition,
    encode_event,
    encode_opening,
    encode_ping,
    encode_reset,
)

RunRef = tuple[int, str]
"""A run: the number of its source, and its id."""
ChangedRuns = Mapping[RunRef, bool]
"""True: read it with waiting."""


class LogEvent(NamedTuple):
    """A record of the feed, up to its last entry `seq`, as bytes to send."""

    number: int
    seq: int
    project: str
    events: bytes


class LogOutcome(NamedTuple):
    """`doubtful`: runs to look at once more: not there, so gone or about to be put back; or not readable just now."""

    told: tuple[LogEvent, ...]
    doubtful: frozenset[RunRef]


class EventLog:
    """Blocks. Safe from several threads."""

    def __init__(self, feed: OffsetLog, sources: Sequence[RunSource]) -> None:
        self._feed = feed
        self._sources = tuple(sources)
        self._writing = threading.Lock()

    @property
    def feed(self) -> OffsetLog:
        return self._feed

    @property
    def end(self) -> LogPosition:
        return LogPosition(self._feed.name, *self._feed.end)

    def catch_up(self) -> dict[RunRef, bool]:
        """Keeps what the journals know more than was told, unread. Gives the runs that have to be looked into."""
        with self._writing:
            return self._catch_up()

    def _catch_up(self) -> dict[RunRef, bool]:
        records, odd = list[OffsetRecord](), dict[RunRef, bool]()
        for number, (source, told) in enumerate(zip(self._sources, self._feed.told, strict=True)):
            revs = source.service.store.revs()
            for id, rev in revs.items():
                if (before := told.get(id, 0)) < rev:
                    records.append(OffsetRecord(number, id, before, rev))
                elif before > rev:
                    odd[number, id] = True
            odd |= {(number, id): True for id in told.keys() - revs.keys()}
        if records:
            self._feed.append(records)
        return odd

    def take(self, changed: ChangedRuns, sure: frozenset[RunRef]) -> LogOutcome:
        """Reads what is new of these runs, and keeps it in the feed. `sure`: those that were not there before either.

        StoreError where the feed cannot be written; then nothing was told.
        """
        with self._writing:
            return self._take(changed, sure)

    def _take(self, changed: ChangedRuns, sure: frozenset[RunRef]) -> LogOutcome:
        records, found = list[OffsetRecord](), list[tuple[Run | None, Sequence[JournalEntry]]]()
        doubtful = set[RunRef]()
        for (number, id), exact in changed.items():
            told = self._feed.told[number].get(id)
            try:
                state, entries = self._news(self._sources[number], id, told or 0, exact)
            except NotFound:
                if told is None:
                    continue
                if (number, id) not in sure:
                    doubtful.add((number, id))
                    continue
                records.append(OffsetRecord(number, id, told, GONE))
                found.append((None, ()))
            except (Corrupt, NewerSchema):  # the change that repairs it is told
                continue
            except StoreError:
                doubtful.add((number, id))
            else:
                if entries:
                    records.append(OffsetRecord(number, id, entries[0].seq - 1, entries[-1].seq))
                    found.append((state, entries))
        first = self._feed.append(records) if records else 0
        told_now = (self._told(first + n, r, *f) for n, (r, f) in enumerate(zip(records, found, strict=True)))
        return LogOutcome(tuple(told_now), frozenset(doubtful))

    def after(self, number: int, seq: int, most: int) -> tuple[LogEvent, ...] | None:
        """Up to `most` records from that one on; of that one what comes behind its entry `seq`.

        None where that is too far back, or was never told.
        """
        kept = self._feed.after(max(0, number - 1), most)
        if kept is None:
            return None
        records, first = list(kept), max(1, number)
        if number and not records:
            return None
        if number and records[0].last <= seq:
            del records[0]
            first += 1
        elif number and records[0].upto != GONE:
            records[0] = records[0]._replace(after=max(records[0].after, seq))
        ranges: dict[RunRef, tuple[int, int]] = {}
        for one in records:
            which = one.source, one.id
            after, upto = ranges.get(which, (one.after, one.upto))
            ranges[which] = min(after, one.after), max(upto, one.upto)
        found = {which: self._found(*which, *bounds) for which, bounds in ranges.items()}
        return tuple(self._told(first + n, one, *found[one.source, one.id]) for n, one in enumerate(records))

    def _found(self, number: int, id: str, after: int, upto: int) -> tuple[Run | None, Sequence[JournalEntry]]:
        """What there still is of a run. The JSON file that a killed process left may be behind what was recorded."""
        store = self._sources[number].service.store
        try:
            state, entries = store.shown(id, after)
            if state.engine.rev < upto:
                state, entries = store.read(id), tuple(store.events(id, after))
        except (NotFound, Corrupt, NewerSchema):  # a later record tells what became of it
            return None, ()
        return state, entries

    def _news(self, source: RunSource, id: str, after: int, exact: bool) -> tuple[Run, Sequence[JournalEntry]]:
        store: Store[Any] = source.service.store  # Any: as kinds.KINDS
        if not exact:
            return store.shown(id, after)
        state = store.read(id)
        if state.engine.rev < after:
            after = find_beginning(store.events(id)) - 1
        return state, store.events(id, after)

    def _told(self, number: int, record: OffsetRecord, state: Run | None, entries: Sequence[JournalEntry]) -> LogEvent:
        project, kind = source = self._sources[record.source]
        name = f"{self._feed.name}.{number}"
        brief = kind.glance(state, project.name).model_dump(mode="json") if state else None
        fields = [entry_fields(kind.key, record.id, e) for e in entries if record.after < e.seq <= record.upto]
        if record.upto == GONE:
            fields, brief = [_deleted(record, source)], None
        events = (
            encode_event(kind.entry, {**one, "project": project.name, kind.name: brief}, f"{name}.{one['seq']}")
            for one in fields
        )
        return LogEvent(number, record.last, project.name, b"".join(events))


def _deleted(record: OffsetRecord, source: RunSource) -> Fields:
    """The journal that held the entry is gone as well."""
    at = source.service.clock.now().isoformat(timespec="milliseconds")
    entry = JournalEntry(seq=record.last, ts=at, actor="store", event=JournalEvent(type="deleted"))
    return entry_fields(source.kind.key, record.id, entry)


AT_ONCE = 200
"""Runs that are looked into before what they brought is sent; records that are read back at once."""
KEPT_BYTES = 4 << 20
"""Of events in memory, for those who read as they come."""
GONE_SECONDS = 0.3

log = structlog.get_logger("loopwright.surfaces.server")


class RecentEvents:
    """The latest events, in order and without a gap."""

    def __init__(self) -> None:
        self._told: deque[LogEvent] = deque()
        self._size = 0

    def add(self, told: Sequence[LogEvent]) -> None:
        if told and self._told and told[0].number != self._told[-1].number + 1:
            self.clear()
        for one in told:
            self._told.append(one)
            self._size += len(one.events)
        while self._size > KEPT_BYTES:
            self._size -= len(self._told.popleft().events)

    def after(self, number: int) -> tuple[LogEvent, ...] | None:
        """Everything behind that record, None where that is not at hand."""
        if not self._told or number < self._told[0].number - 1:
            return None
        behind = self._told[-1].number - number
        return tuple(self._told)[-behind:] if behind > 0 else ()

    def clear(self) -> None:
        self._told.clear()
        self._size = 0


class EventBroadcast:
    """Belongs to one event loop. `folder`: where the feed is kept. `seen`: commits that were read as they came."""

    def __init__(self, control: Control, notifier: Callable[[RunSource], ChangeNotifier], folder: Path) -> None:
        self._control, self._notifier, self._folder = control, notifier, folder
        self._sources = list_sources(control.projects)
        self._opening = asyncio.Lock()
        self._event_log: EventLog | None = None
        self._recent = RecentEvents()
        self._listeners: set[ChangeListener] = set()
        self._reading: asyncio.Task[None] | None = None
        self._dirty: dict[RunRef, bool] = {}
        self._doubted: set[RunRef] = set()
        self._all = False
        self._wake, self._current = asyncio.Event(), asyncio.Event()
        self.seen = 0

    async def open(self) -> EventLog:
        """Opens the feed at the first time. StoreError."""
        async with self._opening:
            if self._event_log is None:
                feed = await self._control.run_in_thread(self._feed)
                self._event_log = EventLog(feed, self._sources)
            return self._event_log

    def close(self) -> None:
        """For another server to go on with."""
        if self._event_log is not None:
            self._event_log.feed.close()
            self._event_log = None

    async def blocks(self, last: LogPosition | None, project: str | None) -> AsyncGenerator[bytes, None]:
        """What one reader gets, who has seen everything up to `last`; of one project, if one is named."""
        try:
            async with aclosing(self._blocks(await self.open(), last, project)) as blocks:
                async for data in blocks:
                    yield data
        except StoreError as error:  # the reader comes back where it was
            log.warning("changes cannot be reported", problem=str(error))

    async def _blocks(
        self, event_log: EventLog, last: LogPosition | None, project: str | None
    ) -> AsyncGenerator[bytes, None]:
        with self._listening(event_log) as listener:
            place = last
            if place is None or place.feed != event_log.feed.name:
                await self._current.wait()
                place = event_log.end
            yield encode_opening(str(place))
            if last and last.feed != place.feed:
                yield encode_reset(str(place))
            whole = False
            while True:
                told = self._recent.after(place.number) if whole else None
                if told is None:
                    told = await self._control.run_in_thread(partial(event_log.after, place.number, place.seq, AT_ONCE))
                if told is None:
                    place = event_log.end
                    yield encode_reset(str(place))
                    continue
                whole = True
                if told:
                    place = LogPosition(place.feed, told[-1].number, told[-1].seq)
                    if news := b"".join(one.events for one in told if project in (None, one.project)):
                        yield news
                    continue
                while await listener.next(PING_SECONDS) is None:
                    yield encode_ping(str(place))

    @contextmanager
    def _listening(self, event_log: EventLog) -> Iterator[ChangeListener]:
        listener = ChangeListener()
        self._listeners.add(listener)
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(event_log))
            self._reading.add_done_callback(self._ended)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)
            if not self._listeners and self._reading is not None:
                self._reading.cancel()
                self._reading = None
                self._recent.clear()
                self._current.clear()

    def _ended(self, reading: asyncio.Task[None]) -> None:
        if not reading.cancelled() and (error := reading.exception()) is not None:
            log.error("changes are no longer reported until a client reconnects", exc_info=error)
            self._reading = None

    async def _read(self, event_log: EventLog) -> None:
        """Reads what changes as long as somebody listens."""
        self._all = True
        self._wake.set()
        with ExitStack() as notifiers:
            for number, source in enumerate(self._sources):
                notifiers.enter_context(self._notifier(source).all(partial(self._hear, number)))
            while True:
                await self._wake.wait()
                self._wake.clear()
                try:
                    await self._read_all(event_log)
                except StoreError as error:
                    log.warning("changes cannot be reported", problem=str(error))
                    await asyncio.sleep(LOOK_SECONDS)
                    self._hear(0, None, True)

    async def _read_all(self, event_log: EventLog) -> None:
        if self._all:
            self._all = False
            odd = await self._control.run_in_thread(event_log.catch_up)
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
            told, doubtful = await self._control.run_in_thread(partial(event_log.take, batch, sure))
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

    def _doubt(self, which: RunRef) -> None:
        self._doubted.add(which)
        self._hear(*which, True)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener.tell(None, False)

    def _feed(self) -> OffsetLog:
        token = self._sources[0].service.clock.token
        return OffsetLog.opened(self._folder, [source.name for source in self._sources], self._revs, token)

    def _revs(self) -> list[Mapping[str, int]]:
        return [source.service.store.revs() for source in self._sources]
