"""Cycles as text: what only they have to say. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loopwright.core.cycle_names import ROLES, TITLES, Role, step_of
from loopwright.core.names import CycleStatus
from loopwright.core.state import Outcome
from loopwright.core.text import agree_word, clean_line, plural
from loopwright.evidence.proof import proof_words
from loopwright.evidence.rivals import AppliedPatch, patch_lines
from loopwright.surfaces.cli.options import quote_shell
from loopwright.surfaces.cli.run_rendering import (
    ENDING_CELLS,
    WORDS_CELLS,
    Fact,
    PageView,
    Part,
    RunRendering,
    Steps,
    branch_details,
    count_rest,
    describe_rest,
    list_below,
    proof_lines,
    request_sections,
    session_details,
    spent_words,
    task_details,
    test_details,
    time_details,
)
from loopwright.surfaces.cli.run_scene import ASKED_SHOWN, MARKS, LineStyle, RunScene
from loopwright.surfaces.cli.text import (
    SHOWN,
    align_columns,
    format_time,
    list_some,
    measure_width,
    shorten_text,
)
from loopwright.workflows.cycle.coordination import AUTO
from loopwright.workflows.cycle.model import (
    AgentStatus,
    Blocker,
    CycleState,
    Decision,
    IterationRecord,
    Plan,
    PlanTask,
)
from loopwright.workflows.cycle.summary import agent_of, cycle_need
from loopwright.workflows.loop.summary import FinishedAction

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

FURTHER = "\n\n--- ITERATION "
"""In a description, what an extension has added begins so."""


def iteration_words(state: CycleState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def tasks_words(state: CycleState) -> str:
    """`2/5`: completed tasks of the plan."""
    tasks = state.plan.tasks if state.plan else ()
    return f"{sum(task.status == 'completed' for task in tasks)}/{len(tasks)}" if tasks else "-"


def passed_words(state: CycleState) -> str:
    """`12/14`: passed tests of the last validation."""
    found = state.test_results
    return f"{found.total_tests - len(found.failed_tests)}/{found.total_tests}" if found else "-"


def tests_words(state: CycleState) -> str:
    """`all 14 tests pass, coverage 92 %`; what the last validation counted."""
    found = state.test_results
    if found is None:
        return "no tests were run"
    failed, total = len(found.failed_tests), found.total_tests
    covered = f", coverage {found.coverage:g} %" if found.coverage else ""
    if failed:
        return f"{failed:,} of {plural(total, 'test')} {agree_word(failed, 'fails')}{covered}"
    return f"{'all ' if total > 1 else ''}{plural(total, 'test')} {agree_word(total, 'passes')}{covered}"


class CycleRendering(RunRendering[CycleState]):
    name, key, line = "cycle", "cycle_id", "loopwright cycle"
    columns = (
        ("PHASE", lambda state: state.current_phase),
        ("ITERATION", iteration_words),
        ("TASKS", tasks_words),
        ("TESTS", passed_words),
    )
    facts = "{STATUS}, {PHASE}, iteration {ITERATION}, tasks {TASKS}, tests {TESTS}, {AGE} ago"
    none = 'no cycles here; start one with: loopwright cycle run "TASK" --auto'

    def completed(self, state: CycleState) -> str:
        used = plural(state.current_iteration, "iteration")
        if state.engine.outcome == "unverified":
            return f"Completed in {used}, but unverified: no tests were found."
        proof = f"; {clean_line(proof_words(state.engine.proof))}" if state.engine.proof else ""
        return describe_rest(state, f"{tests_words(state)}{proof}", f" in {used}")

    def running(self, state: CycleState) -> str:
        asked, undecided = len(state.engine.asked), len(state.coordination.undecided)
        if asked:
            return f"Running; {plural(asked, 'permission request')} {agree_word(asked, 'is')} open."
        if undecided and cycle_need(state) == "decision":
            return f"Running; {plural(undecided, 'decision')} {agree_word(undecided, 'is')} open."
        return "Running."

    def asks(self, state: CycleState) -> bool:
        return cycle_need(state) in ("decision", "blocker")

    def iteration(self, state: CycleState) -> str:
        return f"{state.current_iteration} of {state.max_iterations}"

    def counts(self, state: CycleState) -> tuple[str, ...]:
        tasks = state.plan.tasks if state.plan else ()
        return plural(len(tasks), "task"), plural(len(state.engine.checkpoints), "checkpoint")

    def steps(self, state: CycleState, live: bool) -> Steps:
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

    def blanks(self, state: CycleState) -> Mapping[str, object]:
        """Of a decision what the role recommends, else the first option, for the shell."""
        decision = next(iter(state.coordination.undecided), None)
        blocker = next(iter(state.coordination.open_blockers), None)
        recommended = state.engine.recommended.get(decision.id) if decision else None
        return {
            "more": max(state.max_iterations, state.current_iteration) + 5,
            "decision": decision.id if decision else "",
            "blocker": blocker.id if blocker else "",
            "option": quote_shell(recommended or next(iter(decision.options), "…")) if decision else "",
        }

    def patches(self, state: CycleState) -> Sequence[AppliedPatch]:
        return state.engine.patches or ()

    def remains(self, state: CycleState) -> Iterator[Part]:
        coordination, results = state.coordination, state.test_results
        record = state.iterations[-1] if state.iterations else None
        left = record.issues_found if record and state.status == "failed" else ()
        open_tasks = [task for task in (state.plan.tasks if state.plan else ()) if task.status != "completed"]
        decided = [d for d in coordination.pending_decisions if d.made_by == AUTO]
        yield "proof", proof_lines(state.engine.proof)
        yield "patches", patches_lines(self.patches(state))
        yield "failing", list_some(results.failed_tests if results else (), clean_line)
        yield "issues", list_some(left, lambda issue: shorten_text(issue, ENDING_CELLS))
        yield "open", list_some(open_tasks, lambda t: f"{_task(t)}: {shorten_text(t.description, 80)}")
        yield "blocked", list_some(coordination.open_blockers, _left_over)
        yield "to decide", list_some(coordination.undecided, _left_over)
        yield "decided", list_some(decided, _decided_by_itself)
        yield "spent", [spent_words(state.engine)]

    def results(self, state: CycleState, most: int) -> Iterator[Part]:
        """Once it has ended, what it changed and what shows its goal."""
        files = dict.fromkeys(change.file for change in state.changes.changes) if state.changes else {}
        yield "changed", list_some(list(files), clean_line, most=most) if state.engine.outcome else []
        yield "proof", proof_lines(state.engine.proof, most=most)
        yield "patches", patches_lines(self.patches(state), most=most)

    def details(self, state: CycleState, view: PageView) -> Iterator[Fact]:
        engine = state.engine
        yield "status", self.status(state, live=view.live)
        yield from task_details(state, state.description.partition(FURTHER)[0])
        yield from (("extension", clean_line(text)) for text in state.task_history[1:])
        yield from (("to come", clean_line(text)) for text in engine.queue)
        yield "phase", state.current_phase
        yield "iteration", self.iteration(state)
        yield "mode", f"{engine.settings.mode}, {plural(engine.parallel, 'agent')} at once"
        yield from session_details(engine)
        yield from branch_details(engine)
        yield from test_details(engine)
        yield from time_details(engine, state.created_at, state.updated_at)

    def sections(self, state: CycleState, view: PageView) -> Iterator[Part]:
        coordination, found = state.coordination, state.test_results
        yield "Roles", align_columns([_role_row(state, role) for role in ROLES])
        yield from request_sections(state.engine, view)
        if coordination.pending_decisions:
            yield "Decisions", list_some(coordination.pending_decisions, _decision, most=view.most)
        if coordination.blockers:
            yield "Blockers", list_some(coordination.blockers, _blocker, most=view.most)
        if state.plan:
            yield (
                f"Plan {state.plan.version}: {clean_line(state.plan.total_estimated_effort)}",
                _plan(state.plan, view.most),
            )
        if found:
            failed = list_below(found.failed_tests, lambda key: f"✗ {clean_line(key)}", view.most)
            yield f"Validation {found.version} {format_time(found.last_run)}: {tests_words(state)}", failed
        if state.iterations:
            latest = state.iterations[-view.most :]
            yield "Iterations", [line for record in latest for line in _iteration(record, view.most)]
            yield f"Documents: loopwright cycle documents {state.cycle_id}", ()

    def lists(self, state: CycleState) -> Iterator[Sequence[object]]:
        engine, coordination = state.engine, state.coordination
        yield from (engine.checkpoints, engine.incidents, engine.asked)
        yield from (coordination.pending_decisions, coordination.blockers, state.iterations)
        yield state.plan.tasks if state.plan else ()
        yield state.test_results.failed_tests if state.test_results else ()

    def picture(self, state: CycleState, history: tuple[FinishedAction, ...], seconds: float) -> "CycleScene":
        return CycleScene(state, seconds)


CYCLE = CycleRendering()


def patches_lines(patches: Sequence[AppliedPatch], *, most: int = SHOWN) -> list[str]:
    """Each patch with what the tests say of it, and its rivals."""
    return list_some([line for patch in patches for line in patch_lines(patch)], clean_line, most=most)


def _task(task: PlanTask) -> str:
    return f"{clean_line(task.id)} ({task.status})"


def _left_over(one: Blocker | Decision) -> str:
    return f"{clean_line(one.id)}: {shorten_text(one.description, ENDING_CELLS)}"


def _decided_by_itself(one: Decision) -> str:
    words = f"{shorten_text(one.chosen_option or '', 40)} ({shorten_text(one.description, 80)})"
    return f"{clean_line(one.id)}: {words}"


def _role_row(state: CycleState, role: Role) -> tuple[str, ...]:
    """A role's player and status, and what it is at or what it said last."""
    agent = state.agents.of(role)
    doing = ", ".join(one.step for one in state.engine.under_way if one.step.startswith(f"{role}."))
    words = shorten_text(doing or agent.error or agent.last_message or "", WORDS_CELLS)
    return f"  {role}", TITLES[role], clean_line(agent_of(state, role)), agent.status, words


