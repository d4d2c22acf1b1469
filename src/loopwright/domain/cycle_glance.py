"""A cycle at a glance: what a list of cycles, a stream of changes and a tool's answer say of each. Pure."""

from collections import Counter
from typing import Literal

from loopwright.domain.cycle import AgentStatus, CycleState, CycleStatus, Phase
from loopwright.domain.cycle_names import ROLES, Role, StepName, step_of
from loopwright.domain.engine_state import Outcome
from loopwright.domain.loop import Mode
from loopwright.domain.pausing import Pause, pause_of
from loopwright.domain.record import Items, Record, Timestamp

CycleNeed = Literal["permission", "decision", "blocker", "resume"]
"""What only a person can give it: a permission, a decision, what a blocker needs, or the word to go on."""


class RoleStep(Record):
    """What a role is at; `task` is the plan's task that cd carries out."""

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
    """`project` is the name of the project it lives in; `rev` the version that an ETag names.

    `decisions` and `blockers` count those that are open.
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
    """Who plays the role."""
    return state.engine.roles.get(role, state.engine.settings.agent)


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
        total=found.total_tests, failed=len(found.failed_tests), pass_rate=found.pass_rate, coverage=found.coverage,
        at=found.last_run,
    )  # fmt: skip
