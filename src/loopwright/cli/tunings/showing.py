"""A session that runs, shown on the way to its report: only once it takes a while, and nowhere in the report's way."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from loopwright.cli.output import is_plain, remark
from loopwright.cli.picture import Picture
from loopwright.cli.plain import LineView, NdjsonView
from loopwright.cli.story import View
from loopwright.domain.events import Entry
from loopwright.engine.bus import Note

if TYPE_CHECKING:
    from loopwright.cli.tunings.order import Order

LATE = 1.0
"""Seconds after which somebody wonders what is going on."""
EVERY = 0.2


class LateView:
    """Says nothing for a second; then everything, in the view for this terminal."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._kept: list[Entry] = []
        self._view: View | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def look(self, picture: Picture, entries: Sequence[Entry]) -> None:
        self._kept += entries
        if self._view is None and time.monotonic() - self._began > LATE:
            self._view = self._open.enter_context(_view())
        if self._view is not None:
            self._view.look(picture, self._kept)
            self._kept = []

    def note(self, note: Note, at: datetime) -> None:
        if self._view is not None:
            self._view.note(note, at)

    def aside(self) -> AbstractContextManager[None]:
        return self._view.aside() if self._view is not None else nullcontext()


@contextmanager
def showing(order: "Order") -> Iterator[View]:
    """For this order: events as they happen, or nothing that is not needed."""
    if order.events:
        yield NdjsonView()
        return
    with LateView() as view:
        yield view


@contextmanager
def _view() -> Iterator[View]:
    """Drawn where the report comes to stand later, else told on stderr."""
    if is_plain():
        yield LineView(remark)
        return
    from loopwright.cli.live import PlanView

    with PlanView[Any](passing=True) as view:  # Any: pictures of the one kind that is driven
        yield view


class Counter:
    """`12 of 200 skills`, on a terminal, once it takes a while."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._next = time.monotonic() + LATE
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def at(self, number: int) -> None:
        """So many are done."""
        if is_plain() or not sys.stderr.isatty() or time.monotonic() < self._next:
            return
        self._next, self._shown = time.monotonic() + EVERY, True
        print(f"\r\x1b[K{number:,} of {self._total:,} skills", end="", file=sys.stderr, flush=True)
