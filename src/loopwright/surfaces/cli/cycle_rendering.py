"""Cycles as text: the list, and one cycle in full. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple, Self

from loopwright.core.cycle_names import ROLES, TITLES, Role, step_of
from loopwright.core.names import CycleStatus
from loopwright.core.pause import pause_words
from loopwright.core.record import JournalEntry
from loopwright.core.run import advise_limit
from loopwright.core.run_events import RunNote
from loopwright.core.state import Outcome, PermissionRequest
from loopwright.core.text import agree_word, clean_line, plural
from loopwright.evidence.proof import proof_words
from loopwright.policy.permissions import request_words
from loopwright.surfaces.cli.loop_rendering import (
    ABOUT_CELLS,
    ASKED_SHOWN,
    EVERYTHING,
    MARKS,
    SHOWN,
    TITLE_CELLS,
    WORDS_CELLS,
    DamagedRun,
    Steps,
    TableLayout,
    checkpoint_lines,
    choosing_lines,
    describe_standstill,
    list_some,
    patches_lines,
    proof_lines,
    render_table,
    request_lines,
    spent_words,
    status_words,
    strip_report,
)
from loopwright.surfaces.cli.text import (
    LABEL,
    Style,
    StyledLine,
    align_columns,
    cut_line,
    fold_line,
    format_age,
    format_stopwatch,
    format_time,
    last_line,
    measure_width,
    shorten_text,
)
from loopwright.workflows.cycle.coordination import AUTO
from loopwright.workflows.cycle.model import AgentStatus, CycleState, IterationRecord, PlanTask
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


def cycle_headline(state: CycleState, *, live: bool = False) -> str:
    """Where the cycle rests, in a sentence."""
    if words := describe_standstill(state):
        return words
    if state.status == "completed":
        return _completed(state)
    return {
        "running": _running(state) if live else "Interrupted: no runner is working on it.",
        "created": "Created, not started yet.",
    }.get(state.status, f"{pause_words(state)}.")


def _running(state: CycleState) -> str:
    asked, undecided = len(state.engine.asked), len(state.coordination.undecided)
    if asked:
        return f"Running; {plural(asked, 'permission request')} {agree_word(asked, 'is')} open."
    if undecided and cycle_need(state) == "decision":
        return f"Running; {plural(undecided, 'decision')} {agree_word(undecided, 'is')} open."
    return "Running."


def _completed(state: CycleState) -> str:
    used = plural(state.current_iteration, "iteration")
    if state.engine.outcome == "unverified":
        return f"Completed in {used}, but unverified: no tests were found."
    old = " (tests that failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    ended = "Succeeded" if state.engine.outcome == "succeeded" else "Unproven"
    proof = f"; {clean_line(proof_words(state.engine.proof))}" if state.engine.proof else ""
    return f"{ended} in {used}: {tests_words(state)}{proof}{old}."


def tests_words(state: CycleState) -> str:
    """`all 14 tests pass, coverage 92 %`; what the last validation counted."""
    found = state.test_results
    if found is None:
        return "no tests were run"
    failed, total = len(found.failed_tests), found.total_tests
    covered = f", coverage {found.coverage:g} %" if found.coverage else ""
    words = (
        f"{failed:,} of {plural(total, 'test')} {'fails' if failed == 1 else 'fail'}"
        if failed
        else (f"{'all ' if total > 1 else ''}{plural(total, 'test')} {agree_word(total, 'passes')}")
    )
    return f"{words}{covered}"


def next_lines(state: CycleState, live: bool, elsewhere: str) -> list[str]:
    """What to type next, ready to be copied. `elsewhere` ends each command."""
    reached, asked, coordination = state.engine.budget.reached, state.engine.asked, state.coordination
    undecided, blockers = coordination.undecided, coordination.open_blockers
    known = {
        "id": state.cycle_id,
        "at": elsewhere,
        "more": max(state.max_iterations, state.current_iteration) + 5,
        "raising": advise_limit(reached).option if reached else "",
        "request": f" {asked[0].id}" if len(asked) > 1 else "",
        "decision": undecided[0].id if undecided else "",
        "blocker": blockers[0].id if blockers else "",
        "option": _option(state),
    }
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


def cycle_ending(state: CycleState, *, diff: str, summary: str | None, elsewhere: str, live: bool = False) -> str:
    """How a run came to rest: outcome, what was changed, what is left, what was decided, and what to type next."""
    coordination, results = state.coordination, state.test_results
    lines = [cycle_headline(state, live=live)]
    record = state.iterations[-1] if state.iterations else None
    left = record.issues_found if record and state.status == "failed" else ()
    open_tasks = [task for task in (state.plan.tasks if state.plan else ()) if task.status != "completed"]
    decided = [d for d in coordination.pending_decisions if d.made_by == AUTO]
    parts = (
        ("changed", list_some(diff_stat(diff), lambda change: f"{clean_line(change[0])}  +{change[1]} -{change[2]}")),
        ("proof", proof_lines(state.engine.proof)),
        ("patches", patches_lines(state.engine.patches or ())),
        ("failing", list_some(results.failed_tests if results else (), clean_line)),
        ("issues", list_some(left, lambda issue: shorten_text(issue, ENDING_CELLS))),
        (
            "open",
            list_some(open_tasks, lambda t: f"{clean_line(t.id)} ({t.status}): {shorten_text(t.description, 80)}"),
        ),
        (
            "blocked",
            list_some(
                coordination.open_blockers, lambda b: f"{clean_line(b.id)}: {shorten_text(b.description, ENDING_CELLS)}"
            ),
        ),
        (
            "to decide",
            list_some(
                coordination.undecided, lambda d: f"{clean_line(d.id)}: {shorten_text(d.description, ENDING_CELLS)}"
            ),
        ),
        (
            "decided",
            list_some(
                decided,
                lambda d: (
                    f"{clean_line(d.id)}: {shorten_text(d.chosen_option or '', 40)} ({shorten_text(d.description, 80)})"
                ),
            ),
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

TABLE = TableLayout(
    "cycle",
    ("ID", "STATUS", "PHASE", "ITERATION", "TASKS", "TESTS", "AGE", "TITLE"),
    "{}, {}, iteration {}, tasks {}, tests {}, {} ago",
    'no cycles here; start one with: loopwright cycle run "TASK" --auto',
)


def cycle_status(state: CycleState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    return status_words(state, live=live, asks=cycle_need(state) in ("decision", "blocker"))


def cycle_table(
    cycles: Sequence[tuple[CycleState, bool]],
    total: int,
    now: datetime,
    *,
    damaged: Sequence[DamagedRun] = (),
    cells: int = 160,
) -> str:
    """One line a cycle; each comes with whether a runner holds it."""
    return render_table(TABLE, [_row(state, live, now) for state, live in cycles], total, damaged, cells)


def _row(state: CycleState, live: bool, now: datetime) -> tuple[str, ...]:
    return (
        state.cycle_id,
        cycle_status(state, live=live),
        state.current_phase,
        iteration_words(state),
        tasks_words(state),
        _tests(state),
        format_age(state.updated_at, now),
        shorten_text(state.title, TITLE_CELLS),
    )


def iteration_words(state: CycleState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def tasks_words(state: CycleState) -> str:
    """`2/5`: completed tasks of the plan."""
    tasks = state.plan.tasks if state.plan else ()
    return f"{sum(task.status == 'completed' for task in tasks)}/{len(tasks)}" if tasks else "-"


def _tests(state: CycleState) -> str:
    found = state.test_results
    return f"{found.total_tests - len(found.failed_tests)}/{found.total_tests}" if found else "-"


def cycle_recovery_line(state: CycleState) -> str:
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
        _result(state, live, most),
        _head(state, live, now),
        _roles(state),
        request_lines(state.engine, live, most),
        _decisions(state, most),
        _blockers(state, most),
        _plan(state, most),
        _tests_part(state, most),
        _iterations(state, most),
        _documents(state),
        checkpoint_lines(state.engine, most),
    ]
    lines = [folded for part in parts for line in part for folded in fold_line(line, cells)]
    if _longest(state) > most:
        lines += ["", f"loopwright cycle show {state.cycle_id} --all{elsewhere} shows every line"]
    return "\n".join([*lines, "", *next_lines(state, live, elsewhere)])


def _result(state: CycleState, live: bool, most: int) -> Iterator[str]:
    """Where it stands, and once it has ended what shows its goal."""
    yield f"{state.cycle_id}  {clean_line(state.title)}"
    yield cycle_headline(state, live=live)
    files = dict.fromkeys(change.file for change in state.changes.changes) if state.changes else {}
    changed = list_some(list(files), clean_line, most=most) if state.engine.outcome else []
    patches = patches_lines(state.engine.patches or (), most=most)
    proof = proof_lines(state.engine.proof, most=most)
    for name, items in (("changed", changed), ("proof", proof), ("patches", patches)):
        yield from (LABEL.format("" if i else name, item) for i, item in enumerate(items))


def _longest(state: CycleState) -> int:
    """Items of the longest list on the page."""
    engine, coordination = state.engine, state.coordination
    plan, results = state.plan, state.test_results
    known = (
        engine.checkpoints,
        engine.incidents,
        engine.asked,
        coordination.pending_decisions,
        coordination.blockers,
        plan.tasks if plan else (),
        results.failed_tests if results else (),
        state.iterations,
    )
    return max(len(items) for items in known)


def _head(state: CycleState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield ""
    yield LABEL.format("status", cycle_status(state, live=live))
    task = state.description.partition(FURTHER)[0]
    if clean_line(task) != clean_line(state.title):
        yield LABEL.format("task", clean_line(task))
    yield from (LABEL.format("extension", clean_line(text)) for text in state.task_history[1:])
    yield from (LABEL.format("to come", clean_line(text)) for text in engine.queue)
    yield LABEL.format("phase", state.current_phase)
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("mode", f"{settings.mode}, {plural(engine.parallel, 'agent')} at once")
    none = "none found" if engine.tests_found is False else "not found yet"
    yield LABEL.format("tests by", clean_line(settings.test_command) if settings.test_command else none)
    yield LABEL.format("spent", spent_words(engine))
    yield LABEL.format("created", format_time(state.created_at))
    yield LABEL.format("updated", f"{format_time(state.updated_at)} ({format_age(state.updated_at, now)} ago)")


def _roles(state: CycleState) -> Iterator[str]:
    rows = [(f"  {role}", TITLES[role], clean_line(agent_of(state, role)), *_standing(state, role)) for role in ROLES]
    yield from ("", "Roles", *align_columns(rows))


def _standing(state: CycleState, role: str) -> tuple[str, str]:
    """A role's status, and what it is at or what it said last."""
    agent = next(state.agents.of(known) for known in ROLES if known == role)
    doing = ", ".join(one.step for one in state.engine.under_way if one.step.startswith(f"{role}."))
    return agent.status, shorten_text(doing or agent.error or agent.last_message or "", WORDS_CELLS)


