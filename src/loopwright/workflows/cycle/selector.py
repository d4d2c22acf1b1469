"""What a cycle does next: a table of steps. Every row that holds is ready, as far as there is room. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from loopwright.core.cycle_names import NEEDS_AGENT, CycleStep, Role, StepName
from loopwright.workflows.cycle.model import CycleState, PlanTask
from loopwright.workflows.cycle.standing import (
    baseline_settled,
    has_failed,
    implement_step,
    inputs_settled,
    is_done,
    is_held,
    is_over,
    is_settled,
    list_runnable,
    list_tasks,
    needs_plan,
    plan_settled,
    steps_under_way,
    tasks_overlap,
)

VALIDATED_AGAIN = 4
"""How often an iteration is validated anew because the tree has changed since."""


@dataclass(frozen=True)
class CycleFacts:
    """What the state cannot know. `tree`: hash of the work tree; `measuring`: roles whose agent has no model."""

    tree: str = ""
    measuring: frozenset[Role] = frozenset()


def analyse_ready(state: CycleState, facts: CycleFacts) -> bool:
    return "ra" in state.engine.called and not is_settled(state, "ra.analyse") and _informed(state, facts, "ra")


def explore_ready(state: CycleState, facts: CycleFacts) -> bool:
    return "ep" in state.engine.called and not is_settled(state, "ep.explore") and _informed(state, facts, "ep")


def baseline_ready(state: CycleState, facts: CycleFacts) -> bool:
    return not baseline_settled(state)


def plan_ready(state: CycleState, facts: CycleFacts) -> bool:
    return inputs_settled(state) and needs_plan(state) and not has_failed(state, "ep.plan")


def validate_ready(state: CycleState, facts: CycleFacts) -> bool:
    """Nobody changes the tree any more, and this tree was not validated in this iteration.

    A tree that somebody else changes again and again is validated as it is at some time, and then said not to be.
    """
    return is_over(state, "cd") and baseline_settled(state) and _is_unvalidated(state, facts)


def _is_unvalidated(state: CycleState, facts: CycleFacts) -> bool:
    if has_failed(state, "vas.validate"):
        return False
    if not is_done(state, "vas.validate"):
        return True
    return not is_validated(state, facts.tree) and state.engine.tries.get("vas.validate", 0) < VALIDATED_AGAIN


def _last_step(state: CycleState, facts: CycleFacts) -> CycleStep:
    """With a budget used up: what is there is validated all the same, which costs no agent's turn."""
    return CycleStep("vas.validate" if baseline_settled(state) and _is_unvalidated(state, facts) else "aggregation")


def is_validated(state: CycleState, tree: str) -> bool:
    """The last validation ran on this tree, or left it behind."""
    last = state.engine.last_validation
    return last is not None and tree in (last.tree, last.left)


TABLE: tuple[tuple[StepName, Callable[[CycleState, CycleFacts], bool]], ...] = (
    ("vas.baseline", baseline_ready),
    ("ra.analyse", analyse_ready),
    ("ep.explore", explore_ready),
    ("ep.plan", plan_ready),
    ("vas.validate", validate_ready),
)
"""Beside them: cd.implement, a step for each task; and aggregation, when there is no other."""


def select_ready(state: CycleState, facts: CycleFacts) -> tuple[CycleStep, ...]:
    """The steps that can begin now, beside those under way. Empty with nothing under way: a person has to decide."""
    if state.iteration is None:
        return ()
    busy = steps_under_way(state)
    if state.engine.budget.reached:
        return () if busy else (_last_step(state, facts),)
    found = tuple(_with_room(state, tuple(_candidates(state, facts))))
    if found or busy or asks_person(state):
        return found
    return (CycleStep("aggregation"),)


def asks_person(state: CycleState) -> bool:
    """Somebody has to decide before anything can go on."""
    return state.engine.settings.mode == "interactive" and bool(state.coordination.undecided)


def still_holds(state: CycleState, step: CycleStep, facts: CycleFacts) -> bool:
    """Whether the latest state would still choose the step."""
    return step in select_ready(state, facts)


def _candidates(state: CycleState, facts: CycleFacts) -> Iterator[CycleStep]:
    busy = steps_under_way(state)
    for name, holds in TABLE:
        step = CycleStep(name)
        if step not in busy and holds(state, facts) and not is_held(state, step.key):
            yield step
    yield from map(implement_step, _side_by_side(state))


def _side_by_side(state: CycleState) -> Iterator[PlanTask]:
    """Tasks that can be worked on now, none of which may change a file that another one may.

    One that has failed lets the others go first: what they change may be what it lacks.
    """
    if not (plan_settled(state) and baseline_settled(state)):
        return
    running = {step.task for step in steps_under_way(state) if step.name == "cd.implement"}
    taken = [task for task in list_tasks(state) if task.id in running]
    for task in sorted(list_runnable(state), key=lambda task: state.engine.tries.get(implement_step(task).key, 0)):
        if not any(tasks_overlap(task, other) for other in taken):
            taken.append(task)
            yield task


def _with_room(state: CycleState, steps: tuple[CycleStep, ...]) -> Iterator[CycleStep]:
    """As many of those that need an agent as there may be at once."""
    room = state.engine.parallel - sum(step.name in NEEDS_AGENT for step in steps_under_way(state))
    for step in steps:
        if step.name not in NEEDS_AGENT:
            yield step
        elif room > 0:
            room -= 1
            yield step


def _informed(state: CycleState, facts: CycleFacts, role: Role) -> bool:
    """A role without a model has nothing but what was measured."""
    return role not in facts.measuring or baseline_settled(state)
