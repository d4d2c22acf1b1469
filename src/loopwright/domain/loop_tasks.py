"""Commands on a loop's tasks: add, edit, remove, reorder. Legal in every status."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from loopwright.domain.agents import check_agent
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.errors import Conflict, Forbidden, Invalid, NotFound
from loopwright.domain.loop import LoopState
from loopwright.domain.record import first_problem

EDITABLE = frozenset(
    {
        "description",
        "tool",
        "mode",
        "prompt_template",
        "command",
        "on_error",
        "depends_on",
        "allow_test_changes",
        "proof",
    }
)


def add_task(
    state: LoopState,
    task_id: str,
    fields: dict[str, Any],  # Any: parsed JSON; the model checks each value
    at: str,
    agents: Collection[str] = (),
    *,
    within: bool = False,
) -> LoopState:
    """Appends a task after the last one. `agents` are the names of those that were configured here.

    `within`: the loop's own agent or command asks for it; then it is the loop's own plan.
    """
    return add_tasks(state, {task_id: fields}, at, agents, within=within)


def add_tasks(
    state: LoopState,
    new: Mapping[str, dict[str, Any]],  # Any: as above
    at: str,
    agents: Collection[str] = (),
    *,
    within: bool = False,
) -> LoopState:
    """Appends tasks by id, in their order; they may depend on each other."""
    last = max((task.order for task in state.engine.tasks), default=-1)
    built = []
    for order, (id, fields) in enumerate(new.items(), last + 1):
        _check_tool(state, fields, agents)
        own = {"task_id": id, "order": order, "created_at": at, "updated_at": at, "planned": within or None}
        built.append(_built({**_editable(fields), **own}))
    return _with(state, (*state.engine.tasks, *built))


def edit_task(
    state: LoopState,
    task_id: str,
    fields: dict[str, Any],  # Any: as above
    at: str,
    agents: Collection[str] = (),
    *,
    within: bool = False,
) -> LoopState:
    task = _pending(state, task_id, within)
    _check_tool(state, fields, agents)
    edited = _built({**dict(task), **_editable(fields), "updated_at": at})
    return _with(state, tuple(edited if t is task else t for t in state.engine.tasks))


def remove_task(state: LoopState, task_id: str, *, within: bool = False) -> LoopState:
    task = _pending(state, task_id, within)
    needed_by = [t.task_id for t in state.engine.tasks if task_id in (t.depends_on or ())]
    if needed_by:
        raise Conflict(f"Task {task_id} is needed by {', '.join(needed_by)}; remove or edit them first")
    return _with(state, tuple(t for t in state.engine.tasks if t is not task))


def reorder_tasks(state: LoopState, ordered_ids: Sequence[str]) -> LoopState:
    """`ordered_ids` must name exactly the loop's tasks."""
    if sorted(ordered_ids) != sorted(task.task_id for task in state.engine.tasks) or not ordered_ids:
        have = ", ".join(task.task_id for task in state.engine.tasks) or "none"
        raise Invalid(f"the new order must name every task of the loop exactly once (it has: {have})")
    place = {id: order for order, id in enumerate(ordered_ids)}
    tasks = (task.evolve(order=place[task.task_id]) for task in state.engine.tasks)
    return _with(state, tuple(sorted(tasks, key=lambda task: task.order)))


def _pending(state: LoopState, task_id: str, within: bool) -> LoopTask:
    """The task, which can still be changed. Forbidden for a loop that wants to change what it was given to do."""
    task = state.engine.task(task_id)
    if task is None:
        raise NotFound(f"Task not found: {task_id}")
    if within and not task.planned:
        raise Forbidden(f"a loop can only change tasks that it planned itself; {task_id} was given to it")
    progress = state.skill_state.develop.tasks if state.skill_state else ()
    status = next((t.status for t in progress if t.id == task_id), "pending")
    if status != "pending" and task_id not in state.engine.retry:
        raise Conflict(f"Task {task_id} is {status}; only pending tasks can be changed")
    return task


def _check_tool(state: LoopState, fields: dict[str, Any], agents: Collection[str]) -> None:  # Any: as above
    """A name that was taken in from elsewhere may stay; a new one has to be somebody's."""
    if isinstance(tool := fields.get("tool"), str):
        check_agent(tool, own=state.engine.settings.agent, configured=agents)


def _editable(fields: dict[str, Any]) -> dict[str, Any]:  # Any: as above
    unknown = sorted(fields.keys() - EDITABLE)
    if unknown:
        raise Invalid(f"unknown task field: {', '.join(unknown)} (known: {', '.join(sorted(EDITABLE))})")
    return fields


def _built(fields: dict[str, Any]) -> LoopTask:  # Any: as above
    try:
        task = LoopTask.model_validate(fields)
    except ValidationError as error:
        raise Invalid(first_problem(error)) from error
    if not task.description.strip():
        raise Invalid("description: must not be blank")
    if task.tool == "bash" and not (task.command or "").strip():
        raise Invalid("a task with tool bash needs a command")
    if task.command is not None and task.tool != "bash":
        raise Invalid(f"only tasks with tool bash run a command; this one has tool {task.tool}")
    return task


def _with(state: LoopState, tasks: tuple[LoopTask, ...]) -> LoopState:
    known = {task.task_id for task in tasks}
    for task in tasks:
        missing = sorted(set(task.depends_on or ()) - known)
        if missing:
            raise Invalid(f"task {task.task_id} depends on unknown {', '.join(missing)}")
    if waiting := circle({task.task_id: task.depends_on or () for task in tasks}):
        raise Invalid(f"tasks depend on each other in a circle: {', '.join(waiting)}")
    return state.evolve(engine=state.engine.evolve(tasks=tasks))


def circle(needs: Mapping[str, Collection[str]]) -> list[str]:
    """Those that can never become ready because they wait for each other; `needs` says for whom each one waits."""
    waiting = {id: set(others) for id, others in needs.items()}
    while ready := [id for id, others in waiting.items() if not others & waiting.keys()]:
        for id in ready:
            del waiting[id]
    return sorted(waiting)
