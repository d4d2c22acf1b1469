"""A running loop on a terminal: the plan, redrawn in place."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from loopwright.cli.scene import Kind, Scene, scene_lines
from loopwright.cli.text import last_line
from loopwright.domain.events import Entry
from loopwright.engine.bus import Note

STYLES: dict[Kind, str] = {
    "head": "bold", "completed": "green", "in_progress": "bold cyan", "pending": "dim", "fact": "",
    "doing": "cyan", "output": "dim",
}  # fmt: skip
REDRAWS = 5
"""A second."""


class PlanView:
    """Redraws by itself, so that the stopwatch runs while nothing else happens."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._live: Live | None = None
        self._scene: Scene | None = None
        self._seen = self._said = time.monotonic()

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def look(self, scene: Scene, entries: Sequence[Entry]) -> None:
        last = self._scene
        self._seen = time.monotonic()
        self._scene = replace(scene, doing=last.doing, output=last.output) if last else scene

    def note(self, note: Note, at: datetime) -> None:
        if self._scene is None:
            return
        match note.kind:
            case "output" | "said" | "thought":
                self._scene = replace(self._scene, output=last_line(note.text) or self._scene.output)
            case "action":
                self._scene = replace(self._scene, doing="", output="")
            case "able" | "message" | "turn" | "usage":
                pass
            case _:
                self._scene = replace(self._scene, doing=note.text, output="")
                self._said = time.monotonic()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The picture stays where it is; the next one begins below what was said meanwhile."""
        self._close()
        try:
            yield
        finally:
            self._open()

    def _open(self) -> None:
        self._live = Live(get_renderable=self._picture, console=self._console, refresh_per_second=REDRAWS)
        self._live.start()

    def _close(self) -> None:
        if self._live:
            self._live.stop()
        self._live = None

    def _picture(self) -> Text:
        """Called by the redrawing thread: takes the scene once, as a whole."""
        scene = self._scene
        if scene is None:
            return Text("")
        now = time.monotonic()
        current = replace(scene, seconds=scene.seconds + now - self._seen, doing_seconds=now - self._said)
        lines = scene_lines(current, self._console.width)
        return Text("\n").join(Text(line.text, style=STYLES[line.kind], no_wrap=True) for line in lines)