def _decisions(state: CycleState, most: int) -> Iterator[str]:
    decisions = state.coordination.pending_decisions
    if decisions:
        yield from ("", "Decisions")
    yield from list_some(
        decisions,
        lambda d: (
            f"  {clean_line(d.id)}  {_decided(d.chosen_option, d.made_by, d.options)}"
            f"  {shorten_text(d.description, WORDS_CELLS)}"
        ),
        most=most,
    )


def _decided(chosen: str | None, by: str | None, options: tuple[str, ...]) -> str:
    if chosen is not None:
        return f"{clean_line(chosen)} (by {clean_line(by or '')})"
    return f"to be decided: {' | '.join(clean_line(option) for option in options) or 'any text'}"


def _blockers(state: CycleState, most: int) -> Iterator[str]:
    blockers = state.coordination.blockers
    if blockers:
        yield from ("", "Blockers")
    yield from list_some(
        blockers,
        lambda b: (
            f"  {clean_line(b.id)}  {b.status} ({clean_line(b.reported_by)})"
            f"  {shorten_text(b.description, WORDS_CELLS)}"
            + (f"; {shorten_text(b.resolution, WORDS_CELLS)}" if b.resolution else "")
        ),
        most=most,
    )


def _plan(state: CycleState, most: int) -> Iterator[str]:
    plan = state.plan
    if plan is None:
        return
    yield from ("", f"Plan {plan.version}: {clean_line(plan.total_estimated_effort)}")
    shown = plan.tasks[:most]
    rows = [
        (f"  {clean_line(t.id)}", t.status, t.effort, _after(t), shorten_text(t.description, WORDS_CELLS))
        for t in shown
    ]
    yield from align_columns(rows) if rows else ()
    if len(plan.tasks) > most:
        yield f"  … and {len(plan.tasks) - most:,} more"
    if len(plan.critical_path) > 1:
        yield f"  critical path: {clean_line(' → '.join(plan.critical_path))}"


