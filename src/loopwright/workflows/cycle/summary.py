"""What a cycle has done, what is open, and how it ended: for people. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from loopwright.core.course import Check, CourseStep, check_of, close_step, read_count
from loopwright.core.cycle_names import ROLES, CycleStep, Role, StepName, step_of
from loopwright.core.names import CycleStatus, Mode
from loopwright.core.pause import Pause, pause_of
from loopwright.core.record import Items, JournalEntry, Record, Timestamp
from loopwright.core.state import Checkpoint, Outcome
from loopwright.core.text import encode_word, plural
from loopwright.evidence.proof import SURVIVORS_KEPT, Proof, proof_words, strength_lines
from loopwright.evidence.rivals import patch_lines
from loopwright.workflows.cycle.logs import baseline_words, tests_words
from loopwright.workflows.cycle.model import AgentStatus, CycleState, Phase, PlanTask

FILES_NAMED = 20
"""Changed files that the summary names."""

BUILTIN = "builtin"
"""The agent without a model; see the agents."""

UNWRITTEN: dict[Role, str] = {
    "ra": "requirements beyond the task's own words and the failing tests: what the goal implies, what is out of scope,"
    " and cases that nobody wrote a test for",
    "ep": "a plan that cuts new work into tasks with dependencies, efforts and files; the risks of this very change",
    "cd": "code for what no failing test describes",
    "vas": "a judgement of what the tests do not show",
}
"""What a role that is played without a model does not write."""


def render_implementation(state: CycleState) -> str:
    """cd/implementation.md: the tasks as they stand, and what was changed, by iteration."""
    tasks = state.plan.tasks if state.plan else ()
    done = sum(task.status == "completed" for task in tasks)
    lines = ["# Implementation", "", f"{done} of {plural(len(tasks), 'task')} done.", "", "## Tasks", ""]
    lines += [f"- {_task(task)}" for task in tasks] or ["- none"]
    changes = state.changes.changes if state.changes else ()
    for iteration in sorted({line.iteration for line in changes}):
        lines += ["", f"## Iteration {iteration}", ""]
        said = None
        for line in changes:
            if line.iteration != iteration:
                continue
            if said != (line.timestamp, line.description):
                said = (line.timestamp, line.description)
                lines.append(f"- {line.timestamp} {_one_line(line.description)}")
            lines.append(f"  - {_one_line(line.file)} ({line.action}, {_one_line(line.agent)})")
    return "\n".join([*lines, *_patches(state)])


FAILED_STEPS = "Failed steps"
"""The section of issues.md that lists the phase errors, which read back from there."""


def render_issues(state: CycleState) -> str:
    """cd/issues.md: what keeps the work, what failed, and what came back to cd."""
    coordination = state.coordination
    blockers = [
        f"- {one.id} ({one.status}, from {one.reported_by}): {_one_line(one.description)}"
        + (f" — {_one_line(one.resolution)}" if one.resolution else "")
        for one in coordination.blockers
    ]
    failed = [f"- {error.timestamp} {error.phase}: {encode_word(error.error)}" for error in state.phase_errors]
    back = [
        f"- {entry.timestamp} from {entry.source} ({entry.type}): {_one_line(entry.content)}"
        for entry in coordination.feedback_log
        if entry.target == "cd"
    ]
    open_tasks = [f"- {_task(task)}" for task in _open_tasks(state)]
    return "\n".join(
        [
            "# Issues",
            *_section("Blockers", blockers),
            *_section("Open tasks", open_tasks),
            *_section(FAILED_STEPS, failed),
            *_section("What came back", back),
        ]
    )


def render_summary(state: CycleState) -> str:
    """coordination/summary.md: how it ended, what was done, and what is left to do."""
    reason = f": {_one_line(state.failure_reason)}" if state.failure_reason else ""
    proof = state.engine.proof
    lines = [
        f"# {_one_line(state.title)}",
        "",
        f"The cycle ended **{state.engine.outcome or state.status}**{reason}.",
        "",
        *_facts(state),
        *(_section("Proof", _proof(proof)) if proof else ()),
        *_section("Iterations", _iterations(state)),
        *_section("What is open", _left(state)),
        *_section("Decisions", _decisions(state)),
        *_section("Blockers that were settled", _settled(state)),
    ]
    lines += _patches(state)
    if unwritten := {role: words for role, words in UNWRITTEN.items() if state.engine.agent_of(role) == BUILTIN}:
        told = [f"- {role}: a model would have added {words}" for role, words in unwritten.items()]
        lines += _section("Played without a model", told)
    if state.engine.incidents:
        told = [f"- {i.at} {i.kind}: {_one_line(i.message)}" for i in state.engine.incidents]
        lines += _section("Incidents", told)
    return "\n".join(lines) + "\n"


def _changed(state: CycleState) -> str:
    """How many, and their names as far as there is room."""
    if state.changes is None:
        return "0"
    names = tuple(dict.fromkeys(change.file for change in state.changes.changes))
    shown = ", ".join(names[:FILES_NAMED])
    more = f" and {len(names) - FILES_NAMED} more" if len(names) > FILES_NAMED else ""
    return f"{state.changes.total_files} ({shown}{more})"


def _facts(state: CycleState) -> Iterator[str]:
    tasks = state.plan.tasks if state.plan else ()
    yield f"- iterations: {state.current_iteration} of at most {state.max_iterations}"
    yield f"- from {state.created_at} to {state.completed_at or state.updated_at}"
    yield f"- tasks: {sum(task.status == 'completed' for task in tasks)} of {len(tasks)} done"
    yield f"- files changed: {_changed(state)}"
    if before := baseline_words(state):
        yield f"- tests before: {before}"
    yield f"- tests: {tests_words(state.test_results) if state.test_results else 'none were run'}"
    budget = state.engine.budget
    spent = [plural(round(budget.spent_seconds / 60, 1), "minute")]
    spent += [plural(budget.tokens, "token")] if budget.tokens is not None else []
    spent += [f"{budget.cost:.2f} US dollars"] if budget.cost is not None else []
    yield f"- spent: {', '.join(spent)}"
    yield "- roles: " + ", ".join(f"{role} by {state.engine.choice_of(role)}" for role in ROLES)


def _proof(proof: Proof) -> Iterator[str]:
    yield f"- {proof_words(proof)}"
    yield from (f"- {test}: failed before, passes now" for test in proof.fail_to_pass)
    yield from (f"- {line}" for line in strength_lines(proof, SURVIVORS_KEPT))
    yield from (f"- shows nothing: {note}" for note in proof.notes)


def _iterations(state: CycleState) -> Iterator[str]:
    for record in state.iterations:
        results = ", ".join(f"{role} {result.status}" for role, result in record.agent_results.items())
        extension = f" (asked for: {_one_line(record.extension)})" if record.extension else ""
        found = "clean" if record.resolved else plural(len(record.issues_found), "issue")
        yield f"- {record.number}{extension}: {results or 'nobody worked'}; {found}"


def _left(state: CycleState) -> Iterator[str]:
    last = state.iterations[-1].issues_found if state.iterations else ()
    yield from (f"- {_one_line(issue)}" for issue in last)
    yield from (f"- {_task(task)}" for task in _open_tasks(state))
    yield from (f"- decision {one.id}: {_one_line(one.description)}" for one in state.coordination.undecided)
    failed = state.test_results.failed_tests if state.test_results else ()
    yield from (f"- failing: {_one_line(test)}" for test in failed)


def _decisions(state: CycleState) -> Iterator[str]:
    for one in state.coordination.pending_decisions:
        if one.chosen_option is not None:
            by = "by itself (auto)" if one.made_by == "auto" else f"by {one.made_by or 'somebody'}"
            others = [option for option in one.options if option != one.chosen_option]
            instead = f"; it could have been {' | '.join(map(_one_line, others))}" if others else ""
            yield f"- {one.id}: {_one_line(one.description)} → {_one_line(one.chosen_option)}, {by}{instead}"


def _settled(state: CycleState) -> Iterator[str]:
    for one in state.coordination.blockers:
        if one.status != "open":
            yield f"- {one.id} ({one.status}): {_one_line(one.description)} — {_one_line(one.resolution or '')}"


def _patches(state: CycleState) -> list[str]:
    """What the embedded debugger has put in, and what the tests say of it."""
    told = [f"- {_one_line(line)}" for patch in state.engine.patches or () for line in patch_lines(patch)]
    return _section("Patches", told) if told else []


def _open_tasks(state: CycleState) -> tuple[PlanTask, ...]:
    return tuple(task for task in (state.plan.tasks if state.plan else ()) if task.status != "completed")


def _task(task: PlanTask) -> str:
    waits = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    files = f" [{', '.join(map(_one_line, task.files))}]" if task.files else ""
    return f"{task.id} ({task.status}, {task.effort}{waits}): {_one_line(task.description)}{files}"


def _section(title: str, items: list[str] | Iterator[str]) -> list[str]:
    return ["", f"## {title}", "", *(list(items) or ["- none"])]


def _one_line(text: str) -> str:
    return " ".join(text.split())


CycleNeed = Literal["permission", "decision", "blocker", "resume"]
"""What only a person can give it: a permission, a decision, what a blocker needs, or the word to go on."""


class RoleStep(Record):
    """What a role is doing; `task` is the plan's task that cd carries out."""

    step: StepName
    task: str | None = None
    since: Timestamp


