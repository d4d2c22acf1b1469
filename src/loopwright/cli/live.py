"""Something that runs on a terminal: its picture, redrawn in place."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Generic, Self, TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from loopwright.cli.picture import Picture, Style
from loopwright.domain.events import Entry
from loopwright.engine.bus import Note

STYLES: dict[Style, str] = {
    "head": "bold", "completed": "green", "in_progress": "bold cyan", "pending": "dim", "fact": "",
    "doing": "cyan", "output": "dim",
}  # fmt: skip
REDRAWS = 5
"""A second."""

P = TypeVar("P", bound=Picture)


class PlanView(Generic[P]):
    """Redraws by itself, so that the stopwatch runs while nothing else happens.

    `passing`: at its end nothing of it is left on the screen.
    """

    def __init__(self, *, passing: bool = False) -> None:
        self._console = Console(highlight=False)
        self._passing = passing
        self._live: Live | None = None
        self._shown: tuple[P, float] | None = None
        """The picture, and when it was like that; replaced as a whole, for the redrawing thread."""

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def look(self, picture: P, entries: Sequence[Entry]) -> None:
        last = self._now()
        self._shown = (picture.after(last) if last else picture, time.monotonic())

    def note(self, note: Note, at: datetime) -> None:
        picture = self._now()
        if picture is not None:
            self._shown = (picture.noted(note), time.monotonic())

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The picture stays where it is; the next one begins below what was said meanwhile."""
        self._close()
        try:
            yield
        finally:
            self._open()

    def _open(self) -> None:
        self._live = Live(
            get_renderable=self._drawn, console=self._console, refresh_per_second=REDRAWS, transient=self._passing
        )
        self._live.start()

    def _close(self) -> None:
        if self._live:
            self._live.stop()
        self._live = None

    def _now(self) -> P | None:
        """Takes what is shown once, as a whole."""
        shown = self._shown
        return shown[0].aged(time.monotonic() - shown[1]) if shown else None

    def _drawn(self) -> Text:
        """Called by the redrawing thread."""
        picture = self._now()
        lines = picture.lines(self._console.width) if picture else []
        return Text("\n").join(Text(line.text, style=STYLES[line.kind], no_wrap=True) for line in lines)
