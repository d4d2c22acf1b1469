"""What kind of goal a loop has. Pure."""

from loopwright.core.state import DevelopTask
from loopwright.evidence.goals import goal_kind, named_for_goal
from loopwright.evidence.proof import ProofGoal, ProofKind, ProofPolicy
from loopwright.workflows.loop.model import LoopState

READING_MODES = frozenset({"analysis", "review"})


def loop_goal(state: LoopState) -> ProofGoal:
    """Every kind that the goal or a task of the loop has. Tasks that failed have none: they keep it from succeeding.

    What an agent planned for itself serves the loop's own goal, whatever its tool or mode.
    """
    run = state.engine.settings.proof
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    kinds = {_task_kind(state, task, run) for task in tasks if task.status == "completed"}
    return ProofGoal(
        frozenset(kinds) or frozenset({goal_kind(state.description or state.title, run)}),
        named_for_goal(state.description, state.engine),
    )


def _task_kind(state: LoopState, task: DevelopTask, run: ProofPolicy) -> ProofKind:
    definition = state.engine.task(task.id)
    own = definition.proof if definition else None
    if own is not None and own != "auto":
        return own
    if definition and definition.planned:
        return goal_kind(state.description or state.title, run)
    if task.tool == "bash":
        return "commands"
    if task.mode in READING_MODES:
        return "reading"
    return goal_kind(state.description or state.title, run)