class RoleGlance(Record):
    """`agent` plays the role."""

    role: Role
    agent: str
    status: AgentStatus
    steps: Items[RoleStep]


class PlanCounts(Record):
    """Tasks of the plan."""

    total: int = 0
    completed: int = 0
    blocked: int = 0


class CycleTests(Record):
    """The last validation; `pass_rate` and `coverage` in percent."""

    total: int
    failed: int
    pass_rate: float
    coverage: float
    at: Timestamp


class CycleGlance(Record):
    """`project` is the name of its project; `rev` the version that an ETag names.

    `decisions` and `blockers` count the open ones.
    """

    cycle_id: str
    project: str
    title: str
    status: CycleStatus
    outcome: Outcome | None = None
    mode: Mode
    phase: Phase
    current_iteration: int
    max_iterations: int
    roles: Items[RoleGlance]
    tasks: PlanCounts
    tests: CycleTests | None = None
    decisions: int
    blockers: int
    needs: CycleNeed | None = None
    pause: Pause | None = None
    parked_until: Timestamp | None = None
    failure_reason: str | None = None
    rev: int
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None = None


def cycle_glance(state: CycleState, project: str) -> CycleGlance:
    """The cycle in brief, for a list."""
    engine = state.engine
    return CycleGlance(
        cycle_id=state.cycle_id,
        project=project,
        title=state.title,
        status=state.status,
        outcome=engine.outcome,
        mode=engine.settings.mode,
        phase=state.current_phase,
        current_iteration=state.current_iteration,
        max_iterations=state.max_iterations,
        roles=tuple(_role(state, role) for role in ROLES),
        tasks=_tasks(state),
        tests=_tests(state),
        decisions=len(state.coordination.undecided),
        blockers=len(state.coordination.open_blockers),
        needs=cycle_need(state),
        pause=pause_of(state),
        parked_until=engine.parked.until if engine.parked else None,
        failure_reason=state.failure_reason,
        rev=engine.rev,
        created_at=state.created_at,
        updated_at=state.updated_at,
        completed_at=state.completed_at,
    )


