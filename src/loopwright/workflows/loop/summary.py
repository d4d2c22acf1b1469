"""What follows from a state and is never stored: progress in percent, and the plan as people see it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from pydantic import Field

from loopwright.core.course import Check, CourseStep, check_of, close_step, read_count
from loopwright.core.names import COUNTED, FINISHED, LoopStatus, Mode
from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.pause import Pause, pause_of
from loopwright.core.record import Items, JournalEntry, Record, Timestamp, is_absent
from loopwright.core.state import Checkpoint, Incident, Outcome, TaskStatus
from loopwright.core.text import plural
from loopwright.evidence.rivals import patch_lines
from loopwright.evidence.testing import TestTally, tally_results
from loopwright.workflows.loop.model import CurrentAction, LoopState, SkillState, Summary, applied_patches
from loopwright.workflows.loop.selector import is_reviewed, open_tasks

PlanStatus = Literal["pending", "in_progress", "completed"]

WAITING_SHOWN = 3
"""Tasks that wait before the rest is only counted: the plan has to fit on the screen."""


@dataclass(frozen=True)
class LoopProgress:
    """Percentages (0–100) and the two flags behind them."""

    develop: float
    debug_completed: bool
    validation_passed: bool

    @property
    def overall(self) -> float:
        return 0.5 * self.develop + 25 * self.debug_completed + 25 * self.validation_passed


def measure_progress(state: LoopState) -> LoopProgress:
    """How far the loop is. A loop without tasks, or without a bug, counts these as done once validation passed."""
    skill = state.skill_state
    if skill is None:
        return LoopProgress(0, False, False)
    passed = skill.validate_.passed and bool(skill.validate_.test_results)
    tasks = skill.develop
    develop = 100 * tasks.completed / tasks.total if tasks.total else 100.0 * passed
    return LoopProgress(develop, passed or skill.debug.confirmed_hypothesis is not None, passed)


def task_statuses(state: LoopState) -> Mapping[str, TaskStatus]:
    """How far each of the API's tasks is; one that the runner has not seen yet is pending."""
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    seen = {task.id: task.status for task in tasks}
    return {task.task_id: seen.get(task.task_id, "pending") for task in state.engine.tasks}


@dataclass(frozen=True)
class FinishedAction:
    """One finished action from the journal. `result`: pass or fail for VALIDATE, else a few words."""

    action: str
    result: str = ""


@dataclass(frozen=True)
class PlanLine:
    content: str
    status: PlanStatus

    @property
    def depth(self) -> int:
        """0 for a phase, 1 for what it unfolds to."""
        return int(self.content.startswith(" "))


def list_finished(entries: Sequence[JournalEntry]) -> tuple[FinishedAction, ...]:
    """The actions that ended, as the plan wants them."""
    ended = (entry.event.data for entry in entries if entry.event.type == "action_finished")
    return tuple(FinishedAction(str(data.get("action")), str(data.get("result") or "")) for data in ended)


def build_plan(state: LoopState, history: Sequence[FinishedAction]) -> tuple[PlanLine, ...]:
    """The phase list: what is over folded to a line, the running phase unfolded down to what is still to come."""
    begun = bool(history) or state.skill_state is not None
    first = PlanLine("Phase 1: Session Initialization", "completed" if begun else "in_progress")
    groups, open_group = _grouped([done for done in history if done.action != "COMPLETE"])
    ends = state.status in FINISHED or _current(state) == "COMPLETE"
    if ends and any(done.action != "INIT" for done in open_group):
        groups.append(open_group)
    folded = [PlanLine(f"Iteration {n}: {_folded(group)}", "completed") for n, group in enumerate(groups, 1)]
    if state.status in FINISHED:
        return (first, *folded, PlanLine(f"Phase 2: COMPLETE ({state.engine.outcome})", "completed"))
    if ends:
        return (first, *folded, PlanLine("Phase 2: COMPLETE", "in_progress"))
    if not begun:
        return (first, PlanLine("Phase 2: Orchestration Loop", "pending"))
    is_over = not open_group and bool(groups) and any(done.result == "pass" for done in groups[-1])
    unfolded = _unfolded(state, open_group, is_over=is_over)
    return (first, *folded, PlanLine("Phase 2: Orchestration Loop", "in_progress"), *unfolded)


