"""Where a cycle stands in its iteration: what is over, who does what. All of it follows from the state. Pure."""

from collections.abc import Iterator

from loopwright.core.cycle_names import ROLES, CycleStep, Role, step_of
from loopwright.evidence.goals import goal_kind, named_for_goal
from loopwright.evidence.proof import ProofGoal
from loopwright.workflows.cycle.model import (
    FINISHED,
    AgentResult,
    AgentState,
    AgentStatus,
    CycleState,
    IterationRecord,
    Phase,
    PlanStatus,
    PlanTask,
)

TRIES = 2
"""How often a step may fail in an iteration; then it is settled as failed."""

ENGINES_OWN = "vas.baseline"
"""A step of vas that asks its agent nothing: what the engine has measured is not the role's work."""


def implement_step(task: PlanTask) -> CycleStep:
    return CycleStep("cd.implement", task.id)


def steps_under_way(state: CycleState) -> tuple[CycleStep, ...]:
    return tuple(step_of(one.step) for one in state.engine.under_way)


def is_done(state: CycleState, key: str) -> bool:
    return key in state.engine.done


def has_failed(state: CycleState, key: str) -> bool:
    """For good, as far as this iteration goes."""
    return not is_done(state, key) and state.engine.tries.get(key, 0) >= TRIES


def is_settled(state: CycleState, key: str) -> bool:
    return is_done(state, key) or has_failed(state, key)


def is_held(state: CycleState, key: str) -> bool:
    """An open blocker, or a decision that nobody has made yet, names the step."""
    coordination = state.coordination
    open_ids = {blocker.id for blocker in coordination.open_blockers}
    open_ids |= {decision.id for decision in coordination.undecided}
    return any(key in keys for id, keys in state.engine.holds.items() if id in open_ids)


def inputs_settled(state: CycleState) -> bool:
    """Requirements and exploration of this iteration."""
    steps: tuple[tuple[Role, str], ...] = (("ra", "ra.analyse"), ("ep", "ep.explore"))
    return all(role not in state.engine.called or is_settled(state, key) for role, key in steps)


def needs_plan(state: CycleState) -> bool:
    """The plan does not answer the requirements, or what was explored."""
    engine = state.engine
    return state.requirements is not None and max(engine.analysed, engine.explored) > engine.planned


def plan_settled(state: CycleState) -> bool:
    return inputs_settled(state) and (not needs_plan(state) or has_failed(state, "ep.plan"))


def baseline_settled(state: CycleState) -> bool:
    return state.engine.tests_found is not None or has_failed(state, "vas.baseline")


def list_tasks(state: CycleState) -> tuple[PlanTask, ...]:
    return state.plan.tasks if state.plan else ()


def list_runnable(state: CycleState) -> tuple[PlanTask, ...]:
    """Pending tasks of the plan whose dependencies are completed and that nothing holds, in their order."""
    done = {task.id for task in list_tasks(state) if task.status == "completed"}
    return tuple(
        task
        for task in list_tasks(state)
        if task.status == "pending"
        and done.issuperset(task.depends_on)
        and not has_failed(state, implement_step(task).key)
        and not is_held(state, implement_step(task).key)
    )


def tasks_overlap(one: PlanTask, other: PlanTask) -> bool:
    """Whether both may change the same file; a task that names none may change any."""
    if not one.files or not other.files:
        return True
    return any(_same(a, b) for a in one.files for b in other.files)


def _same(one: str, other: str) -> bool:
    """The same file, or one lies in the other."""
    a, b = one.strip("/").split("/"), other.strip("/").split("/")
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]


def is_over(state: CycleState, role: Role) -> bool:
    """The role has nothing left to do in this iteration, as far as can be seen now."""
    if any(step.role == role for step in steps_under_way(state)):
        return False
    match role:
        case "ra":
            return "ra" not in state.engine.called or is_settled(state, "ra.analyse")
        case "ep":
            return plan_settled(state)
        case "cd":
            return plan_settled(state) and baseline_settled(state) and not list_runnable(state)
        case "vas":
            return is_settled(state, "vas.validate")


def derive_standing(state: CycleState) -> CycleState:
    """The state with everything that follows from its facts: tasks that are blocked, roles, phases, results."""
    state = _with_tasks(state)
    over = tuple(role for role in ROLES if role not in state.engine.over and _worked(state, role))
    if state.current_iteration and over:
        state = state.evolve(
            completed_phases=(*state.completed_phases, *over),
            engine=state.engine.evolve(over=(*state.engine.over, *over)),
        )
    agents = {role: _agent(state, role) for role in ROLES}
    changed = {role: agent for role, agent in agents.items() if agent is not state.agents.of(role)}
    if changed:
        state = state.evolve(agents=state.agents.evolve(**changed))
    phase = current_phase(state)
    if phase != state.current_phase:
        state = state.evolve(current_phase=phase)
    return _with_results(state)


