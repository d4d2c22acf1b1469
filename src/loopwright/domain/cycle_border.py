"""The border of an iteration: what is still wrong, who hears of it, and how the next one opens. Pure."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

from loopwright.domain.cycle import (
    FEEDBACK_KEPT,
    AgentState,
    CycleState,
    FeedbackEntry,
    FeedbackType,
    IterationRecord,
    PlanTask,
    version_of,
)
from loopwright.domain.cycle_engine import Border
from loopwright.domain.cycle_names import ROLES, Role, step_of
from loopwright.domain.cycle_plan import planned
from loopwright.domain.cycle_selector import validated
from loopwright.domain.cycle_standing import has_failed, is_held, role_status, standing, tasks, with_record
from loopwright.domain.words import clipped, plural

FIRST_CALLED: tuple[Role, ...] = ("ra", "ep")
"""The roles whose input is the task itself."""

NAMED = 10
"""Tests that a sentence names; the others are counted."""

MOST_MENDS = 20
"""Tasks that one iteration's failing tests become; the last one takes what is left."""

PLAN_WORDS = ("plan", "计划")


def opened(
    state: CycleState, at: str, *, called: Iterable[Role] = FIRST_CALLED, extension: str | None = None
) -> CycleState:
    """The next iteration, in which the roles `called` have something to do."""
    record = IterationRecord(number=state.current_iteration + 1, started_at=at, extension=extension)
    agents = {role: _fresh(state.agents.of(role)) for role in ROLES}
    engine = state.engine.evolve(
        called=tuple(role for role in ROLES if role in set(called)), over=(), done=(), tries={}, wrote={},
        under_way=(), objections=(),
    )  # fmt: skip
    return standing(
        state.evolve(
            iterations=(*state.iterations, record), current_iteration=record.number,
            agents=state.agents.evolve(**agents), engine=engine,
        )
    )  # fmt: skip


def closed(state: CycleState, at: str, issues: tuple[str, ...]) -> CycleState:
    """The iteration is over: its record is, and every document has its version, also one that nobody had to change."""
    record = state.iteration
    if record is None:
        return state
    agents = {
        role: agent.evolve(iterations_completed=agent.iterations_completed + 1)
        for role in ROLES
        if (agent := state.agents.of(role)).status != "failed"
    }
    version = version_of(record.number)
    parts = {
        name: part.evolve(version=version)
        for name in ("requirements", "exploration", "plan", "test_results")
        if (part := getattr(state, name)) is not None and part.version != version
    }
    state = with_record(state, record.evolve(completed_at=at, issues_found=issues, resolved=not issues))
    return state.evolve(**parts, agents=state.agents.evolve(**agents))


def issues_found(state: CycleState, tree: str) -> tuple[str, ...]:
    """Everything that keeps the iteration from being clean, in words; `tree` is the work tree's hash now."""
    return tuple(dict.fromkeys(_issues(state, tree)))


def _issues(state: CycleState, tree: str) -> Iterator[str]:
    last = state.engine.last_validation
    if last is not None and not last.passed and state.engine.tests_found:
        yield from last.reasons or ("the tests do not pass",)
    if has_failed(state, "vas.validate") or not validated(state, tree):
        yield f"what is there now was not validated{_because(state, 'vas')}"
    yield from (f"vas: {words}" for words in state.engine.objections)
    yield from (f"{blocker.id}: {blocker.description}" for blocker in state.coordination.open_blockers)
    for key in state.engine.tries:
        if has_failed(state, key) and key != "vas.validate" and not is_held(state, key):
            yield f"{key} failed{_because(state, step_of(key).role or key)}"
    for task in tasks(state):
        if task.status not in ("completed", "blocked"):
            yield f"{task.id} is not done: {task.description}"


def _because(state: CycleState, phase: str) -> str:
    errors = (error.error for error in reversed(state.phase_errors) if error.phase == phase)
    why = next(errors, "")
    return f": {clipped(why, 300)}" if why else ""


def border_of(tree: str, issues: Iterable[str]) -> Border:
    return Border(tree=tree, issues=hashlib.sha256("\n".join(issues).encode(errors="replace")).hexdigest()[:16])


def next_iteration(
    state: CycleState, at: str, *, extension: str | None = None, feedback: tuple[FeedbackEntry, ...] = ()
) -> CycleState:
    """Opens the next iteration of one that is over, with what was found in it and what a user adds."""
    entries = (*_user_says(extension, at), *feedback)
    called = {entry.target for entry in entries} | _failed_roles(state)
    state = with_feedback(state, entries)
    state = opened(state, at, called=[role for role in FIRST_CALLED if role in called], extension=extension)
    state = _extended(state, extension) if extension else state
    return standing(_with_mends(state, at))