def _grouped(history: list[FinishedAction]) -> tuple[list[list[FinishedAction]], list[FinishedAction]]:
    """Finished iterations, each ending with its validation and what was reviewed of it, and the one still open."""
    groups: list[list[FinishedAction]] = []
    current: list[FinishedAction] = []
    for done in history:
        if done.action == "REVIEW" and groups and not current:
            groups[-1].append(done)
            continue
        current.append(done)
        if done.action == "VALIDATE":
            groups.append(current)
            current = []
    return groups, current


def _folded(group: list[FinishedAction]) -> str:
    """`DEVELOP x3 + VALIDATE (pass)`."""
    parts: list[str] = []
    for action, run in groupby((done for done in group if done.action != "INIT"), key=lambda done: done.action):
        same = list(run)
        times = f" x{len(same)}" if len(same) > 1 else ""
        result = f" ({same[-1].result})" if action in ("VALIDATE", "REVIEW") and same[-1].result else ""
        parts.append(f"{action}{times}{result}")
    return " + ".join(parts)


def _current(state: LoopState) -> str | None:
    skill = state.skill_state
    return skill.current_action.upper() if skill and skill.current_action else None


def _unfolded(state: LoopState, open_group: list[FinishedAction], *, is_over: bool) -> list[PlanLine]:
    """`is_over`: the last thing that was done was a validation, and it passed."""
    now = _current(state)
    statuses = task_statuses(state).values()
    first, total = 1 + sum(status in ("completed", "failed") for status in statuses), len(statuses)
    lines = [_action(done.action, "completed") for done in open_group]
    if now == "DEVELOP" and total:
        lines.append(_action(f"DEVELOP (task {min(first, total)}/{total})", "in_progress"))
        first += 1
    elif now:
        lines.append(_action(now, "in_progress"))
    waiting = range(first, total + 1)
    lines += [_action(f"DEVELOP (task {n}/{total})", "pending") for n in waiting[:WAITING_SHOWN]]
    if more := waiting[WAITING_SHOWN:]:
        lines.append(_action(f"DEVELOP ({plural(len(more), 'more task')})", "pending"))
    if waiting or (now != "VALIDATE" and (now or not is_over)):
        lines.append(_action("VALIDATE", "pending"))
    if state.engine.settings.review and now != "REVIEW" and not (is_over and is_reviewed(state)):
        lines.append(_action("REVIEW", "pending"))
    return [*lines, _action("COMPLETE", "pending")]


def _action(words: str, status: PlanStatus) -> PlanLine:
    return PlanLine(f"  → Action: {words}", status)


Need = Literal["permission", "choice", "answer", "resume"]
"""What only a person can give it: a permission, a step from its menu, an answer, or the word to go on."""


class TaskCounts(Record):
    total: int = 0
    completed: int = 0
    failed: int = 0


class TestCounts(Record):
    """The last validation; `pass_rate` (of those that ran) and `coverage` in percent."""

    __test__ = False

    total: int
    passed: int
    failed: int
    skipped: int
    pass_rate: float
    coverage: float
    at: Timestamp


class AttemptPlace(Record):
    """Which of several attempts a loop is, from 1, and whether it was chosen."""

    number: int
    of: int
    chosen: bool


class Glance(Record):
    """`project` is the name of its project; `rev` the version that an ETag names."""

    loop_id: str
    project: str
    title: str
    status: LoopStatus
    outcome: Outcome | None = None
    mode: Mode
    agent: str
    model: str | None = Field(default=None, exclude_if=is_absent)
    effort: str | None = Field(default=None, exclude_if=is_absent)
    action: CurrentAction | None = None
    current_iteration: int
    max_iterations: int
    tasks: TaskCounts
    tests: TestCounts | None = None
    needs: Need | None = None
    pause: Pause | None = None
    parked_until: Timestamp | None = None
    priority: Literal["low", "medium", "high"] | None = None
    tags: Items[str] = ()
    failure_reason: str | None = None
    attempt: AttemptPlace | None = Field(default=None, exclude_if=is_absent)
    rev: int
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None = None


def _attempt(state: LoopState) -> AttemptPlace | None:
    family, id = state.engine.family, state.loop_id
    if family is None:
        return None
    return AttemptPlace(number=family.number(id), of=len(family.members), chosen=family.winner == id)


