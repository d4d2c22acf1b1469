"""What a session of tuning that runs looks like at one moment: the dimensions, the score, the fixes. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from loopwright.cli.ending import some
from loopwright.cli.picture import Line, Style
from loopwright.cli.scene import ASKED_SHOWN, MARKS, said
from loopwright.cli.text import clean, cut, last_line, short, stopwatch
from loopwright.cli.tunings.ending import found_words, score_words
from loopwright.domain.events import Entry
from loopwright.domain.findings import Dimension
from loopwright.domain.permissions import request_words
from loopwright.domain.tuning import AppliedFix, TuningState
from loopwright.domain.tuning_steps import DIAGNOSES
from loopwright.domain.words import plural
from loopwright.engine.bus import Note

FIXES_SHOWN = 8
ABOUT_CELLS = 80
STYLES: dict[str, tuple[str, Style]] = {
    "pass": (MARKS["completed"], "completed"),
    "fail": ("✗", "fact"),
    "pending": (MARKS["in_progress"], "in_progress"),
}


@dataclass(frozen=True)
class TuningScene:
    """The Picture of a session. `seconds` since we look; `doing` was told last, `output` printed or said."""

    state: TuningState
    seconds: float = 0
    doing: str = ""
    doing_seconds: float = 0
    output: str = ""

    def after(self, last: Self) -> Self:
        return replace(self, doing=last.doing, doing_seconds=last.doing_seconds, output=last.output)

    def aged(self, seconds: float) -> Self:
        return replace(self, seconds=self.seconds + seconds, doing_seconds=self.doing_seconds + seconds)

    def noted(self, note: Note) -> Self:
        match note.kind:
            case "output" | "said" | "thought":
                return replace(self, output=last_line(note.text) or self.output)
            case "action":
                return replace(self, doing=note.text, doing_seconds=0, output="")
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                return replace(self, doing=note.text, doing_seconds=0, output="")

    def lines(self, cells: int) -> list[Line]:
        return [Line(cut(line.text, cells), line.kind) for line in _lines(self)]

    def about(self, entry: Entry) -> str:
        """What the fix is that is applied."""
        fix = self.state.fix(str(entry.event.data.get("fix"))) if entry.event.type == "step_started" else None
        return f": {short(fix.description, ABOUT_CELLS)}" if fix else ""


def _lines(scene: TuningScene) -> Iterator[Line]:
    state = scene.state
    parts = (state.tuning_id, stopwatch(scene.seconds), state.status, f"iteration {state.iteration_count}")
    yield Line(" · ".join(parts), "head")
    yield Line(f"  {clean(state.title)}", "head")
    for dimension in state.engine.dimensions:
        yield _dimension(state, dimension)
    if state.engine.standings:
        yield Line(f"  {score_words(state)} · {found_words(state)}", "fact")
    yield from _fixes(state)
    if state.status != "running":
        return
    yield from (Line(f"  ? {words}", "doing") for words in some(state.engine.asked, request_words, most=ASKED_SHOWN))
    if state.engine.waiting:
        yield Line(f"  ? {clean(state.engine.waiting.question)}", "doing")
    if words := said(scene.doing):
        yield Line(f"  {stopwatch(scene.doing_seconds)} {words}", "doing")
    if scene.output:
        yield Line(f"       {clean(scene.output)}", "output")


def _dimension(state: TuningState, dimension: Dimension) -> Line:
    result = state.diagnosis.of(dimension)
    if any(one.step == DIAGNOSES[dimension] for one in state.engine.under_way):
        return Line(f"  {MARKS['in_progress']} {dimension}", "in_progress")
    if result is None:
        return Line(f"  {MARKS['pending']} {dimension}", "pending")
    if result.status == "failed":
        return Line(f"  ✗ {dimension}: could not be looked at", "fact")
    return Line(f"  {MARKS['completed']} {dimension}: {plural(result.issues_found, 'issue')}", "completed")


def _fixes(state: TuningState) -> Iterator[Line]:
    entries = {one.fix_id: one for one in state.applied_fixes}
    for fix in state.proposed_fixes[-FIXES_SHOWN:]:
        mark, style = _sign(entries.get(fix.id))
        yield Line(f"  {mark} {fix.id} {clean(fix.description)}", style)
    if len(state.proposed_fixes) > FIXES_SHOWN:
        yield Line(f"    … and {len(state.proposed_fixes) - FIXES_SHOWN:,} before", "pending")


def _sign(entry: AppliedFix | None) -> tuple[str, Style]:
    return STYLES[entry.verification_result] if entry else (MARKS["pending"], "pending")
