"""The feed: what this server has seen of all runs, numbered in the order in which it saw it, kept over its death.

A SQLite database in the state directory. It is not synced: the kernel keeps what a killed server has written, and after
a loss of power a new feed begins, because the machine then has another boot id. Whoever comes back with the name of a
feed that is gone has to load everything again; nobody misses anything silently.
"""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

import orjson

from loopwright.core.errors import StoreError
from loopwright.core.private_files import make_private_folder
from loopwright.processes.process_tree import read_boot_id
from loopwright.store.lease import Flock

MOST_RECORDS = 100_000
"""When there are more, the older half is dropped."""
GONE = 0
MODE = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
TABLES = """
CREATE TABLE feed (name TEXT, sources TEXT, boot TEXT);
CREATE TABLE record (number INTEGER PRIMARY KEY, source INTEGER, id TEXT, after INTEGER, upto INTEGER);
CREATE TABLE told (source INTEGER, id TEXT, upto INTEGER, PRIMARY KEY (source, id)) WITHOUT ROWID;
"""

SentOffsets = dict[str, int]
"""The number of the last entry that was told, by the run's id."""


class OffsetRecord(NamedTuple):
    """Of a source's run, entries with after < seq <= upto were committed; `upto` GONE: the run is no more."""

    source: int
    id: str
    after: int
    upto: int

    @property
    def last(self) -> int:
        """The seq that says that all of it was told."""
        return self.upto if self.upto != GONE else self.after + 1


class OffsetLog:
    """Of one server process at a time, which holds `lock`. Records are numbered from 1.

    One thread appends, and it alone looks at `told`; any thread reads.
    """

    def __init__(self, database: sqlite3.Connection, lock: Flock, sources: int) -> None:
        self._database, self._lock = database, lock
        self._mutex = threading.Lock()
        self.name: str = database.execute("SELECT name FROM feed").fetchone()[0]
        self.first: int = database.execute("SELECT coalesce(min(number), 1) FROM record").fetchone()[0]
        latest = database.execute("SELECT * FROM record ORDER BY number DESC LIMIT 1").fetchone()
        self.end: tuple[int, int] = (latest[0], OffsetRecord(*latest[1:]).last) if latest else (0, 0)
        """The number of the last record, one less than `first` where there is none, and its last entry."""
        self.told: tuple[SentOffsets, ...] = tuple({} for _ in range(sources))
        for source, id, upto in database.execute("SELECT source, id, upto FROM told"):
            self.told[source][id] = upto

    @classmethod
    def opened(
        cls,
        folder: Path,
        sources: Sequence[str],
        told: Callable[[], Sequence[Mapping[str, int]]],
        token: Callable[[], str],
    ) -> "OffsetLog":
        """The feed of these sources that no other process has open; a new one begins at what `told` gives."""
        names = orjson.dumps(list(sources))
        key = hashlib.sha256(names).hexdigest()[:16]
        head = names.decode(), read_boot_id()
        with _translated():
            make_private_folder(folder)
            for n in count():
                if (lock := Flock.at_once(f"{folder}/{key}-{n}.lock")) is not None:
                    path = folder / f"{key}-{n}.feed"
                    known = cls._reopened(path, lock, head, len(sources))
                    return known or cls(_create(path, (token()[:16], *head), told()), lock, len(sources))
        raise AssertionError("count never ends")

    @classmethod
    def _reopened(cls, path: Path, lock: Flock, head: tuple[str, str], sources: int) -> "OffsetLog | None":
        """What an earlier server left; None where that is nothing that can be gone on with."""
        database = sqlite3.connect(path, check_same_thread=False)
        try:
            database.executescript(MODE)
            is_ours = database.execute("SELECT sources, boot FROM feed").fetchall() == [head]
            if is_ours and database.execute("PRAGMA quick_check").fetchone() == ("ok",):
                return cls(database, lock, sources)
        except sqlite3.DatabaseError:
            pass
        database.close()
        return None

    def append(self, records: Sequence[OffsetRecord]) -> int:
        """Keeps them, at least one and one for each run, and returns the number of the first.

        StoreError with nothing kept.
        """
        first = self.end[0] + 1
        last, seq = first + len(records) - 1, records[-1].last
        with self._mutex, _translated(), self._database:
            numbered = [(n, *one) for n, one in enumerate(records, first)]
            self._database.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?)", numbered)
            told = [(one.source, one.id, one.upto) for one in records]
            self._database.executemany("INSERT OR REPLACE INTO told VALUES (?, ?, ?)", told)
            gone = [one for one in told if one[2] == GONE]
            self._database.executemany("DELETE FROM told WHERE source = ? AND id = ? AND upto = ?", gone)
            kept = self.first if last - self.first < MOST_RECORDS else last + 1 - MOST_RECORDS // 2
            self._database.execute("DELETE FROM record WHERE number < ?", (kept,))
        self.first, self.end = kept, (last, seq)
        for one in records:
            if one.upto == GONE:
                self.told[one.source].pop(one.id, None)
            else:
                self.told[one.source][one.id] = one.upto
        return first

    def after(self, number: int, most: int) -> tuple[OffsetRecord, ...] | None:
        """Up to `most` records behind that one; None where it was dropped, or never was."""
        with self._mutex, _translated():
            if not self.first - 1 <= number <= self.end[0]:
                return None
            wanted = "SELECT source, id, after, upto FROM record WHERE number > ? ORDER BY number LIMIT ?"
            return tuple(OffsetRecord(*found) for found in self._database.execute(wanted, (number, most)))

    def close(self) -> None:
        self._database.close()
        self._lock.release()


def _create(path: Path, head: tuple[str, str, str], told: Sequence[Mapping[str, int]]) -> sqlite3.Connection:
    for left in path.parent.glob(f"{path.name}*"):
        left.unlink()
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    database = sqlite3.connect(path, check_same_thread=False)
    database.executescript(MODE + TABLES)
    with database:
        database.execute("INSERT INTO feed VALUES (?, ?, ?)", head)
        known = ((n, id, upto) for n, offsets in enumerate(told) for id, upto in offsets.items())
        database.executemany("INSERT INTO told VALUES (?, ?, ?)", known)
    return database


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{error.filename or 'the feed of changes'}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise StoreError(f"the feed of changes: {error}") from error