def loop_glance(state: LoopState, project: str) -> Glance:
    """The loop in brief, for a list."""
    engine, skill = state.engine, state.skill_state
    return Glance(
        loop_id=state.loop_id,
        project=project,
        title=state.title,
        status=state.status,
        outcome=engine.outcome,
        mode=state.mode,
        agent=engine.settings.agent,
        model=engine.settings.model,
        effort=engine.settings.effort,
        action=skill.current_action if skill else None,
        current_iteration=state.current_iteration,
        max_iterations=state.max_iterations,
        tasks=_tasks(state),
        tests=_tests(state),
        needs=loop_need(state),
        pause=pause_of(state),
        parked_until=engine.parked.until if engine.parked else None,
        priority=state.priority,
        tags=state.tags or (),
        failure_reason=state.failure_reason,
        attempt=_attempt(state),
        rev=engine.rev,
        created_at=state.created_at,
        updated_at=state.updated_at,
        completed_at=state.completed_at,
    )


def loop_need(state: LoopState) -> Need | None:
    """What keeps the loop until a person gives it; None where it goes on, or waits, by itself, and at its end."""
    engine = state.engine
    question = engine.waiting is not None and not engine.waiting.by_resuming and engine.answer is None
    if state.status == "running":
        if any(request.answer is None for request in engine.asked):
            return "permission"
        if question:
            return "answer"
        return "choice" if engine.menu is not None and engine.menu.choice is None else None
    if state.status in ("paused", "user_exit"):
        if question:
            return "answer"
        return None if engine.parked else "resume"
    return None


def _tasks(state: LoopState) -> TaskCounts:
    """Also of tasks that the runner has not seen yet."""
    seen = state.skill_state.develop.tasks if state.skill_state else ()
    by_status = Counter(task.status for task in seen)
    ids = {task.id for task in seen}
    unseen = sum(task.task_id not in ids for task in state.engine.tasks)
    return TaskCounts(total=len(seen) + unseen, completed=by_status["completed"], failed=by_status["failed"])


def tally_tests(state: LoopState) -> TestTally:
    """The tests of the last validation: its section may hold only some of those that passed."""
    kept = tally_results(state.skill_state.validate_.test_results if state.skill_state else ())
    last = state.engine.last_validation
    if last is None or last.skipped is None:
        return kept
    return TestTally(last.tests - last.skipped - kept.failed, kept.failed, last.skipped)


def _tests(state: LoopState) -> TestCounts | None:
    section = state.skill_state.validate_ if state.skill_state else None
    if section is None or section.last_run_at is None:
        return None
    tally = tally_tests(state)
    return TestCounts(
        total=tally.total,
        **tally._asdict(),
        pass_rate=section.pass_rate,
        coverage=section.coverage,
        at=section.last_run_at,
    )


def summarise_loop(
    state: LoopState, checked: ValidationOutcome | None = None, noted: Iterable[Incident] = (), diff: str | None = None
) -> Summary:
    """What was done and what is left; `duration` in milliseconds that its steps took until now.

    `checked`: a validation, and `noted`: incidents, that are not in the state yet. `diff`: all that was changed;
    without it, what the tasks have changed.
    """
    skill = state.skill_state or SkillState()
    noted = (*state.engine.incidents, *noted)
    return Summary(
        duration=measure_work(state),
        iterations=state.current_iteration,
        develop=_develop(skill, diff),
        debug=_debug(skill),
        validate=_validate(state, skill, checked, dict.fromkeys(f"{i.kind}: {i.message}" for i in noted)),
    )


def measure_work(state: LoopState) -> int:
    """Milliseconds that its steps took; what lies between them, as a pause or the age of its file, is no work."""
    return round(state.engine.budget.spent_seconds * 1000)


def diff_stat(diff: str) -> list[tuple[str, int, int]]:
    """File, lines added, lines removed, for each file of a unified diff from git."""
    stat: list[tuple[str, int, int]] = []
    in_hunk = False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            stat.append((line.rpartition(" b/")[2], 0, 0))
            in_hunk = False
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line[:1] in ("+", "-"):
            file, added, removed = stat[-1]
            stat[-1] = (file, added + (line[0] == "+"), removed + (line[0] == "-"))
    return stat


