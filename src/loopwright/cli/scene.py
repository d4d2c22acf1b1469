"""What a running loop looks like at one moment. Pure: state and history in, lines out."""

import re
from dataclasses import dataclass, replace
from typing import Self

from loopwright.cli.ending import some, tests_words
from loopwright.cli.picture import Line
from loopwright.cli.text import clean, last_line, short, stopwatch, width
from loopwright.domain.events import Entry
from loopwright.domain.loop import FINISHED, LoopState
from loopwright.domain.permissions import request_words
from loopwright.domain.progress import Done, plan, progress
from loopwright.engine.bus import Note

ASKED_SHOWN = 3
"""Requests for permission before the rest is only counted: the plan has to fit on the screen."""

MARKS = {"completed": "✔", "in_progress": "▶", "pending": "·"}


ABOUT_CELLS = 80

REPORTS = ("ACTION_RESULT", "PHASE_RESULT")
"""How a report begins, in which the engine reads."""


@dataclass(frozen=True)
class Scene:
    """The Picture of a loop. `seconds` since we look, `doing_seconds` since the last activity was told: `doing`.

    `output`: the last line a program printed.
    """

    state: LoopState
    history: tuple[Done, ...] = ()
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
                return replace(self, doing="", output="")
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                return replace(self, doing=note.text, doing_seconds=0, output="")

    def lines(self, cells: int) -> list[Line]:
        return scene_lines(self, cells)

    def about(self, entry: Entry) -> str:
        """What the task is that begins."""
        begun = entry.event.type == "action_started"
        task = self.state.engine.task(str(entry.event.data.get("task"))) if begun else None
        return f": {short(task.description, ABOUT_CELLS)}" if task else ""


def scene_lines(scene: Scene, cells: int) -> list[Line]:
    """The plan with what is over folded, then the facts, then what is done right now; each at most `cells` wide."""
    state = scene.state
    parts = (state.loop_id, stopwatch(scene.seconds), state.status, f"iteration {_iteration(state)}")
    head = " · ".join(parts)
    if width(head) > cells:
        head = " · ".join((*parts[:-1], _iteration(state)))
    lines = [Line(head, "head"), Line(f"  {clean(state.title)}", "head")]
    for step in plan(state, scene.history):
        indent = "    " if step.content.startswith(" ") else "  "
        lines.append(Line(f"{indent}{MARKS[step.status]} {clean(step.content)}", step.status))
    lines.append(Line(f"  {facts(state)}", "fact"))
    if state.engine.menu and state.status == "running":
        lines.append(Line(f"  ? waits for a choice: {', '.join(state.engine.menu.free)}", "doing"))
    if _at_work(state):
        lines += [Line(f"  ? {words}", "doing") for words in some(state.engine.asked, request_words, most=ASKED_SHOWN)]
        if (waiting := state.engine.waiting) and state.status == "running":
            lines.append(Line(f"  ? {clean(waiting.question)}", "doing"))
        doing = said(scene.doing)
        lines += [Line(f"  {stopwatch(scene.doing_seconds)} {doing}", "doing")] if doing else []
        lines += [Line(f"       {clean(scene.output)}", "output")] if scene.output else []
    return [Line(within(line.text, cells), line.kind) for line in lines]


def _iteration(state: LoopState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def _at_work(state: LoopState) -> bool:
    """An action is under way; that can outlast a pause."""
    skill = state.skill_state
    return skill is not None and skill.current_action is not None and state.status not in FINISHED


def facts(state: LoopState) -> str:
    """Tests of the last validation, coverage where it was measured, and progress."""
    skill = state.skill_state
    covered = f" · coverage {skill.validate_.coverage:g} %" if skill and skill.validate_.coverage else ""
    tests = tests_words(state)
    words = "tests not run yet" if tests == "-" else f"tests {tests} passed"
    return f"{words}{covered} · progress {progress(state).overall:.0f} %"


def within(text: str, cells: int) -> str:
    """Set in as it is, and cut at so many cells."""
    body = text.lstrip()
    indent = len(text) - len(body)
    return " " * indent + short(body, max(cells - indent, 1))


def said(text: str) -> str:
    """What an agent said to people: the part before its report, in which the engine reads."""
    return clean(re.split(rf"^\W*({'|'.join(REPORTS)})", text, maxsplit=1, flags=re.MULTILINE)[0])