def current_phase(state: CycleState) -> Phase:
    """The earliest phase that is not over."""
    if state.status == "completed":
        return "complete"
    if not state.current_iteration:
        return "init"
    if state.iteration is None:
        return "aggregation"
    return next((role for role in ROLES if not is_over(state, role)), "aggregation")


def role_status(state: CycleState, role: Role) -> AgentStatus:
    """What the role does now; `waiting`: begun, and kept by others or by a person."""
    if any(step.role == role for step in steps_under_way(state)):
        return "running"
    if _failure(state, role):
        return "failed"
    if not any(_of(key, role) for key in (*state.engine.done, *state.engine.tries) if key != ENGINES_OWN):
        return "idle"
    if is_over(state, role):
        return "completed"
    return "idle" if state.status in FINISHED else "waiting"


def result_of(state: CycleState, role: Role) -> str:
    """The role's part of the iteration, in the word of its record."""
    status = role_status(state, role)
    over = is_over(state, role) and status != "running"
    if status == "failed":
        return "failed"
    if status == "idle":
        idle = over and (role != "cd" or not _open(state))
        return "unchanged" if idle else "pending"
    if not over or (role == "cd" and _open(state)):
        return "partial"
    return "completed"


def _open(state: CycleState) -> bool:
    return any(task.status != "completed" for task in list_tasks(state))


def _worked(state: CycleState, role: Role) -> bool:
    """Whether it is over, and did something in this iteration."""
    return is_over(state, role) and any(_of(key, role) for key in state.engine.done if key != ENGINES_OWN)


def _of(key: str, role: Role) -> bool:
    return step_of(key).role == role


def _failure(state: CycleState, role: Role) -> str | None:
    """Why the role has failed: a step of its own has for good, and for cd no other was done."""
    failed = [key for key in state.engine.tries if _of(key, role) and has_failed(state, key)]
    if not failed or (role == "cd" and any(_of(key, role) for key in state.engine.done)):
        return None
    errors = (error.error for error in reversed(state.phase_errors) if error.phase == role)
    return next(errors, f"{', '.join(failed)} failed")


def _agent(state: CycleState, role: Role) -> AgentState:
    agent = state.agents.of(role)
    status, error = role_status(state, role), _failure(state, role)
    if status != "failed":
        error = None
    return agent if (agent.status, agent.error) == (status, error) else agent.evolve(status=status, error=error)


def _with_tasks(state: CycleState) -> CycleState:
    """Tasks are in progress while somebody works on them, blocked while something open holds them, else pending."""
    if state.plan is None:
        return state
    busy = {step.task for step in steps_under_way(state)}

    def stands(task: PlanTask) -> PlanTask:
        if task.status == "completed":
            return task
        held = is_held(state, implement_step(task).key)
        status: PlanStatus = "in_progress" if task.id in busy else "blocked" if held else "pending"
        return task if task.status == status else task.evolve(status=status)

    now = tuple(stands(task) for task in state.plan.tasks)
    if all(a is b for a, b in zip(now, state.plan.tasks, strict=True)):
        return state
    return state.evolve(plan=state.plan.evolve(tasks=now))


def _with_results(state: CycleState) -> CycleState:
    record = state.iteration
    if record is None or not (state.engine.done or state.engine.under_way or state.engine.tries):
        return state
    results = dict(_results(state))
    if results == record.agent_results:
        return state
    return with_record(state, record.evolve(agent_results=results))


def _results(state: CycleState) -> Iterator[tuple[str, AgentResult]]:
    for role in ROLES:
        files = state.engine.wrote.get(role, ())
        yield role, AgentResult(status=result_of(state, role), files_modified=len(files))


def with_record(state: CycleState, record: IterationRecord) -> CycleState:
    """With the last iteration's record as it is now."""
    return state.evolve(iterations=(*state.iterations[:-1], record))


def cycle_goal(state: CycleState) -> ProofGoal:
    """A cycle's goal is its whole task, extensions included."""
    return ProofGoal(
        frozenset({goal_kind(state.description, state.engine.settings.proof)}),
        named_for_goal(state.description, state.engine),
    )