def cycle_need(state: CycleState) -> CycleNeed | None:
    """What keeps the cycle until a person gives it; None where it goes on, or waits, by itself, and at its end.

    Blockers that are open keep it only where it waits with them: else they are asked of the requirements analyst.
    """
    engine = state.engine
    if state.status not in ("running", "paused"):
        return None
    if state.status == "running" and any(request.answer is None for request in engine.asked):
        return "permission"
    if state.coordination.undecided and engine.settings.mode == "interactive":
        return "decision"
    if state.status == "running":
        return None
    if engine.waiting is not None and state.coordination.open_blockers:
        return "blocker"
    return None if engine.parked else "resume"


def agent_of(state: CycleState, role: Role) -> str:
    """Who plays the role, with the model and effort that are chosen."""
    return state.engine.choice_of(role)


def _role(state: CycleState, role: Role) -> RoleGlance:
    under_way = ((step_of(one.step), one.at) for one in state.engine.under_way)
    steps = tuple(RoleStep(step=step.name, task=step.task, since=at) for step, at in under_way if step.role == role)
    return RoleGlance(role=role, agent=agent_of(state, role), status=state.agents.of(role).status, steps=steps)


def _tasks(state: CycleState) -> PlanCounts:
    tasks = state.plan.tasks if state.plan else ()
    by_status = Counter(task.status for task in tasks)
    return PlanCounts(total=len(tasks), completed=by_status["completed"], blocked=by_status["blocked"])


