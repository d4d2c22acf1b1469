"""What a running cycle looks like at one moment: the four roles, each with what it does now. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from loopwright.cli.cycles.ending import tests_words
from loopwright.cli.cycles.render import iteration_words
from loopwright.cli.ending import some
from loopwright.cli.picture import Line, Style
from loopwright.cli.scene import ABOUT_CELLS, ASKED_SHOWN, MARKS, said
from loopwright.cli.text import clean, cut, last_line, short, stopwatch, width
from loopwright.domain.cycle import AgentStatus, CycleState, PlanTask
from loopwright.domain.cycle_glance import agent_of
from loopwright.domain.cycle_names import ROLES, TITLES, Role, step_of
from loopwright.domain.engine_state import PermissionRequest
from loopwright.domain.events import Entry
from loopwright.domain.permissions import request_words
from loopwright.domain.words import plural
from loopwright.engine.bus import Note

TASKS_SHOWN = 8
NAME_CELLS = max(map(len, TITLES.values()))

STYLES: dict[AgentStatus, Style] = {
    "idle": "pending", "running": "in_progress", "waiting": "pending", "completed": "completed", "failed": "fact",
}  # fmt: skip
SIGNS: dict[AgentStatus, str] = {
    "idle": MARKS["pending"], "running": MARKS["in_progress"], "waiting": "…", "completed": MARKS["completed"],
    "failed": "✗",
}  # fmt: skip


class Doing(NamedTuple):
    """What was told last, how long ago, and the last line that was printed or said."""

    words: str = ""
    seconds: float = 0
    output: str = ""


@dataclass(frozen=True)
class CycleScene:
    """The Picture of a cycle. `seconds` since we look; `doing` by role, and for the engine under its own key."""

    state: CycleState
    seconds: float = 0
    doing: Mapping[str | None, Doing] = field(default_factory=dict)

    def after(self, last: Self) -> Self:
        return replace(self, doing=last.doing)

    def aged(self, seconds: float) -> Self:
        doing = {role: each._replace(seconds=each.seconds + seconds) for role, each in self.doing.items()}
        return replace(self, seconds=self.seconds + seconds, doing=doing)

    def noted(self, note: Note) -> Self:
        before = self.doing.get(note.role, Doing())
        match note.kind:
            case "output" | "said" | "thought":
                now = before._replace(output=last_line(note.text) or before.output)
            case "action":
                now = Doing()
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                now = Doing(note.text)
        return replace(self, doing={**self.doing, note.role: now})

    def lines(self, cells: int) -> list[Line]:
        """Columns stay columns: whatever others wrote is clean before it gets into one."""
        return [Line(cut(line.text, cells), line.kind) for line in _lines(self, cells)]

    def about(self, entry: Entry) -> str:
        """What the task of the plan is that begins."""
        plan = self.state.plan if entry.event.type == "step_started" else None
        task = plan.task(str(entry.event.data.get("task"))) if plan else None
        return f": {short(task.description, ABOUT_CELLS)}" if task else ""


def _lines(scene: CycleScene, cells: int) -> Iterator[Line]:
    state = scene.state
    parts = (state.cycle_id, stopwatch(scene.seconds), state.status, f"iteration {iteration_words(state)}")
    head = " · ".join(parts)
    yield Line(head if width(head) <= cells else " · ".join((*parts[:-1], iteration_words(state))), "head")
    yield Line(f"  {clean(state.title)}", "head")
    for role in ROLES:
        yield from _role(scene, role)
    yield from _plan(state)
    yield Line(f"  {_tests(state)}", "fact")
    if state.status == "running":
        yield from (Line(f"  ? {line}", "doing") for line in some(state.engine.asked, _asked, most=ASKED_SHOWN))
        undecided = state.coordination.undecided
        yield from (Line(f"  ? {clean(d.description)}", "doing") for d in undecided[:ASKED_SHOWN])
        yield from _now(scene.doing.get(None), "  ")


def _tests(state: CycleState) -> str:
    """What the last validation counted, before that the first run."""
    baseline = state.engine.baseline
    if state.test_results is not None or baseline is None:
        return tests_words(state) if state.test_results else "tests not run yet"
    failing = sum(test.status == "failed" for test in baseline.tests.values())
    return f"{plural(len(baseline.tests), 'test')}, {failing:,} failing at first"


def _asked(request: PermissionRequest) -> str:
    return clean(request_words(request))


def _role(scene: CycleScene, role: Role) -> Iterator[Line]:
    """A row, and below it what the role does right now."""
    state, agent = scene.state, scene.state.agents.of(role)
    steps = [step_of(one.step) for one in state.engine.under_way if step_of(one.step).role == role]
    at = ", ".join(step.task or step.name.partition(".")[2] for step in steps)
    player = clean(agent_of(state, role))
    gap = " " * (max(width(clean(agent_of(state, each))) for each in ROLES) - width(player))
    row = f"  {SIGNS[agent.status]} {TITLES[role]:<{NAME_CELLS}}  {player}{gap}  {agent.status}"
    words = at if steps else agent.error or agent.last_message or ""
    yield Line(f"{row}{f': {clean(words)}' if words else ''}", STYLES[agent.status])
    if agent.status == "running":
        yield from _now(scene.doing.get(role), "      ")


def _now(doing: Doing | None, indent: str) -> Iterator[Line]:
    if doing is None:
        return
    if words := said(doing.words):
        yield Line(f"{indent}{stopwatch(doing.seconds)} {words}", "doing")
    if doing.output:
        yield Line(f"{indent}     {clean(doing.output)}", "output")


def _plan(state: CycleState) -> Iterator[Line]:
    """Tasks that are open come first where not all can be shown."""
    tasks = state.plan.tasks if state.plan else ()
    done = [task for task in tasks if task.status == "completed"]
    shown = list(tasks) if len(tasks) <= TASKS_SHOWN else [task for task in tasks if task.status != "completed"]
    if tasks:
        yield Line(f"  plan: {len(done)} of {len(tasks)} tasks", "fact")
    yield from (
        Line(f"    {_mark(task)} {task.id} {clean(task.description)}", _style(task)) for task in shown[:TASKS_SHOWN]
    )
    if len(shown) > TASKS_SHOWN:
        yield Line(f"    … and {len(shown) - TASKS_SHOWN:,} more", "pending")


def _mark(task: PlanTask) -> str:
    return "✗" if task.status == "blocked" else MARKS[task.status]


def _style(task: PlanTask) -> Style:
    return "fact" if task.status == "blocked" else task.status
