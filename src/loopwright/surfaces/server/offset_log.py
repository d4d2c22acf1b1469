"""The feed: what this server has seen of all runs, numbered in the order in which it saw it, kept over its death.

A file of lines in the state directory: a head, `SOURCE ID AFTER UPTO` for each record, and `= SOURCE ID UPTO` for
what had been told when old records were dropped. It is not synced: the kernel keeps what a killed server has written,
and after a loss of power a new feed begins, because the machine then has another boot id. Whoever comes back with the
name of a feed that is gone has to load everything again; nobody misses anything silently.
"""

import hashlib
import os
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import orjson

from loopwright.core.errors import StoreError
from loopwright.store.lease import Flock, LockDescriptor

MOST_RECORDS = 100_000
"""When there are more, the older half is dropped."""
GONE = 0
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

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

    def line(self) -> bytes:
        return b"%d %s %d %d\n" % (self.source, self.id.encode(), self.after, self.upto)


class OffsetLog:
    """Of one server process at a time, which holds `lock`. Records are numbered from 1.

    One thread appends, and it alone looks at `told`; any thread reads.
    """

    def __init__(self, path: Path, lock: Flock, sources: Sequence[str], token: Callable[[], str]) -> None:
        self._path, self._lock, self._token = path, lock, token
        self._head = {"sources": list(sources), "boot": _boot()}
        self._file = LockDescriptor(-1)
        self.name = ""
        self.first = 1
        self.told: tuple[SentOffsets, ...] = tuple({} for _ in sources)
        self._starts = array("Q")
        self._end = self._last_seq = 0
        self._mutex = threading.Lock()

    @classmethod
    def opened(
        cls,
        folder: Path,
        sources: Sequence[str],
        told: Callable[[], Sequence[Mapping[str, int]]],
        token: Callable[[], str],
    ) -> "OffsetLog":
        """The feed of these sources that no other process has open; a new one begins at what `told` gives."""
        key = hashlib.sha256(orjson.dumps(list(sources))).hexdigest()[:16]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for n in count():
                if (lock := Flock.at_once(f"{folder}/{key}-{n}.lock")) is not None:
                    feed = cls(folder / f"{key}-{n}.feed", lock, sources, token)
                    if not feed._load():
                        feed._begin(told())
                    return feed
        except OSError as error:
            raise _trouble(error) from error
        raise AssertionError("count never ends")

    @property
    def end(self) -> tuple[int, int]:
        """The number of the last record, one less than `first` where there is none, and its last entry."""
        with self._mutex:
            return self._last, self._last_seq

    def append(self, records: Sequence[OffsetRecord]) -> int:
        """Keeps them, and returns the number of the first. StoreError with nothing kept."""
        with self._mutex:
            self._append(records)
            return self._last - len(records) + 1

    def after(self, number: int, most: int) -> tuple[OffsetRecord, ...] | None:
        """Up to `most` records behind that one; None where it was dropped, or never was."""
        with self._mutex:
            return self._after(number, most) if self.first - 1 <= number <= self._last else None

    @property
    def _last(self) -> int:
        return self.first + len(self._starts) - 1

    def _append(self, records: Sequence[OffsetRecord]) -> None:
        data = b"".join(record.line() for record in records)
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._file.fd, data[written:], self._end + written)
        except OSError as error:
            raise _trouble(error) from error
        for record in records:
            self._starts.append(self._end)
            self._end += len(record.line())
            self._take(record)
        if len(self._starts) > MOST_RECORDS:
            self._drop_old()

    def _after(self, number: int, most: int) -> tuple[OffsetRecord, ...]:
        begin = number + 1 - self.first
        if begin >= len(self._starts):
            return ()
        start, stop = self._starts[begin], begin + most
        end = self._starts[stop] if stop < len(self._starts) else self._end
        lines = os.pread(self._file.fd, end - start, start).splitlines()
        return tuple(_record(line) for line in lines if not line.startswith(b"="))

    def close(self) -> None:
        self._file.release()
        self._lock.release()

    def _take(self, record: OffsetRecord) -> None:
        self._last_seq = record.last
        told = self.told[record.source]
        if record.upto == GONE:
            told.pop(record.id, None)
        else:
            told[record.id] = record.upto

    def _load(self) -> bool:
        """What an earlier server left; False where that is nothing that can be gone on with."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return False
        data = data[: data.rfind(b"\n") + 1]
        head, *lines = data.splitlines(keepends=True) or [b""]
        try:
            known = orjson.loads(head)
            if any(known[name] != value for name, value in self._head.items()):
                return False
            self.name, self.first = known["feed"], known["first"]
            self._replay(len(head), lines)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            return False
        self._open()
        os.ftruncate(self._file.fd, self._end)
        return True

    def _replay(self, at: int, lines: Iterable[bytes]) -> None:
        for line in lines:
            if line.startswith(b"="):
                _, source, id, upto = line.split()
                self.told[int(source)][id.decode()] = int(upto)
            else:
                self._take(_record(line))
                self._starts.append(at)
            at += len(line)
        self._end = at

    def _begin(self, told: Sequence[Mapping[str, int]]) -> None:
        self.name = self._token()[:16]
        self.told = tuple(dict(known) for known in told)
        self._write((), 1)

    def _drop_old(self) -> None:
        """Where that cannot be written, it is tried again at the next record."""
        kept = self._after(self._last - MOST_RECORDS // 2, MOST_RECORDS)
        with suppress(OSError):
            self._write(kept, self._last - len(kept) + 1)

    def _write(self, kept: Sequence[OffsetRecord], first: int) -> None:
        """The whole file anew, and then goes on in that."""
        head = orjson.dumps({**self._head, "feed": self.name, "first": first}) + b"\n"
        lines = [record.line() for record in kept]
        snapshot = (
            b"= %d %s %d\n" % (n, id.encode(), upto) for n, told in enumerate(self.told) for id, upto in told.items()
        )
        fresh = self._path.with_suffix(".new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.writelines((head, *lines, *snapshot))
        fresh.rename(self._path)
        self._open()
        self._end = os.fstat(self._file.fd).st_size
        self.first, self._starts, at = first, array("Q"), len(head)
        for line in lines:
            self._starts.append(at)
            at += len(line)

    def _open(self) -> None:
        before, self._file = self._file, LockDescriptor(os.open(self._path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
        before.release()


def _record(line: bytes) -> OffsetRecord:
    source, id, after, upto = line.split()
    return OffsetRecord(int(source), id.decode(), int(after), int(upto))


def _boot() -> str:
    return BOOT_ID.read_text(encoding="ascii").strip()


def _trouble(error: OSError) -> StoreError:
    return StoreError(f"{error.filename or 'the feed of changes'}: {error.strerror}")
