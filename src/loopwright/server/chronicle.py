"""All loops of all projects, told in one order: what changed becomes records of the feed, and records become events."""

import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loopwright.domain.errors import Corrupt, NewerSchema, NotFound, StoreError
from loopwright.domain.events import Entry, Event
from loopwright.domain.glance import glance
from loopwright.domain.loop import LoopState
from loopwright.ports import Clock, Store
from loopwright.projects import Project
from loopwright.server.feed import GONE, Feed, Record
from loopwright.server.position import Place
from loopwright.server.sse import block
from loopwright.server.telling import Fields, beginning, entry_fields

Changed = Mapping[tuple[str, str], bool]
"""Project and loop; True: read it with waiting."""


class Told(NamedTuple):
    """A record of the feed, up to its last entry `seq`, as bytes to send."""

    number: int
    seq: int
    project: str
    events: bytes


class Outcome(NamedTuple):
    """`doubtful`: loops to look at once more: not there, so gone or about to be put back; or not readable just now."""

    told: tuple[Told, ...]
    doubtful: frozenset[tuple[str, str]]


class Chronicle:
    """Blocks. Safe from several threads."""

    def __init__(self, feed: Feed, projects: Sequence[Project]) -> None:
        self._feed = feed
        self._projects = tuple(projects)
        self._numbers = {project.name: n for n, project in enumerate(projects)}
        self._writing = threading.Lock()

    @property
    def feed(self) -> Feed:
        return self._feed

    @property
    def end(self) -> Place:
        return Place(self._feed.name, *self._feed.end)

    def catch_up(self) -> dict[tuple[str, str], bool]:
        """Keeps what the journals know more than was told, unread. Gives the loops that have to be looked into."""
        with self._writing:
            return self._catch_up()

    def _catch_up(self) -> dict[tuple[str, str], bool]:
        records, odd = list[Record](), dict[tuple[str, str], bool]()
        for number, (project, told) in enumerate(zip(self._projects, self._feed.told, strict=True)):
            revs = project.engine.service.store.revs()
            for id, rev in revs.items():
                if (before := told.get(id, 0)) < rev:
                    records.append(Record(number, id, before, rev))
                elif before > rev:
                    odd[project.name, id] = True
            odd |= {(project.name, id): True for id in told.keys() - revs.keys()}
        if records:
            self._feed.append(records)
        return odd

    def take(self, changed: Changed, sure: frozenset[tuple[str, str]]) -> Outcome:
        """Reads what is new of these loops, and keeps it in the feed. `sure`: those that were not there before either.

        StoreError where the feed can not be written; then nothing was told.
        """
        with self._writing:
            return self._take(changed, sure)

    def _take(self, changed: Changed, sure: frozenset[tuple[str, str]]) -> Outcome:
        records, found = list[Record](), list[tuple[LoopState | None, Sequence[Entry]]]()
        doubtful = set[tuple[str, str]]()
        for (name, loop_id), exact in changed.items():
            number = self._numbers[name]
            told = self._feed.told[number].get(loop_id)
            try:
                state, entries = self._news(self._projects[number], loop_id, told or 0, exact)
            except NotFound:
                if told is None:
                    continue
                if (name, loop_id) not in sure:
                    doubtful.add((name, loop_id))
                    continue
                records.append(Record(number, loop_id, told, GONE))
                found.append((None, ()))
            except (Corrupt, NewerSchema):  # the change that repairs it is told
                continue
            except StoreError:
                doubtful.add((name, loop_id))
            else:
                if entries:
                    records.append(Record(number, loop_id, entries[0].seq - 1, entries[-1].seq))
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
        ranges: dict[tuple[int, str], tuple[int, int]] = {}
        for one in records:
            loop = one.project, one.loop_id
            after, upto = ranges.get(loop, (one.after, one.upto))
            ranges[loop] = min(after, one.after), max(upto, one.upto)
        found = {loop: self._found(*loop, *bounds) for loop, bounds in ranges.items()}
        return tuple(self._told(first + n, one, *found[one.project, one.loop_id]) for n, one in enumerate(records))

    def _found(self, number: int, loop_id: str, after: int, upto: int) -> tuple[LoopState | None, Sequence[Entry]]:
        """What there still is of a loop. The JSON file that a killed process left may be behind what was recorded."""
        store = self._projects[number].engine.service.store
        try:
            state, entries = store.shown(loop_id, after)
            if state.engine.rev < upto:
                state, entries = store.read(loop_id), tuple(store.events(loop_id, after))
        except (NotFound, Corrupt, NewerSchema):  # a later record tells what became of it
            return None, ()
        return state, entries

    def _news(self, project: Project, loop_id: str, after: int, exact: bool) -> tuple[LoopState, Sequence[Entry]]:
        store: Store[LoopState] = project.engine.service.store
        if not exact:
            return store.shown(loop_id, after)
        state = store.read(loop_id)
        if state.engine.rev < after:
            after = beginning(store.events(loop_id)) - 1
        return state, store.events(loop_id, after)

    def _told(self, number: int, record: Record, state: LoopState | None, entries: Sequence[Entry]) -> Told:
        project = self._projects[record.project]
        name = f"{self._feed.name}.{number}"
        brief = glance(state, project.name).model_dump(mode="json") if state else None
        fields = [entry_fields(record.loop_id, e) for e in entries if record.after < e.seq <= record.upto]
        if record.upto == GONE:
            fields, brief = [_deleted(record, project.engine.service.clock)], None
        events = (
            block("entry", {**one, "project": project.name, "loop": brief}, f"{name}.{one['seq']}") for one in fields
        )
        return Told(number, record.last, project.name, b"".join(events))


def _deleted(record: Record, clock: Clock) -> Fields:
    """The journal that held the entry is gone as well."""
    entry = Entry(
        seq=record.last, ts=clock.now().isoformat(timespec="milliseconds"), actor="store", event=Event(type="deleted")
    )
    return entry_fields(record.loop_id, entry)