def _after(task: PlanTask) -> str:
    return f"after {clean_line(', '.join(task.depends_on))}" if task.depends_on else ""


def _tests_part(state: CycleState, most: int) -> Iterator[str]:
    found = state.test_results
    if found is None:
        return
    yield from ("", f"Validation {found.version} {format_time(found.last_run)}: {tests_words(state)}")
    yield from (f"  {line}" for line in list_some(found.failed_tests, lambda key: f"✗ {clean_line(key)}", most=most))


def _iterations(state: CycleState, most: int) -> Iterator[str]:
    if state.iterations:
        yield from ("", "Iterations")
    for record in state.iterations[-most:]:
        yield f"  {record.number}  {_iteration(record)}"
        yield from (
            f"     {line}" for line in list_some(record.issues_found, lambda i: shorten_text(i, WORDS_CELLS), most=most)
        )


def _iteration(record: IterationRecord) -> str:
    ended = f"until {format_time(record.completed_at, '%H:%M:%S')}" if record.completed_at else "in progress"
    results = ", ".join(f"{role} {result.status}" for role, result in record.agent_results.items())
    extension = f"; extension: {shorten_text(record.extension, WORDS_CELLS)}" if record.extension else ""
    return f"{format_time(record.started_at)} {ended}: {results or 'nothing yet'}{extension}"