def _tests(state: CycleState) -> CycleTests | None:
    found = state.test_results
    if found is None:
        return None
    return CycleTests(
        total=found.total_tests,
        failed=len(found.failed_tests),
        pass_rate=found.pass_rate,
        coverage=found.coverage,
        at=found.last_run,
    )


BOUNDS = frozenset({"step_started", "step_finished", "taken_over"})


class CycleCourseStep(CourseStep):
    """One step; `role`: the role that did it, none for the aggregation."""

    role: Role | None = None


def cycle_timeline(
    entries: Sequence[JournalEntry], checkpoints: Iterable[Checkpoint], iteration: int
) -> tuple[CycleCourseStep, ...]:
    """Every step, in the order in which they began. `iteration`: the present one."""
    kept = {checkpoint.rev: checkpoint.n for checkpoint in checkpoints}
    return tuple(_steps(entries, kept, iteration))


def cycle_validations(entries: Sequence[JournalEntry]) -> tuple[Check, ...]:
    """Every validation, oldest first."""
    ends = (entry for entry in entries if entry.event.type == "step_finished")
    found = (
        check_of(ended, told) for ended in ends if (told := read_count(ended.event.data.get("iteration"))) is not None
    )
    return tuple(check for check in found if check)


def _steps(entries: Sequence[JournalEntry], kept: dict[int, int], iteration: int) -> Iterator[CycleCourseStep]:
    for step, begun, ended, told in _numbered(entries, iteration):
        found = CycleCourseStep(
            seq=begun.seq, iteration=told, action=step.name, task=step.task, role=step.role, started_at=begun.ts
        )
        yield found if ended is None else close_step(found, ended, kept.get(ended.seq))


def _numbered(
    entries: Sequence[JournalEntry], iteration: int
) -> Iterator[tuple[CycleStep, JournalEntry, JournalEntry | None, int]]:
    """Each step with its begin and end, and its iteration: that of an end which does not tell it is the one before."""
    latest = 1
    for step, begun, ended in _pairs(entries):
        told = ended.event.data.get("iteration") if ended else iteration
        counted = read_count(told)
        here = latest if counted is None else counted
        yield step, begun, ended, here
        latest = max(latest, here + (step.name == "aggregation" and ended is not None))


def _pairs(entries: Sequence[JournalEntry]) -> list[tuple[CycleStep, JournalEntry, JournalEntry | None]]:
    found: list[tuple[CycleStep, JournalEntry, JournalEntry | None]] = []
    under_way: dict[CycleStep, int] = {}
    about = ((step, entry) for entry in entries if entry.event.type in BOUNDS for step in _named(entry))
    for step, entry in about:
        if entry.event.type == "step_started":
            under_way[step] = len(found)
            found.append((step, entry, None))
        elif (place := under_way.pop(step, None)) is not None:
            found[place] = step, found[place][1], entry
    return found


def _named(entry: JournalEntry) -> Iterator[CycleStep]:
    """The steps that an entry is about; what names none is passed over."""
    data = entry.event.data
    task, keys = data.get("task"), data.get("steps")
    one = f"{data.get('step')} {task}" if isinstance(task, str) else data.get("step")
    for key in keys if isinstance(keys, list) else [one]:
        try:
            yield step_of(str(key))
        except ValueError:
            continue
