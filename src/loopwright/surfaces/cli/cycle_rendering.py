"""Cycles as text: the list, and one cycle in full. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple, Self

from loopwright.core.cycle_names import ROLES, TITLES, Role, step_of
from loopwright.core.pausing import paused_words
from loopwright.core.record import Entry
from loopwright.core.run import raising
from loopwright.core.run_events import Note
from loopwright.core.state import Outcome, PermissionRequest
from loopwright.core.text import agreeing, clean, plural
from loopwright.evidence.proof import proof_words
from loopwright.policy.permissions import request_words
from loopwright.surfaces.cli.loop_rendering import (
    ABOUT_CELLS,
    ASKED_SHOWN,
    EVERYTHING,
    LABEL,
    MARKS,
    SHOWN,
    TITLE_CELLS,
    WORDS_CELLS,
    Damaged,
    Steps,
    Table,
    choosing_lines,
    kept,
    listed,
    patches_lines,
    proof_lines,
    requests,
    said,
    some,
    spent_words,
    standstill,
    status_words,
)
from loopwright.surfaces.cli.text import Line, Style, age, columns, cut, fold, last_line, local, short, stopwatch, width
from loopwright.workflows.cycle.coordination import AUTO
from loopwright.workflows.cycle.model import AgentStatus, CycleState, CycleStatus, IterationRecord, PlanTask
from loopwright.workflows.cycle.summary import agent_of, cycle_need
from loopwright.workflows.loop.summary import diff_stat

ENDING_CELLS = 100

AGAIN = "loopwright cycle run --cycle-id {id} --auto{at}"
EXTEND = 'loopwright cycle run --cycle-id {id} --extend "…" --auto{at}'
SHOW = "loopwright cycle show {id}{at}"

RESTART: dict[Outcome, Steps] = {
    "succeeded": (("next", "loopwright cycle diff {id}{at}"), ("or", EXTEND)),
    "unproven": (
        ("next", EXTEND),
        ("or", "loopwright cycle reopen {id} --proof preserve{at}  (a refactoring: the tests stay as they are)"),
        ("or", "loopwright cycle reopen {id} --proof none{at}  (documents, configuration: no test can show it)"),
    ),
    "unverified": (
        ("next", "loopwright cycle run --cycle-id {id} --auto --max-iterations {more} --test-command CMD{at}"),
    ),
    "exhausted": (("next", "loopwright cycle run --cycle-id {id} --auto --max-iterations {more}{at}"), ("or", EXTEND)),
    "over_budget": (("next", "loopwright cycle run --cycle-id {id} --auto {raising}{at}"),),
    "stalled": (("next", SHOW), ("or", EXTEND)),
    "stopped": (("next", AGAIN),),
    "failed": (("next", SHOW), ("then", AGAIN)),
}
CONTINUE: dict[CycleStatus, Steps] = {
    "created": (("next", "loopwright cycle start {id}{at}"),),
    "running": (("next", "loopwright cycle resume {id}{at}"),),
    "paused": (("next", "loopwright cycle resume {id}{at}"),),
}
WATCH: Steps = (("next", "loopwright cycle watch {id}{at}"),)
DECIDE: Steps = (("next", "loopwright cycle decide {id} {decision} {option}{at}"),)
RESOLVE: Steps = (("next", 'loopwright cycle resolve {id} {blocker} "…"{at}'),)
SETTLE: Steps = (*RESOLVE, ("then", AGAIN))
THEN: Steps = (("then", "loopwright cycle resume {id}{at}"),)
APPROVE: Steps = (
    ("next", "loopwright cycle approve {id}{request} --allow{at}"),
    ("or", "loopwright cycle approve {id}{request} --deny{at}"),
)
"""What to do next: by outcome for a cycle that has ended, else by what it needs, else by status."""


def headline(state: CycleState, *, live: bool = False) -> str:
    """Where the cycle rests, in a sentence."""
    if words := standstill(state):
        return words
    if state.status == "completed":
        return _completed(state)
    return {
        "running": _running(state) if live else "Interrupted: no runner is working on it.",
        "created": "Created, not started yet.",
    }.get(state.status, f"{paused_words(state)}.")


def _running(state: CycleState) -> str:
    asked, undecided = len(state.engine.asked), len(state.coordination.undecided)
    if asked:
        return f"Running; {plural(asked, 'permission request')} {agreeing(asked, 'is')} open."
    if undecided and cycle_need(state) == "decision":
        return f"Running; {plural(undecided, 'decision')} {agreeing(undecided, 'is')} open."
    return "Running."


def _completed(state: CycleState) -> str:
    used = plural(state.current_iteration, "iteration")
    if state.engine.outcome == "unverified":
        return f"Completed in {used}, but unverified: no tests were found."
    old = " (tests that failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    ended = "Succeeded" if state.engine.outcome == "succeeded" else "Unproven"
    proof = f"; {clean(proof_words(state.engine.proof))}" if state.engine.proof else ""
    return f"{ended} in {used}: {tests_words(state)}{proof}{old}."


def tests_words(state: CycleState) -> str:
    """`all 14 tests pass, coverage 92 %`; what the last validation counted."""
    found = state.test_results
    if found is None:
        return "no tests were run"
    failed, total = len(found.failed_tests), found.total_tests
    covered = f", coverage {found.coverage:g} %" if found.coverage else ""
    words = f"{failed:,} of {plural(total, 'test')} {'fails' if failed == 1 else 'fail'}" if failed else (
        f"{'all ' if total > 1 else ''}{plural(total, 'test')} {agreeing(total, 'passes')}"
    )  # fmt: skip
    return f"{words}{covered}"


def next_lines(state: CycleState, live: bool, elsewhere: str) -> list[str]:
    """What to type next, ready to be copied. `elsewhere` ends each command."""
    reached, asked, coordination = state.engine.budget.reached, state.engine.asked, state.coordination
    undecided, blockers = coordination.undecided, coordination.open_blockers
    known = {
        "id": state.cycle_id, "at": elsewhere, "more": max(state.max_iterations, state.current_iteration) + 5,
        "raising": raising(reached).option if reached else "", "request": f" {asked[0].id}" if len(asked) > 1 else "",
        "decision": undecided[0].id if undecided else "", "blocker": blockers[0].id if blockers else "",
        "option": _option(state),
    }  # fmt: skip
    lines = [LABEL.format(label, pattern.format(**known)) for label, pattern in _steps(state, live)]
    if live:
        return lines
    return lines + choosing_lines(state.engine.patches or (), "loopwright cycle", state.cycle_id, elsewhere)


def _option(state: CycleState) -> str:
    """What the role recommends, else the first option, for the shell."""
    from shlex import quote

    undecided = state.coordination.undecided
    if not undecided:
        return ""
    recommended = state.engine.recommended.get(undecided[0].id)
    return quote(recommended or next(iter(undecided[0].options), "…"))


def _steps(state: CycleState, live: bool) -> Steps:
    outcome = state.engine.outcome
    if outcome == "over_budget" and state.engine.budget.reached is None:  # raised since
        return RESTART["stopped"]
    if outcome:
        blocked = bool(state.coordination.open_blockers) and state.current_iteration < state.max_iterations
        return SETTLE if blocked and outcome in ("stalled", "failed") else RESTART[outcome]
    then = THEN if state.status == "paused" else ()
    match cycle_need(state):
        case "decision":
            return (*DECIDE, *then)
        case "blocker":
            return (*RESOLVE, *then)
        case "permission" if live:
            return APPROVE
    return WATCH if state.status == "running" and live else CONTINUE[state.status]


def ending(state: CycleState, *, diff: str, summary: str | None, elsewhere: str, live: bool = False) -> str:
    """How a run came to rest: outcome, what was changed, what is left, what was decided, and what to type next."""
    coordination, results = state.coordination, state.test_results
    lines = [headline(state, live=live)]
    record = state.iterations[-1] if state.iterations else None
    left = record.issues_found if record and state.status == "failed" else ()
    open_tasks = [task for task in (state.plan.tasks if state.plan else ()) if task.status != "completed"]
    decided = [d for d in coordination.pending_decisions if d.made_by == AUTO]
    parts = (
        ("changed", some(diff_stat(diff), lambda change: f"{clean(change[0])}  +{change[1]} -{change[2]}")),
        ("proof", proof_lines(state.engine.proof)),
        ("patches", patches_lines(state.engine.patches or ())),
        ("failing", some(results.failed_tests if results else (), clean)),
        ("issues", some(left, lambda issue: short(issue, ENDING_CELLS))),
        ("open", some(open_tasks, lambda t: f"{clean(t.id)} ({t.status}): {short(t.description, 80)}")),
        ("blocked", some(coordination.open_blockers, lambda b: f"{clean(b.id)}: {short(b.description, ENDING_CELLS)}")),
        ("to decide", some(coordination.undecided, lambda d: f"{clean(d.id)}: {short(d.description, ENDING_CELLS)}")),
        (
            "decided",
            some(decided, lambda d: f"{clean(d.id)}: {short(d.chosen_option or '', 40)} ({short(d.description, 80)})"),
        ),
        ("spent", [spent_words(state.engine)]),
    )
    for name, items in parts:
        lines += [LABEL.format("" if i else name, item) for i, item in enumerate(items)]
    if summary:
        lines.append(LABEL.format("summary", summary))
    return "\n".join([*lines, *next_lines(state, live, elsewhere)])


FURTHER = "\n\n--- ITERATION "
"""In a description, what an extension has added begins so."""

TABLE = Table(
    "cycle", ("ID", "STATUS", "PHASE", "ITERATION", "TASKS", "TESTS", "AGE", "TITLE"),
    "{}, {}, iteration {}, tasks {}, tests {}, {} ago",
    'no cycles here; start one with: loopwright cycle run "TASK" --auto',
)  # fmt: skip


def cycle_status(state: CycleState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    return status_words(state, live=live, asks=cycle_need(state) in ("decision", "blocker"))


def cycle_table(
    cycles: Sequence[tuple[CycleState, bool]], total: int, now: datetime, *,
    damaged: Sequence[Damaged] = (), cells: int = 160,
) -> str:  # fmt: skip
    """One line a cycle; each comes with whether a runner holds it."""
    return listed(TABLE, [_row(state, live, now) for state, live in cycles], total, damaged, cells)


def _row(state: CycleState, live: bool, now: datetime) -> tuple[str, ...]:
    return (
        state.cycle_id, cycle_status(state, live=live), state.current_phase, iteration_words(state),
        tasks_words(state), _tests(state), age(state.updated_at, now), short(state.title, TITLE_CELLS),
    )  # fmt: skip


def iteration_words(state: CycleState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def tasks_words(state: CycleState) -> str:
    """`2/5`: completed tasks of the plan."""
    tasks = state.plan.tasks if state.plan else ()
    return f"{sum(task.status == 'completed' for task in tasks)}/{len(tasks)}" if tasks else "-"


def _tests(state: CycleState) -> str:
    found = state.test_results
    return f"{found.total_tests - len(found.failed_tests)}/{found.total_tests}" if found else "-"


def restored(state: CycleState) -> str:
    """What a recovery has brought back, in a line."""
    counts = ((len(state.plan.tasks) if state.plan else 0, "task"), (len(state.engine.checkpoints), "checkpoint"))
    known = ", ".join(plural(n, thing) for n, thing in counts)
    return f"{cycle_status(state, live=False)}, iteration {state.current_iteration} of {state.max_iterations}, {known}"


def cycle_page(
    state: CycleState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one cycle, its result first; long lists are cut unless `whole`.

    `elsewhere` ends each suggested command.
    """
    most = EVERYTHING if whole else SHOWN
    parts = [
        _result(state, live, most), _head(state, live, now), _roles(state), requests(state.engine, live, most),
        _decisions(state, most), _blockers(state, most), _plan(state, most), _tests_part(state, most),
        _iterations(state, most), _documents(state), kept(state.engine, most),
    ]  # fmt: skip
    lines = [folded for part in parts for line in part for folded in fold(line, cells)]
    if _longest(state) > most:
        lines += ["", f"loopwright cycle show {state.cycle_id} --all{elsewhere} shows every line"]
    return "\n".join([*lines, "", *next_lines(state, live, elsewhere)])


