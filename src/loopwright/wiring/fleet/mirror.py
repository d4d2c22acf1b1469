"""Runs of a project that other machines drive, mirrored here: their journals and logs, and where they are.

Whoever looks at the local files, watches them or lists them sees what the fleet has, and needs to know nothing of it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.core.config import Config
from loopwright.core.errors import Conflict, Corrupt, Invalid, LoopwrightError, StoreError
from loopwright.core.fleet import FleetRun
from loopwright.core.notices import IdName
from loopwright.core.threads import in_thread
from loopwright.store.files import FileStore
from loopwright.store.kept_index import stamp_file
from loopwright.wiring.fleet.access import fleet_url, open_database
from loopwright.wiring.fleet.marks import LOG_SUFFIXES, FleetMark, change_marks, read_marks
from loopwright.wiring.places import FLEET_MARKS

if TYPE_CHECKING:
    from loopwright.fleet.logs import LogPart, LogStart, PostgresLogs, RunGrowth

LOOK_SECONDS = 0.5

ANSWER_SECONDS = 5.0
"""That the database is waited for."""

Stores = Mapping[IdName, FileStore[Any]]  # Any: states of its kind


class FleetMirror:
    """Implements core.fleet.Mirror for the project at `root`. Blocks; safe from any thread.

    `troubles`: why a run could not be mirrored, by id.
    """

    def __init__(self, root: Path, config: Config, stores: Stores) -> None:
        self._root, self._config, self._stores = root, config, stores
        self._turn = threading.Lock()
        self._marks: tuple[str | None, Mapping[str, FleetMark]] = None, {}
        self.runs: Mapping[str, FleetRun] = {}
        self.troubles: Mapping[str, str] = {}

    def has(self, id: str) -> bool:
        return id in self.marks

    def find(self, id: str) -> FleetRun | None:
        return self.runs.get(id) if self.has(id) else None

    @property
    def marks(self) -> Mapping[str, FleetMark]:
        """Of the runs that are driven elsewhere, by id. Corrupt."""
        stamp = stamp_file(str(self._root / FLEET_MARKS))
        before, marks = self._marks
        if stamp is None or stamp != before:
            marks = {id: mark for id, mark in read_marks(self._root).items() if mark.token is None}
            self._marks = stamp, marks
        return marks

    @property
    def is_busy(self) -> bool:
        """Whether more may come at any moment."""
        return any(self.runs[id].is_live for id in self.marks if id in self.runs)

    def look(self, seconds: float = ANSWER_SECONDS, only: str | None = None) -> None:
        """Brings all that there is more, of all runs or of one.

        StoreError: the fleet does not answer, or not all could be fetched in time. Invalid: there is none to ask.
        """
        deadline = time.monotonic() + seconds
        with self._turned(seconds):
            marks = {id: mark for id, mark in self.marks.items() if only in (None, id)}
            if not marks:
                return
            grown = self._logs.look(marks, seconds)
            troubles = {id: f"the fleet does not know {id}" for id in marks.keys() - grown.keys()}
            behind = grown
            while behind:
                behind = self._brought(behind, troubles, deadline)
            others = {id: words for id, words in self.troubles.items() if id not in marks}
            self.troubles = {**others, **troubles}
            others_run = {id: run for id, run in self.runs.items() if id not in marks}
            self.runs = {**others_run, **{id: one.run for id, one in grown.items()}}

    @contextmanager
    def following(self, id: str, tell: Callable[[str], None]) -> Iterator[None]:
        """While this lasts, it looks again and again in a thread of its own.

        `tell` hears where the run is, and what is in the way, whenever that is not what it was.
        """
        told = self._news(id)

        def follow(ended: threading.Event) -> None:
            nonlocal told
            while not ended.wait(LOOK_SECONDS):
                before, told = told, self._followed(id)
                if told != before:
                    tell(told)

        with in_thread(follow):
            yield

    def _followed(self, id: str) -> str:
        try:
            self.look(only=id)
        except (StoreError, Invalid) as error:
            return str(error)
        return self._news(id)

    def _news(self, id: str) -> str:
        found = self.find(id)
        return self.troubles.get(id) or f"{id} is {found.words if found else 'in the fleet'}"

    def close(self) -> None:
        """Ends its connection."""
        if "_database" in self.__dict__:
            self._database.close()

    @contextmanager
    def _turned(self, seconds: float) -> Iterator[None]:
        if not self._turn.acquire(timeout=seconds):
            raise StoreError("the fleet's database cannot be reached: another look at it takes too long")
        try:
            yield
        finally:
            self._turn.release()

    @cached_property
    def _database(self) -> Any:  # Any: its module is imported only now
        return open_database(self._config)

    @cached_property
    def _logs(self) -> "PostgresLogs":
        database = self._database
        from loopwright.fleet.logs import PostgresLogs

        return PostgresLogs(database)

    def _brought(
        self, grown: "Mapping[str, RunGrowth]", troubles: dict[str, str], deadline: float
    ) -> "Mapping[str, RunGrowth]":
        """Brings a stretch of what is missing of each; those of which there may be more."""
        wanted: dict[str, list[LogStart]] = {}
        marks = self.marks
        for id in grown.keys() & marks.keys():
            with _told(troubles, id):
                wanted[id] = list(self._missing(id, marks[id], grown[id]))
        starts, left = [start for some in wanted.values() for start in some], deadline - time.monotonic()
        if not starts:
            return {}
        if left <= 0:
            late = ", ".join(id for id, some in wanted.items() if some)
            raise StoreError(f"the fleet has more of {late} than could be fetched in time")
        found = {id: list(parts) for id, parts in groupby(self._logs.bring(starts, left), lambda part: part.id)}
        more: dict[str, RunGrowth] = {}
        for id, some in wanted.items():
            with _told(troubles, id):
                self._take(id, marks[id], grown[id], {start.name: start.start for start in some}, found.get(id, []))
                if id in found or any(start.start for start in some):
                    more[id] = grown[id]
        return more

    def _missing(self, id: str, mark: FleetMark, one: "RunGrowth") -> "Iterator[LogStart]":
        """From where on there is more in the fleet than here."""
        from loopwright.fleet.logs import JOURNAL, LogStart

        store = self._stores[mark.kind]
        here = store.copied(id) if mark.edition == one.edition else 0
        if here != one.journal_end:
            yield LogStart(id, JOURNAL, here if here < one.journal_end else 0)
        folder = store.progress_path(id)
        for name, end in one.logs.items():
            size = _size(folder / name)
            if size != end and name.endswith(LOG_SUFFIXES):
                yield LogStart(id, name, size if size < end else 0)

    def _take(
        self, id: str, mark: FleetMark, one: "RunGrowth", starts: Mapping[str, int], parts: "Iterable[LogPart]"
    ) -> None:
        """Writes what was brought, while nobody makes the run this project's own. The logs come first."""
        from loopwright.fleet.logs import JOURNAL

        store, by_name = self._stores[mark.kind], {name: list(some) for name, some in groupby(parts, lambda p: p.name)}
        with change_marks(self._root) as marks:
            if (now := marks.get(id)) is None or now.token is not None:
                return
            for name, start in starts.items():
                if name != JOURNAL:
                    _write_log(store, id, name, start, by_name.get(name, []))
            if JOURNAL in starts:
                is_there = now.edition == one.edition and 0 < store.copied(id) <= one.journal_end
                if starts[JOURNAL] or not is_there:  # else another process was at it just now
                    self._write_journal(store, id, starts[JOURNAL], by_name.get(JOURNAL, []))
                marks[id] = now.evolve(edition=one.edition)

    def _write_journal(self, store: FileStore[Any], id: str, start: int, parts: "list[LogPart]") -> None:
        """Of a copy that is none, or ends where no line does in the fleet, everything is fetched again."""
        data = _joined(start, parts)
        if start and data:
            with suppress(Corrupt, Conflict):
                store.extend_journal(id, start, data)
                return
        from loopwright.fleet.replica import PostgresReplica

        replica = PostgresReplica(fleet_url(self._config), lambda id: 0, ANSWER_SECONDS)
        try:
            store.replace_journal(id, replica.read(id))
        finally:
            replica.close()


@contextmanager
def _told(troubles: dict[str, str], id: str) -> Iterator[None]:
    """What is wrong with one run does not keep the others."""
    from loopwright.fleet.database import Unreachable

    try:
        yield
    except Unreachable:
        raise
    except (LoopwrightError, OSError) as error:
        troubles[id] = str(error)


def _write_log(store: FileStore[Any], id: str, name: str, start: int, parts: "list[LogPart]") -> None:
    """One that ends here where no part of the fleet's does begins anew."""
    data = _joined(start, parts)
    if start and data:
        store.append_progress(id, name, data.split(b"\n")[:-1])
    else:
        store.write_progress(id, {name: data})


def _joined(start: int, parts: "Iterable[LogPart]") -> bytes:
    """What follows without a gap."""
    data = b""
    for part in parts:
        if part.at != start + len(data):
            break
        data += part.data
    return data


def _size(path: Path) -> int:
    try:
        return os.stat(path, follow_symlinks=False).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0
