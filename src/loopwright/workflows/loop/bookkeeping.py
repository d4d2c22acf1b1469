"""What every step of a loop leaves behind, whatever it was: counts, errors, a task's status."""

from loopwright.core.ids import new_task_id
from loopwright.core.names import COUNTED
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.state import LoopTask, TaskStatus
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.model import ACTIONS_KEPT, ERRORS_KEPT, CurrentAction, ErrorEntry, LoopState, SkillState
from loopwright.workflows.loop.outcomes import ActionStep, CompleteOutcome
from loopwright.workflows.loop.selector import normalise_state, with_tasks

FAILURES_IN_A_ROW = 3


def skill_of(state: LoopState) -> SkillState:
    """The runner's part of the state; a fresh one before INIT."""
    return state.skill_state or SkillState(mode=state.engine.settings.mode)


def count_iteration(state: LoopState, step: ActionStep) -> LoopState:
    """Uses up an iteration where the action does; one that was only put off does not."""
    uncounted = isinstance(step.outcome, (Interrupted, LimitReached)) or (
        isinstance(step.outcome, ValidationOutcome) and not step.outcome.counted
    )
    if step.action not in COUNTED or uncounted:
        return state
    return state.evolve(current_iteration=state.current_iteration + 1)


def drop_answer(state: LoopState, step: ActionStep) -> LoopState:
    """Without the answer that an agent was told in this step; one that has to be done again tells it again."""
    again = isinstance(step.outcome, (Interrupted, LimitReached, ActionFailed, NeedsInput))
    if again or step.told is None or state.engine.answer != step.told:
        return state
    return state.evolve(engine=state.engine.evolve(answer=None))


def record_success(state: LoopState, step: ActionStep) -> LoopState:
    """The traces of an action that had an outcome."""
    skill = skill_of(state)
    action = "VALIDATE" if isinstance(step.outcome, ValidationOutcome) else step.action
    done = (*skill.completed_actions, action)[-ACTIONS_KEPT:]
    current: CurrentAction | None = "complete" if isinstance(step.outcome, CompleteOutcome) else None
    engine = state.engine
    if engine.spent.failures_in_a_row or engine.spent.limits_in_a_row:
        engine = engine.evolve(spent=engine.spent.evolve(failures_in_a_row=0, limits_in_a_row=0))
    return state.evolve(
        skill_state=skill.evolve(current_action=current, last_action=action, completed_actions=done), engine=engine
    )


def record_failure(state: LoopState, step: ActionStep, message: str) -> LoopState:
    """Recorded and tried once more; a task that fails twice is a failed task, three failures end the loop."""
    skill = skill_of(state)
    entry = ErrorEntry(action=step.action, message=message, timestamp=step.at)
    skill = skill.evolve(errors=(*skill.errors, entry)[-ERRORS_KEPT:])
    row = state.engine.spent.failures_in_a_row + 1
    task = skill.develop.current_task
    if step.action == "DEVELOP" and task and row == 2:
        skill = set_task_status(skill, task, "failed", step.at)
    engine = state.engine.evolve(spent=state.engine.spent.evolve(failures_in_a_row=row))
    state = clear_action(state.evolve(skill_state=skill, engine=engine))
    if row < FAILURES_IN_A_ROW or state.status != "running":
        return state
    reason = f"{row} actions in a row gave no result; the last one, {step.action}: {message}"
    return commands.fail(state, "failed", reason, step.at)


def clear_action(state: LoopState) -> LoopState:
    """No action under way; what it had taken up is pending again."""
    return normalise_state(state.evolve(skill_state=skill_of(state).evolve(current_action=None)))


def set_task_status(skill: SkillState, id: str, status: TaskStatus, at: str | None) -> SkillState:
    """One task with another status; `at` is kept as the time of its end."""
    done = at if status in ("completed", "failed") else None
    tasks = (t.evolve(status=status, completed_at=done) if t.id == id else t for t in skill.develop.tasks)
    return with_tasks(skill, tuple(tasks))


def append_task(state: LoopState, description: str, step: ActionStep) -> LoopState:
    """A task of the engine's own, after all others."""
    order = max((task.order for task in state.engine.tasks), default=-1) + 1
    task = LoopTask(
        task_id=new_task_id(step.token),
        description=description,
        tool=state.engine.settings.agent,
        order=order,
        created_at=step.at,
        updated_at=step.at,
    )
    return normalise_state(state.evolve(engine=state.engine.evolve(tasks=(*state.engine.tasks, task))))


def merge_unique(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Both, in order, each once; the very same tuple when nothing is new."""
    new = tuple(dict.fromkeys(item for item in more if item not in known))
    return (*known, *new) if new else known