def _decision(one: Decision) -> str:
    if one.chosen_option is not None:
        standing = f"{clean_line(one.chosen_option)} (by {clean_line(one.made_by or '')})"
    else:
        standing = f"to be decided: {' | '.join(clean_line(option) for option in one.options) or 'any text'}"
    return f"  {clean_line(one.id)}  {standing}  {shorten_text(one.description, WORDS_CELLS)}"


def _blocker(one: Blocker) -> str:
    resolution = f"; {shorten_text(one.resolution, WORDS_CELLS)}" if one.resolution else ""
    standing = f"{one.status} ({clean_line(one.reported_by)})"
    return f"  {clean_line(one.id)}  {standing}  {shorten_text(one.description, WORDS_CELLS)}{resolution}"


def _plan(plan: Plan, most: int) -> list[str]:
    rows = [
        (f"  {clean_line(t.id)}", t.status, t.effort, _after(t), shorten_text(t.description, WORDS_CELLS))
        for t in plan.tasks[:most]
    ]
    course = clean_line(" → ".join(plan.critical_path))
    last = [f"  critical path: {course}"] if len(plan.critical_path) > 1 else []
    return [*(align_columns(rows) if rows else ()), *count_rest(plan.tasks, most), *last]


def _after(task: PlanTask) -> str:
    return f"after {clean_line(', '.join(task.depends_on))}" if task.depends_on else ""


