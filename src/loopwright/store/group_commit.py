"""Commits that are made together: those for one state in one append, those of one thread with the same syncs.

A commit is a generator that stops where its journal has to be synced.
"""

import contextlib
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar

from loopwright.core.errors import StoreError
from loopwright.core.record import JournalEvent
from loopwright.store.disk import Disk, DiskErrorTranslator
from loopwright.store.kind import S
from loopwright.store.lease import NotAtOnce
from loopwright.store.paths import StatePaths

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

P = ParamSpec("P")
T = TypeVar("T")

SYNCS = 8
"""At the same time."""


class _Waiter(Generic[T]):
    def __init__(self, item: T) -> None:
        self.item = item
        self.woken = threading.Event()
        self.done = False


class GroupCommit(Generic[T]):
    """`work(items, busy)` gets all items that wait, in order; `busy()` says whether more have come meanwhile.

    Nobody else works meanwhile, and a caller who finds the place free works in its own thread.
    """

    def __init__(self, work: Callable[[Sequence[T], Callable[[], bool]], None]) -> None:
        self._work = work
        self._mutex = threading.Lock()
        self._waiting: list[_Waiter[T]] = []
        self._taken = False

    def run(self, item: T) -> None:
        """Returns when `item` was part of a turn; what that turn raises reaches only the one who worked."""
        with self._mutex:
            free = not self._taken
            self._taken = True
            if not free:
                waiter = _Waiter(item)
                self._waiting.append(waiter)
        if not free:
            waiter.woken.wait()
            if waiter.done:
                return
        with self._mutex:
            along = self._waiting
            self._waiting = []
        try:
            self._work([item, *(other.item for other in along)], lambda: bool(self._waiting))
        finally:
            self._hand_on(along)

    def _hand_on(self, along: list[_Waiter[T]]) -> None:
        for other in along:
            other.done = True
            other.woken.set()
        with self._mutex:
            following = self._waiting.pop(0) if self._waiting else None
            self._taken = following is not None
        if following:
            following.woken.set()


@dataclass(slots=True)
class Asked(Generic[T]):
    """What somebody waits for: a result, or the error that they get."""

    result: T | None = None
    error: Exception | None = None

    def answer(self) -> T:
        if self.error:
            raise self.error
        assert self.result is not None
        return self.result


@dataclass(slots=True, kw_only=True)
class CommitRequest(Asked[S]):
    """One update, or with `new` a creation."""

    paths: StatePaths
    rule: Callable[[S], S]
    actor: str
    event: JournalEvent
    epoch: int | None = None
    new: S | None = None


@dataclass(slots=True, kw_only=True)
class GroupedWork(Asked[T]):
    """Something that commits once; NotAtOnce where it would let others wait, and has done nothing."""

    work: Callable[[], T]


class ErrorHandover:
    """What goes wrong inside is an answer to those who asked, each in its own thread.

    An interrupt goes on as such only in the thread that was interrupted.
    """

    def __init__(self, *asked: Asked[Any]) -> None:  # Any: of whatever they ask for
        self._asked = asked

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        told = error if error is None or isinstance(error, Exception) else StoreError("the commit was interrupted")
        for one in self._asked:
            one.error = one.error or told
        return isinstance(error, Exception)


class Unsynced(NamedTuple):
    """A journal with new lines, and the folder in which its name is new."""

    disk: Disk
    fd: int
    folder: str | None


Commit = Generator[Unsynced, None, T]
"""The OSError of a sync that failed is thrown in where it stopped."""


def carry_through(begin: Callable[P, Commit[T]], *args: P.args, **named: P.kwargs) -> T:
    """One commit by itself."""
    with contextlib.closing(begin(*args, **named)) as commit:
        try:
            (error,) = _synced([next(commit)])
            _go_on(commit, error)
        except StopIteration as done:
            result: T = done.value
            return result
    raise AssertionError("a commit syncs once")


_THREAD = threading.local()


def carry_out_together(works: Sequence[GroupedWork[Any]]) -> None:  # Any: as above
    """What they commit is durable at the end, by the same syncs; until then, nothing that a commit returns is sure."""
    _THREAD.group = group = CommitGroup()
    with ErrorHandover(*works), contextlib.closing(group):
        try:
            for work in works:
                group.work = work
                with ErrorHandover(work):
                    work.result = work.work()
        finally:
            _THREAD.group = None
        group.end()


class CommitGroup:
    """Commits that stand at their syncs, each with who is to hear of its failure."""

    def __init__(self) -> None:
        self._open: list[tuple[Commit[None], Unsynced, GroupedWork[Any]]] = []  # Any: as above
        self.work: GroupedWork[Any] | None = None

    def begin(self, commit: Commit[None], request: CommitRequest[S]) -> S:
        """What it will come to."""
        assert self.work
        with ErrorHandover(request), DiskErrorTranslator():
            journal = next(commit, None)
            if journal is not None:
                self._open.append((commit, journal, self.work))
        return request.answer()

    def end(self) -> None:
        errors = _synced([journal for _, journal, _ in self._open])
        for (commit, _, work), error in zip(self._open, errors, strict=True):
            with ErrorHandover(work), DiskErrorTranslator(), contextlib.suppress(StopIteration):
                _go_on(commit, error)

    def close(self) -> None:
        """Gives up what has not ended."""
        for commit, *_ in self._open:
            commit.close()


def current_group() -> CommitGroup | None:
    """The one that this thread works for."""
    group: CommitGroup | None = getattr(_THREAD, "group", None)
    return group


def refuse_group() -> None:
    """NotAtOnce for what may take long, or commits more than once."""
    if current_group():
        raise NotAtOnce


def _go_on(commit: Commit[T], error: OSError | None) -> None:
    """StopIteration at its end."""
    if error is None:
        next(commit)
    else:
        commit.throw(error)


def _synced(journals: Sequence[Unsynced]) -> list[OSError | None]:
    """Makes all of them durable, side by side, then their names: why each may not be.

    The kernel puts syncs together that wait at the same time; one after the other, each waits for the device.
    """
    if len(journals) < 2:
        errors = [_failure(one.disk.sync, one.fd) for one in journals]
    else:
        for one in journals:
            one.disk.begin_sync(one.fd)
        parts = [journals[n::SYNCS] for n in range(SYNCS)]
        done = _syncing().map(lambda part: [_failure(one.disk.sync, one.fd) for one in part], parts)
        errors = [error for some in zip_longest(*done) for error in some][: len(journals)]
    folders = {one.folder: one.disk for one in journals if one.folder}
    failed = {folder: _failure(disk.sync_folder, folder) for folder, disk in folders.items()}
    return [error or failed.get(one.folder or "") for one, error in zip(journals, errors, strict=True)]


@cache
def _syncing() -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor  # slow to load, and most processes have one run

    return ThreadPoolExecutor(SYNCS, "sync")


def _failure(sync: Callable[[T], None], what: T) -> OSError | None:
    try:
        sync(what)
    except OSError as error:
        return error
    return None
