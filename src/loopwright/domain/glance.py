"""A loop at a glance: what a list of loops, a stream of changes and a tool's answer say of each. Pure."""

from collections import Counter
from typing import Literal, get_args

from loopwright.domain.engine_state import Outcome
from loopwright.domain.loop import CurrentAction, LoopState, LoopStatus, Mode, TestStatus
from loopwright.domain.pausing import Pause, pause_of
from loopwright.domain.record import Items, Record, Timestamp

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


class Glance(Record):
    """`project` is the name of the project it lives in; `rev` the version that an ETag names."""

    loop_id: str
    project: str
    title: str
    status: LoopStatus
    outcome: Outcome | None = None
    mode: Mode
    agent: str
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
    rev: int
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None = None


def glance(state: LoopState, project: str) -> Glance:
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
        action=skill.current_action if skill else None,
        current_iteration=state.current_iteration,
        max_iterations=state.max_iterations,
        tasks=_tasks(state),
        tests=_tests(state),
        needs=need(state),
        pause=pause_of(state),
        parked_until=engine.parked.until if engine.parked else None,
        priority=state.priority,
        tags=state.tags or (),
        failure_reason=state.failure_reason,
        rev=engine.rev,
        created_at=state.created_at,
        updated_at=state.updated_at,
        completed_at=state.completed_at,
    )


def need(state: LoopState) -> Need | None:
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


def _tests(state: LoopState) -> TestCounts | None:
    section = state.skill_state.validate_ if state.skill_state else None
    if section is None or section.last_run_at is None:
        return None
    by_status = Counter(result.status for result in section.test_results)
    return TestCounts(
        total=len(section.test_results), **{status: by_status[status] for status in get_args(TestStatus)},
        pass_rate=section.pass_rate, coverage=section.coverage, at=section.last_run_at,
    )  # fmt: skip