def _iteration(record: IterationRecord, most: int) -> Iterator[str]:
    ended = f"until {format_time(record.completed_at, '%H:%M:%S')}" if record.completed_at else "in progress"
    results = ", ".join(f"{role} {result.status}" for role, result in record.agent_results.items())
    extension = f"; extension: {shorten_text(record.extension, WORDS_CELLS)}" if record.extension else ""
    yield f"  {record.number}  {format_time(record.started_at)} {ended}: {results or 'nothing yet'}{extension}"
    yield from (
        f"     {line}" for line in list_some(record.issues_found, lambda i: shorten_text(i, WORDS_CELLS), most=most)
    )


TASKS_SHOWN = 8
NAME_CELLS = max(map(len, TITLES.values()))
SIGNS: dict[AgentStatus, tuple[str, LineStyle]] = {
    "idle": (MARKS["pending"], "pending"),
    "running": (MARKS["in_progress"], "in_progress"),
    "waiting": ("…", "pending"),
    "completed": (MARKS["completed"], "completed"),
    "failed": (MARKS["failed"], "fact"),
}


@dataclass(frozen=True)
class CycleScene(RunScene[CycleState]):
    """The roles with what each does right now, then the plan and the tests."""

    by_role = True

    def draw(self, cells: int) -> Iterator[tuple[str, LineStyle]]:
        state, at = self.state, iteration_words(self.state)
        yield from self.head(state.cycle_id, at, cells, brief=at)
        for role in ROLES:
            yield from self._role(role)
        yield from _plan_cells(state)
        yield f"  {_test_cells(state)}", "fact"
        if state.status == "running":
            yield from self.asked(*(d.description for d in state.coordination.undecided[:ASKED_SHOWN]))
            yield from self.activity()

    def begun(self, fields: Mapping[str, object]) -> str | None:
        task = self.state.plan.task(str(fields.get("task"))) if self.state.plan else None
        return task.description if task else None

    def _role(self, role: Role) -> Iterator[tuple[str, LineStyle]]:
        """A row, and below it what the role does right now."""
        state, agent = self.state, self.state.agents.of(role)
        steps = [step_of(one.step) for one in state.engine.under_way if step_of(one.step).role == role]
        at = ", ".join(step.task or step.name.partition(".")[2] for step in steps)
        player = clean_line(agent_of(state, role))
        gap = " " * (max(measure_width(clean_line(agent_of(state, each))) for each in ROLES) - measure_width(player))
        sign, style = SIGNS[agent.status]
        words = at if steps else agent.error or agent.last_message or ""
        told = f": {clean_line(words)}" if words else ""
        yield f"  {sign} {TITLES[role]:<{NAME_CELLS}}  {player}{gap}  {agent.status}{told}", style
        if agent.status == "running":
            yield from self.activity(role, "      ")


def _test_cells(state: CycleState) -> str:
    """What the last validation counted, before that the first run."""
    baseline = state.engine.baseline
    if state.test_results is not None or baseline is None:
        return tests_words(state) if state.test_results else "tests not run yet"
    failing = sum(test.status == "failed" for test in baseline.tests.values())
    return f"{plural(len(baseline.tests), 'test')}, {failing:,} failing at first"


def _plan_cells(state: CycleState) -> Iterator[tuple[str, LineStyle]]:
    """Tasks that are open come first where not all can be shown."""
    tasks = state.plan.tasks if state.plan else ()
    left = [task for task in tasks if task.status != "completed"]
    shown = tasks if len(tasks) <= TASKS_SHOWN else left
    if tasks:
        yield f"  plan: {len(tasks) - len(left)} of {len(tasks)} tasks", "fact"
    for task in shown[:TASKS_SHOWN]:
        style: LineStyle = "fact" if task.status == "blocked" else task.status
        yield f"    {MARKS[task.status]} {task.id} {clean_line(task.description)}", style
    yield from ((f"  {line}", "pending") for line in count_rest(shown, TASKS_SHOWN))