def _documents(state: CycleState) -> Iterator[str]:
    if state.iterations:
        yield from ("", f"Documents: loopwright cycle documents {state.cycle_id}")


TASKS_SHOWN = 8
NAME_CELLS = max(map(len, TITLES.values()))

STYLES: dict[AgentStatus, Style] = {
    "idle": "pending",
    "running": "in_progress",
    "waiting": "pending",
    "completed": "completed",
    "failed": "fact",
}
SIGNS: dict[AgentStatus, str] = {
    "idle": MARKS["pending"],
    "running": MARKS["in_progress"],
    "waiting": "…",
    "completed": MARKS["completed"],
    "failed": "✗",
}


class RoleActivity(NamedTuple):
    """What was told last, how long ago, and the last line that was printed or said."""

    words: str = ""
    seconds: float = 0
    output: str = ""


@dataclass(frozen=True)
class CycleScene:
    """The Picture of a cycle. `seconds` since we look; `doing` by role, and for the engine under its own key."""

    state: CycleState
    seconds: float = 0
    doing: Mapping[str | None, RoleActivity] = field(default_factory=dict)

    def after(self, last: Self) -> Self:
        return replace(self, doing=last.doing)

    def aged(self, seconds: float) -> Self:
        doing = {role: each._replace(seconds=each.seconds + seconds) for role, each in self.doing.items()}
        return replace(self, seconds=self.seconds + seconds, doing=doing)

    def noted(self, note: RunNote) -> Self:
        before = self.doing.get(note.role, RoleActivity())
        match note.kind:
            case "output" | "said" | "thought":
                now = before._replace(output=last_line(note.text) or before.output)
            case "action":
                now = RoleActivity()
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                now = RoleActivity(note.text)
        return replace(self, doing={**self.doing, note.role: now})

    def lines(self, cells: int) -> list[StyledLine]:
        """Columns stay columns: whatever others wrote is clean before it gets into one."""
        return [StyledLine(cut_line(line.text, cells), line.kind) for line in _lines(self, cells)]

    def about(self, entry: JournalEntry) -> str:
        """What the task of the plan is that begins."""
        plan = self.state.plan if entry.event.type == "step_started" else None
        task = plan.task(str(entry.event.data.get("task"))) if plan else None
        return f": {shorten_text(task.description, ABOUT_CELLS)}" if task else ""


