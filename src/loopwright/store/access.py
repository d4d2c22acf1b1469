"""How a store gets at one state's files: under its lock, and in a folder that is there."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Generic

from loopwright.domain.errors import Corrupt, StoreError
from loopwright.store.disk import Disk
from loopwright.store.hold import Hold, Memory
from loopwright.store.kind import S
from loopwright.store.known import Deleted
from loopwright.store.lease import Seat
from loopwright.store.locks import Flock
from loopwright.store.paths import Paths
from loopwright.store.place import Place
from loopwright.store.removal import Removal
from loopwright.store.source import Source
from loopwright.store.writer import Displaced, Writer

TRIES = 100
"""Times that a runner puts a folder back which vanishes under its hands, 10 ms apart."""


class Access(Generic[S]):
    """Of one store; the states are told apart by their paths."""

    def __init__(self, disk: Disk, place: Place, source: Source[S], writer: Writer[S], removal: Removal[S]) -> None:
        self._disk = disk
        self._place = place
        self._source = source
        self._writer = writer
        self._removal = removal

    @contextlib.contextmanager
    def locked(self, paths: Paths) -> Iterator[None]:
        """The write lock of a state that exists; a mistyped id leaves no trace."""
        self._place.clear(paths)
        try:
            lock = Flock.take(paths.lock)
        except (FileNotFoundError, NotADirectoryError):
            if paths.id not in self._source.holds:
                with contextlib.suppress(Corrupt):
                    self._source.read(paths, self._writer.now())
            self._place.make(paths)
            lock = Flock.ensure(paths.lock)
        try:
            yield
        except Deleted:
            self._removal.finish(paths)
            raise
        finally:
            lock.release()

    def in_place(self, paths: Paths, work: Callable[[], None]) -> None:
        """Does `work`. A folder that was taken away from a runner is put back first, also while it is at it."""
        for _ in range(TRIES):
            hold = self._source.holds.get(paths.id)
            try:
                if hold and not (hold.seat.is_in_place and self._place.is_hidden):
                    self._place.make_again(paths, hold.real)
                    hold.seat.retake()
                return work()
            except (FileNotFoundError, NotADirectoryError, Displaced):
                if hold is None:
                    raise
                time.sleep(0.01)
        raise StoreError(f"{self._place.folder} vanishes again and again; something removes it")

    @contextlib.contextmanager
    def held(self, paths: Paths, seat: Seat) -> Iterator[None]:
        """While this lasts, what the process remembers counts more than what the files say."""
        known = self._source.cache.get(paths.id)
        assert known is not None, "the lease was committed just now"
        journal = (self._disk.read(paths.journal) or b"")[: known.end]
        hold = Hold(seat, paths, Memory(known.state, known.seq, known.end), journal, self._place.real())
        self._source.holds[paths.id] = hold
        try:
            yield
        finally:
            del self._source.holds[paths.id]
            hold.release()

    def tidy(self, paths: Paths) -> None:
        try:
            lock = Flock.take(paths.lock)
        except (FileNotFoundError, NotADirectoryError):
            return
        try:
            self._writer.projections.tidy(paths)
        finally:
            lock.release()
