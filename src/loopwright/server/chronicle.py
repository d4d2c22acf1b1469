"""All runs of all projects, told in one order: what changed becomes records of the feed, and records become events."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loopwright.domain.errors import Corrupt, NewerSchema, NotFound, StoreError
from loopwright.domain.events import Entry, Event
from loopwright.domain.run import Run
from loopwright.ports import Store
from loopwright.server.feed import GONE, Feed, Record
from loopwright.server.kinds import Source
from loopwright.server.position import Place
from loopwright.server.sse import block
from loopwright.server.telling import Fields, beginning, entry_fields

Which = tuple[int, str]
"""A run: the number of its source, and its id."""
Changed = Mapping[Which, bool]
"""True: read it with waiting."""


class Told(NamedTuple):
    """A record of the feed, up to its last entry `seq`, as bytes to send."""

    number: int
    seq: int
    project: str
    events: bytes


class Outcome(NamedTuple):
    """`doubtful`: runs to look at once more: not there, so gone or about to be put back; or not readable just now."""

    told: tuple[Told, ...]
    doubtful: frozenset[Which]


class Chronicle:
    """Blocks. Safe from several threads."""

    def __init__(self, feed: Feed, sources: Sequence[Source]) -> None:
        self._feed = feed
        self._sources = tuple(sources)
        self._writing = threading.Lock()

    @property
    def feed(self) -> Feed:
        return self._feed

    @property
    def end(self) -> Place:
        return Place(self._feed.name, *self._feed.end)

    def catch_up(self) -> dict[Which, bool]:
        """Keeps what the journals know more than was told, unread. Gives the runs that have to be looked into."""
        with self._writing:
            return self._catch_up()

    def _catch_up(self) -> dict[Which, bool]:
        records, odd = list[Record](), dict[Which, bool]()
        for number, (source, told) in enumerate(zip(self._sources, self._feed.told, strict=True)):
            revs = source.service.store.revs()
            for id, rev in revs.items():
                if (before := told.get(id, 0)) < rev:
                    records.append(Record(number, id, before, rev))
                elif before > rev:
                    odd[number, id] = True
            odd |= {(number, id): True for id in told.keys() - revs.keys()}
        if records:
            self._feed.append(records)
        return odd

    def take(self, changed: Changed, sure: frozenset[Which]) -> Outcome:
        """Reads what is new of these runs, and keeps it in the feed. `sure`: those that were not there before either.

        StoreError where the feed can not be written; then nothing was told.
        """
        with self._writing:
            return self._take(changed, sure)

    def _take(self, changed: Changed, sure: frozenset[Which]) -> Outcome:
        records, found = list[Record](), list[tuple[Run | None, Sequence[Entry]]]()
        doubtful = set[Which]()
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
                records.append(Record(number, id, told, GONE))
                found.append((None, ()))
            except (Corrupt, NewerSchema):  # the change that repairs it is told
                continue
            except StoreError:
                doubtful.add((number, id))
            else:
                if entries:
                    records.append(Record(number, id, entries[0].seq - 1, entries[-1].seq))
                    found.append((state, entries))
        first = self._feed.append(records) if records else 0
        told_now = (self._told(first + n, r, *f) for n, (r, f) in enumerate(zip(records, found, strict=True)))
        return Outcome(tuple(told_now), frozenset(doubtful))

    def after(self, number: int, seq: int, most: int) -> tuple[Told, ...] | None:
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
        ranges: dict[Which, tuple[int, int]] = {}
        for one in records:
            which = one.source, one.id
            after, upto = ranges.get(which, (one.after, one.upto))
            ranges[which] = min(after, one.after), max(upto, one.upto)
        found = {which: self._found(*which, *bounds) for which, bounds in ranges.items()}
        return tuple(self._told(first + n, one, *found[one.source, one.id]) for n, one in enumerate(records))

    def _found(self, number: int, id: str, after: int, upto: int) -> tuple[Run | None, Sequence[Entry]]:
        """What there still is of a run. The JSON file that a killed process left may be behind what was recorded."""
        store = self._sources[number].service.store
        try:
            state, entries = store.shown(id, after)
            if state.engine.rev < upto:
                state, entries = store.read(id), tuple(store.events(id, after))
        except (NotFound, Corrupt, NewerSchema):  # a later record tells what became of it
            return None, ()
        return state, entries

    def _news(self, source: Source, id: str, after: int, exact: bool) -> tuple[Run, Sequence[Entry]]:
        store: Store[Any] = source.service.store  # Any: as kinds.KINDS
        if not exact:
            return store.shown(id, after)
        state = store.read(id)
        if state.engine.rev < after:
            after = beginning(store.events(id)) - 1
        return state, store.events(id, after)

    def _told(self, number: int, record: Record, state: Run | None, entries: Sequence[Entry]) -> Told:
        project, kind = source = self._sources[record.source]
        name = f"{self._feed.name}.{number}"
        brief = kind.glance(state, project.name).model_dump(mode="json") if state else None
        fields = [entry_fields(kind.key, record.id, e) for e in entries if record.after < e.seq <= record.upto]
        if record.upto == GONE:
            fields, brief = [_deleted(record, source)], None
        events = (
            block(kind.entry, {**one, "project": project.name, kind.name: brief}, f"{name}.{one['seq']}")
            for one in fields
        )
        return Told(number, record.last, project.name, b"".join(events))


def _deleted(record: Record, source: Source) -> Fields:
    """The journal that held the entry is gone as well."""
    at = source.service.clock.now().isoformat(timespec="milliseconds")
    entry = Entry(seq=record.last, ts=at, actor="store", event=Event(type="deleted"))
    return entry_fields(source.kind.key, record.id, entry)