def _lines(scene: CycleScene, cells: int) -> Iterator[StyledLine]:
    state = scene.state
    parts = (state.cycle_id, format_stopwatch(scene.seconds), state.status, f"iteration {iteration_words(state)}")
    head = " · ".join(parts)
    yield StyledLine(
        head if measure_width(head) <= cells else " · ".join((*parts[:-1], iteration_words(state))), "head"
    )
    yield StyledLine(f"  {clean_line(state.title)}", "head")
    for role in ROLES:
        yield from _role(scene, role)
    yield from _plan_cells(state)
    yield StyledLine(f"  {_test_cells(state)}", "fact")
    if state.status == "running":
        yield from (
            StyledLine(f"  ? {line}", "doing") for line in list_some(state.engine.asked, _asked, most=ASKED_SHOWN)
        )
        undecided = state.coordination.undecided
        yield from (StyledLine(f"  ? {clean_line(d.description)}", "doing") for d in undecided[:ASKED_SHOWN])
        yield from _now(scene.doing.get(None), "  ")


def _test_cells(state: CycleState) -> str:
    """What the last validation counted, before that the first run."""
    baseline = state.engine.baseline
    if state.test_results is not None or baseline is None:
        return tests_words(state) if state.test_results else "tests not run yet"
    failing = sum(test.status == "failed" for test in baseline.tests.values())
    return f"{plural(len(baseline.tests), 'test')}, {failing:,} failing at first"


def _asked(request: PermissionRequest) -> str:
    return clean_line(request_words(request))


def _role(scene: CycleScene, role: Role) -> Iterator[StyledLine]:
    """A row, and below it what the role does right now."""
    state, agent = scene.state, scene.state.agents.of(role)
    steps = [step_of(one.step) for one in state.engine.under_way if step_of(one.step).role == role]
    at = ", ".join(step.task or step.name.partition(".")[2] for step in steps)
    player = clean_line(agent_of(state, role))
    gap = " " * (max(measure_width(clean_line(agent_of(state, each))) for each in ROLES) - measure_width(player))
    row = f"  {SIGNS[agent.status]} {TITLES[role]:<{NAME_CELLS}}  {player}{gap}  {agent.status}"
    words = at if steps else agent.error or agent.last_message or ""
    yield StyledLine(f"{row}{f': {clean_line(words)}' if words else ''}", STYLES[agent.status])
    if agent.status == "running":
        yield from _now(scene.doing.get(role), "      ")


def _now(doing: RoleActivity | None, indent: str) -> Iterator[StyledLine]:
    if doing is None:
        return
    if words := strip_report(doing.words):
        yield StyledLine(f"{indent}{format_stopwatch(doing.seconds)} {words}", "doing")
    if doing.output:
        yield StyledLine(f"{indent}     {clean_line(doing.output)}", "output")


def _plan_cells(state: CycleState) -> Iterator[StyledLine]:
    """Tasks that are open come first where not all can be shown."""
    tasks = state.plan.tasks if state.plan else ()
    done = [task for task in tasks if task.status == "completed"]
    shown = list(tasks) if len(tasks) <= TASKS_SHOWN else [task for task in tasks if task.status != "completed"]
    if tasks:
        yield StyledLine(f"  plan: {len(done)} of {len(tasks)} tasks", "fact")
    yield from (
        StyledLine(f"    {_mark(task)} {task.id} {clean_line(task.description)}", _style(task))
        for task in shown[:TASKS_SHOWN]
    )
    if len(shown) > TASKS_SHOWN:
        yield StyledLine(f"    … and {len(shown) - TASKS_SHOWN:,} more", "pending")


def _mark(task: PlanTask) -> str:
    return "✗" if task.status == "blocked" else MARKS[task.status]


def _style(task: PlanTask) -> Style:
    return "fact" if task.status == "blocked" else task.status