def feedback(state: CycleState, at: str) -> tuple[FeedbackEntry, ...]:
    """Who hears of what is wrong."""
    return tuple(
        FeedbackEntry(timestamp=at, source=source, target=target, content=content, type=kind)
        for source, target, content, kind in _routed(state)
    )


def with_feedback(state: CycleState, entries: Iterable[FeedbackEntry]) -> CycleState:
    log = (*state.coordination.feedback_log, *entries)[-FEEDBACK_KEPT:]
    if log == state.coordination.feedback_log:
        return state
    return state.evolve(coordination=state.coordination.evolve(feedback_log=log))


def _routed(state: CycleState) -> Iterator[tuple[str, Role, str, FeedbackType]]:
    """(source, target, content, type) of every finding; a table in words: see the pages."""
    last, results = state.engine.last_validation, state.test_results
    if last is not None and not last.passed and state.engine.tests_found:
        failing = results.failed_tests if results else ()
        if failing:
            yield "vas", "cd", f"{plural(len(failing), 'failing test')}: {_named(failing)}", "bug_report"
        for reason in last.reasons:
            if not (failing and reason.startswith(f"{len(failing)} failed: ")):
                yield "vas", "cd", reason, "bug_report"
    for words in state.engine.objections:
        yield "vas", "cd", words, "bug_report"
    for blocker in state.coordination.open_blockers:
        about = f"{blocker.id}: {blocker.description}"
        if blocker.reported_by != "ra":
            yield blocker.reported_by, "ra", about, "clarification"
        if blocker.reported_by == "cd" and any(word in blocker.description.lower() for word in PLAN_WORDS):
            yield "cd", "ep", about, "clarification"


def _user_says(extension: str | None, at: str) -> tuple[FeedbackEntry, ...]:
    if extension is None:
        return ()
    return (FeedbackEntry(timestamp=at, source="user", target="ra", content=extension, type="requirement_update"),)


def _failed_roles(state: CycleState) -> set[str]:
    return {role for role in FIRST_CALLED if role_status(state, role) == "failed"}


def _fresh(agent: AgentState) -> AgentState:
    return AgentState(output_files=agent.output_files, iterations_completed=agent.iterations_completed)


def _extended(state: CycleState, extension: str) -> CycleState:
    return state.evolve(
        task_history=(*state.task_history, extension),
        description=f"{state.description}\n\n--- ITERATION {state.current_iteration} ---\n{extension}",
    )


def _with_mends(state: CycleState, at: str) -> CycleState:
    """Work for cd on tests that fail, a task for each of their files, beside what the plan holds already."""
    results = state.test_results
    last = state.engine.last_validation
    if results is None or last is None or last.passed or not state.engine.tests_found:
        return state
    wanted = dict(_mend_words(state))
    known = {task.description for task in tasks(state) if task.status != "completed"}
    new = [words for words in wanted.values() if words not in known]
    if not new:
        return state
    first = _next_number(tasks(state))
    made = tuple(
        PlanTask(id=f"TASK-{number:03d}", description=words, assigned_to="cd")
        for number, words in enumerate(new, first)
    )
    left = tuple(task for task in tasks(state) if task.status != "completed")
    mends = (*state.engine.mends, *(task.id for task in made))
    plan = planned(state.plan, (*left, *made), mends, version_of(state.current_iteration), at)
    return state.evolve(plan=plan, engine=state.engine.evolve(mends=mends))


def _mend_words(state: CycleState) -> Iterator[tuple[str, str]]:
    """By area: a test file, or what else there is to mend."""
    assert state.test_results is not None
    assert state.engine.last_validation is not None
    areas: dict[str, list[str]] = defaultdict(list)
    for test in state.test_results.failed_tests:
        file = test.partition("::")[0]
        areas[file if file in areas or len(areas) < MOST_MENDS - 1 else "other tests"].append(test)
    for area, failing in areas.items():
        yield area, f"Make these tests pass: {_named(failing)}"
    if not areas:
        yield "", f"Mend what the validation found: {'; '.join(state.engine.last_validation.reasons)}"


def _next_number(known: tuple[PlanTask, ...]) -> int:
    numbers = [int(task.id[5:]) for task in known if task.id.startswith("TASK-") and task.id[5:].isdecimal()]
    return max(numbers, default=0) + 1


def _named(keys: Iterable[str]) -> str:
    names = tuple(keys)
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
