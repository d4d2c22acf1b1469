"""Work for one place, done in turns: who comes while others are at it goes along with the next turn."""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class _Waiter(Generic[T]):
    def __init__(self, item: T) -> None:
        self.item = item
        self.woken = threading.Event()
        self.done = False


class Turns(Generic[T]):
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
            self._work([item, *(other.item for other in along)], self._busy)
        finally:
            self._hand_on(along)

    def _busy(self) -> bool:
        return bool(self._waiting)

    def _hand_on(self, along: list[_Waiter[T]]) -> None:
        for other in along:
            other.done = True
            other.woken.set()
        with self._mutex:
            following = self._waiting.pop(0) if self._waiting else None
            self._taken = following is not None
        if following:
            following.woken.set()