def _result(state: CycleState, live: bool, most: int) -> Iterator[str]:
    """Where it stands, and once it has ended what shows its goal."""
    yield f"{state.cycle_id}  {clean(state.title)}"
    yield headline(state, live=live)
    files = dict.fromkeys(change.file for change in state.changes.changes) if state.changes else {}
    changed = some(list(files), clean, most=most) if state.engine.outcome else []
    patches = patches_lines(state.engine.patches or (), most=most)
    proof = proof_lines(state.engine.proof, most=most)
    for name, items in (("changed", changed), ("proof", proof), ("patches", patches)):
        yield from (LABEL.format("" if i else name, item) for i, item in enumerate(items))


def _longest(state: CycleState) -> int:
    """Items of the longest list on the page."""
    engine, coordination = state.engine, state.coordination
    plan, results = state.plan, state.test_results
    known = (
        engine.checkpoints, engine.incidents, engine.asked, coordination.pending_decisions, coordination.blockers,
        plan.tasks if plan else (), results.failed_tests if results else (), state.iterations,
    )  # fmt: skip
    return max(len(items) for items in known)


def _head(state: CycleState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield ""
    yield LABEL.format("status", cycle_status(state, live=live))
    task = state.description.partition(FURTHER)[0]
    if clean(task) != clean(state.title):
        yield LABEL.format("task", clean(task))
    yield from (LABEL.format("extension", clean(text)) for text in state.task_history[1:])
    yield from (LABEL.format("to come", clean(text)) for text in engine.queue)
    yield LABEL.format("phase", state.current_phase)
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("mode", f"{settings.mode}, {plural(engine.parallel, 'agent')} at once")
    none = "none found" if engine.tests_found is False else "not found yet"
    yield LABEL.format("tests by", clean(settings.test_command) if settings.test_command else none)
    yield LABEL.format("spent", spent_words(engine))
    yield LABEL.format("created", local(state.created_at))
    yield LABEL.format("updated", f"{local(state.updated_at)} ({age(state.updated_at, now)} ago)")


def _roles(state: CycleState) -> Iterator[str]:
    rows = [(f"  {role}", TITLES[role], clean(agent_of(state, role)), *_standing(state, role)) for role in ROLES]
    yield from ("", "Roles", *columns(rows))


def _standing(state: CycleState, role: str) -> tuple[str, str]:
    """A role's status, and what it is at or what it said last."""
    agent = next(state.agents.of(known) for known in ROLES if known == role)
    doing = ", ".join(one.step for one in state.engine.under_way if one.step.startswith(f"{role}."))
    return agent.status, short(doing or agent.error or agent.last_message or "", WORDS_CELLS)


def _decisions(state: CycleState, most: int) -> Iterator[str]:
    decisions = state.coordination.pending_decisions
    if decisions:
        yield from ("", "Decisions")
    yield from some(
        decisions,
        lambda d: (
            f"  {clean(d.id)}  {_decided(d.chosen_option, d.made_by, d.options)}  {short(d.description, WORDS_CELLS)}"
        ),
        most=most,
    )


def _decided(chosen: str | None, by: str | None, options: tuple[str, ...]) -> str:
    if chosen is not None:
        return f"{clean(chosen)} (by {clean(by or '')})"
    return f"to be decided: {' | '.join(clean(option) for option in options) or 'any text'}"


def _blockers(state: CycleState, most: int) -> Iterator[str]:
    blockers = state.coordination.blockers
    if blockers:
        yield from ("", "Blockers")
    yield from some(
        blockers,
        lambda b: (
            f"  {clean(b.id)}  {b.status} ({clean(b.reported_by)})  {short(b.description, WORDS_CELLS)}"
            + (f"; {short(b.resolution, WORDS_CELLS)}" if b.resolution else "")
        ),
        most=most,
    )


def _plan(state: CycleState, most: int) -> Iterator[str]:
    plan = state.plan
    if plan is None:
        return
    yield from ("", f"Plan {plan.version}: {clean(plan.total_estimated_effort)}")
    shown = plan.tasks[:most]
    rows = [(f"  {clean(t.id)}", t.status, t.effort, _after(t), short(t.description, WORDS_CELLS)) for t in shown]
    yield from columns(rows) if rows else ()
    if len(plan.tasks) > most:
        yield f"  … and {len(plan.tasks) - most:,} more"
    if len(plan.critical_path) > 1:
        yield f"  critical path: {clean(' → '.join(plan.critical_path))}"


def _after(task: PlanTask) -> str:
    return f"after {clean(', '.join(task.depends_on))}" if task.depends_on else ""


def _tests_part(state: CycleState, most: int) -> Iterator[str]:
    found = state.test_results
    if found is None:
        return
    yield from ("", f"Validation {found.version} {local(found.last_run)}: {tests_words(state)}")
    yield from (f"  {line}" for line in some(found.failed_tests, lambda key: f"✗ {clean(key)}", most=most))


def _iterations(state: CycleState, most: int) -> Iterator[str]:
    if state.iterations:
        yield from ("", "Iterations")
    for record in state.iterations[-most:]:
        yield f"  {record.number}  {_iteration(record)}"
        yield from (f"     {line}" for line in some(record.issues_found, lambda i: short(i, WORDS_CELLS), most=most))


def _iteration(record: IterationRecord) -> str:
    ended = f"until {local(record.completed_at, '%H:%M:%S')}" if record.completed_at else "in progress"
    results = ", ".join(f"{role} {result.status}" for role, result in record.agent_results.items())
    extension = f"; extension: {short(record.extension, WORDS_CELLS)}" if record.extension else ""
    return f"{local(record.started_at)} {ended}: {results or 'nothing yet'}{extension}"


def _documents(state: CycleState) -> Iterator[str]:
    if state.iterations:
        yield from ("", f"Documents: loopwright cycle documents {state.cycle_id}")


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
    yield from _plan_cells(state)
    yield Line(f"  {_test_cells(state)}", "fact")
    if state.status == "running":
        yield from (Line(f"  ? {line}", "doing") for line in some(state.engine.asked, _asked, most=ASKED_SHOWN))
        undecided = state.coordination.undecided
        yield from (Line(f"  ? {clean(d.description)}", "doing") for d in undecided[:ASKED_SHOWN])
        yield from _now(scene.doing.get(None), "  ")


def _test_cells(state: CycleState) -> str:
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


def _plan_cells(state: CycleState) -> Iterator[Line]:
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
