"""The picture of something that runs, redrawn while it goes on. Pure."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self

from loopwright.core.record import JournalEntry
from loopwright.core.run import R
from loopwright.core.run_events import RunNote
from loopwright.core.text import clean_line
from loopwright.policy.permissions import request_words
from loopwright.surfaces.cli.text import (
    cut_line,
    format_stopwatch,
    last_line,
    list_some,
    measure_width,
    shorten_text,
)

ASKED_SHOWN = 3
"""Requests for permission that are shown: the picture has to fit on the screen."""
ABOUT_CELLS = 80
MARKS: dict[str, str] = {"completed": "✔", "in_progress": "▶", "pending": "·", "failed": "✗", "blocked": "✗"}
REPORTS = ("ACTION_RESULT", "PHASE_RESULT")
"""How a report begins, in which the engine reads."""


LineStyle = Literal["head", "completed", "in_progress", "pending", "fact", "doing", "output"]


class StyledLine(NamedTuple):
    text: str
    kind: LineStyle


def strip_report(text: str) -> str:
    """What an agent said to people: the part before its report, in which the engine reads."""
    return clean_line(re.split(rf"^\W*({'|'.join(REPORTS)})", text, maxsplit=1, flags=re.MULTILINE)[0])


class RunActivity(NamedTuple):
    """What was told last, how long ago, and the last line that was printed or said."""

    words: str = ""
    seconds: float = 0
    output: str = ""


@dataclass(frozen=True)
class RunScene(ABC, Generic[R]):
    """How a run stands at one moment, and what was heard of it since. Every change is another one.

    `seconds` since we look; `doing`: by role where several are at work, else under None.

    `tells_actions`: an action is told as soon as it begins, and not only what is done in it.
    """

    state: R
    seconds: float = 0
    doing: Mapping[str | None, RunActivity] = field(default_factory=dict)
    by_role: ClassVar[bool] = False
    tells_actions: ClassVar[bool] = False

    @abstractmethod
    def draw(self, cells: int) -> Iterator[tuple[str, LineStyle]]:
        """Its lines, as long as they are. Whatever others wrote is clean, so that columns stay columns."""

    @abstractmethod
    def begun(self, fields: Mapping[str, object]) -> str | None:
        """In words, what begins; by the fields of an event that says so."""

    def after(self, last: Self) -> Self:
        """The same, with what was heard before it."""
        return replace(self, doing=last.doing)

    def aged(self, seconds: float) -> Self:
        """The same so much later."""
        doing = {role: each._replace(seconds=each.seconds + seconds) for role, each in self.doing.items()}
        return replace(self, seconds=self.seconds + seconds, doing=doing)

    def noted(self, note: RunNote) -> Self:
        """The same with what is heard now."""
        role = note.role if self.by_role else None
        before = self.doing.get(role, RunActivity())
        match note.kind:
            case "output" | "said" | "thought":
                now = before._replace(output=last_line(note.text) or before.output)
            case "action" if not self.tells_actions:
                now = RunActivity()
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                now = RunActivity(note.text)
        return replace(self, doing={**self.doing, role: now})

    def lines(self, cells: int) -> list[StyledLine]:
        return [StyledLine(cut_line(text, cells), style) for text, style in self.draw(cells)]

    def about(self, entry: JournalEntry) -> str:
        """What the task or fix is that begins."""
        starts = entry.event.type in ("action_started", "step_started")
        words = self.begun(entry.event.data) if starts else None
        return f": {shorten_text(words, ABOUT_CELLS)}" if words is not None else ""

    def head(self, id: str, iteration: str, cells: int, *, brief: str = "") -> Iterator[tuple[str, LineStyle]]:
        """The first lines; `brief` is said of the iteration where that does not fit."""
        parts = (id, format_stopwatch(self.seconds), self.state.status)
        line = " · ".join((*parts, f"iteration {iteration}"))
        yield (" · ".join((*parts, brief)) if brief and measure_width(line) > cells else line), "head"
        yield f"  {clean_line(self.state.title)}", "head"

    def asked(self, *questions: str) -> Iterator[tuple[str, LineStyle]]:
        """The permissions that are asked for, and what else waits for somebody."""
        words = list_some(self.state.engine.asked, request_words, most=ASKED_SHOWN)
        yield from ((f"  ? {clean_line(one)}", "doing") for one in (*words, *questions))

    def activity(self, role: str | None = None, indent: str = "  ") -> Iterator[tuple[str, LineStyle]]:
        """What is done right now."""
        now = self.doing.get(role, RunActivity())
        if words := strip_report(now.words):
            yield f"{indent}{format_stopwatch(now.seconds)} {words}", "doing"
        if now.output:
            yield f"{indent}     {clean_line(now.output)}", "output"


RunPicture = RunScene[Any]  # Any: the states of its kind