def add_summary(state: LoopState, noted: Iterable[Incident] = ()) -> LoopState:
    """A loop that ended without COMPLETE (a task that fails fast, errors in a row, a stop) has its summary too."""
    skill = state.skill_state or SkillState()
    if state.status not in FINISHED or skill.summary is not None:
        return state
    return state.evolve(skill_state=skill.evolve(summary=summarise_loop(state, noted=noted)))


def _develop(skill: SkillState, diff: str | None) -> dict[str, object]:
    left = [
        f"{task.id} ({task.status}): {task.description}" for task in skill.develop.tasks if task.status != "completed"
    ]
    changed = sorted({file for task in skill.develop.tasks for file in task.files_changed})
    if diff is not None:
        changed = [f"{file} +{added} -{removed}" for file, added, removed in diff_stat(diff)]
    return {
        "tasks": skill.develop.total,
        "completed": skill.develop.completed,
        "files_changed": changed,
        "left_to_do": left,
        "errors": [f"{e.action}: {e.message}" for e in skill.errors],
    }


def _debug(skill: SkillState) -> dict[str, object]:
    told = [
        f"{h.id} {h.status}, {h.logging_point}: {h.description}"
        + (f" ({h.verdict_reason})" if h.verdict_reason else "")
        for h in skill.debug.hypotheses
    ]
    patches = [line for patch in applied_patches(skill) for line in patch_lines(patch)]
    return {
        "rounds": skill.debug.iteration,
        "confirmed": skill.debug.confirmed_hypothesis,
        **({"patches": patches} if patches else {}),
        "hypotheses": told,
    }


def _validate(
    state: LoopState, skill: SkillState, checked: ValidationOutcome | None, incidents: Iterable[str]
) -> dict[str, object]:
    failing = checked.failing if checked else skill.validate_.failed_tests
    last = state.engine.last_validation
    return {
        "passed": checked.passed if checked else skill.validate_.passed,
        "tests": (checked.counts if checked else tally_tests(state)).total,
        "coverage": f"{checked.coverage if checked else skill.validate_.coverage:g} %",
        "require": state.engine.settings.require,
        "still_failing": list(failing),
        "reasons": list(checked.reasons if checked else last.reasons if last else ()),
        "open_tasks": open_tasks(state),
        "incidents": list(incidents),
    }


def list_steps(entries: Sequence[JournalEntry], checkpoints: Iterable[Checkpoint]) -> tuple[CourseStep, ...]:
    """Every step, oldest first."""
    kept = {checkpoint.rev: checkpoint.n for checkpoint in checkpoints}
    return tuple(
        _course_step(begun, ended, iteration, kept.get(ended.seq) if ended else None)
        for begun, ended, iteration in _numbered_steps(entries)
    )


def list_validations(entries: Sequence[JournalEntry]) -> tuple[Check, ...]:
    """Every validation, oldest first."""
    found = (check_of(ended, iteration) for _, ended, iteration in _numbered_steps(entries) if ended)
    return tuple(check for check in found if check)


def _numbered_steps(entries: Sequence[JournalEntry]) -> Iterator[tuple[JournalEntry, JournalEntry | None, int]]:
    """Each step's begin and end, with the iterations that were used up by then."""
    iteration = 0
    for begun, ended in _step_bounds(entries):
        action = begun.event.data.get("action")
        told = ended.event.data.get("iteration") if ended else None
        lost = ended is not None and ended.event.type != "action_finished"
        counted = read_count(told)
        iteration = iteration + (action in COUNTED and not lost) if counted is None else counted
        yield begun, ended, iteration


def _step_bounds(entries: Sequence[JournalEntry]) -> Iterator[tuple[JournalEntry, JournalEntry | None]]:
    begun: JournalEntry | None = None
    for entry in entries:
        match entry.event.type:
            case "action_started":
                if begun:
                    yield begun, None
                begun = entry
            case "action_finished" | "taken_over" if begun:
                yield begun, entry
                begun = None
    if begun:
        yield begun, None


def _course_step(begun: JournalEntry, ended: JournalEntry | None, iteration: int, checkpoint: int | None) -> CourseStep:
    task = begun.event.data.get("task")
    step = CourseStep(
        seq=begun.seq,
        iteration=iteration,
        action=str(begun.event.data.get("action")),
        task=task if isinstance(task, str) else None,
        started_at=begun.ts,
    )
    return step if ended is None else close_step(step, ended, checkpoint)
