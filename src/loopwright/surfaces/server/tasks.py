"""A loop's tasks: added, listed, read, edited, removed, reordered, imported and proposed."""

import asyncio
from typing import Annotated, Any

from fastapi import Query, Request

from loopwright.core.state import LoopTask
from loopwright.core.text import plural
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, make_refusal, make_response
from loopwright.surfaces.server.dependencies import (
    ControlPlane,
    IfMatch,
    LoopCommands,
    OneLoop,
    ProjectName,
    RunRequest,
    check_version,
    find_run,
)
from loopwright.surfaces.server.documentation import CHANGING, LOOKING, Data, Message, document_responses
from loopwright.surfaces.server.kinds import LOOPS
from loopwright.surfaces.server.requests import EditedTask, Generation, Import, NewOrder, NewTask, Routes
from loopwright.surfaces.server.responses import CreatedTasksForm, PlacedTaskForm, TasksForm
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import task_statuses

by_id = Routes(prefix="/api/loops/v2/tasks", tags=["tasks"])
of_loop = Routes(prefix="/api/loops/v2/{loop_id}", tags=["tasks"])

LoopId = Annotated[str, Query(description="The loop that the task belongs to")]


@by_id.get(
    "/{task_id}",
    summary="Read a task",
    responses=document_responses(Data[PlacedTaskForm], examples.PLACED_TASK, LOOKING),
)
async def read(control: ControlPlane, task_id: str, project: ProjectName = None) -> ApiResponse:
    """In whichever loop it is."""
    place = None if project is None else control.projects.named(project)
    home, state, task = await control.run_in_thread(lambda: control.task_places.find(task_id, place))
    return make_response({**_plain(task), "loop_id": state.loop_id, "project": home.name})


@by_id.put("/{task_id}", summary="Edit a task", responses=document_responses(Data[LoopTask], examples.TASK, CHANGING))
async def edit(
    control: ControlPlane, task_id: str, body: EditedTask, project: ProjectName = None, if_match: IfMatch = None
) -> ApiResponse:
    """Only while it is pending."""
    one = _loop(control, body.loop_id, project)
    fields = {name: value for name, value in body.given.items() if name != "loop_id"}
    return make_response(
        await control.run_in_thread(
            lambda: check_version(one.project.engine.service, if_match).tasks.edit(one.id, task_id, fields)
        )
    )


@by_id.delete(
    "/{task_id}",
    summary="Remove a task",
    responses=document_responses(Message, {"message": "Task deleted"}, CHANGING),
)
async def remove(
    control: ControlPlane, task_id: str, loop_id: LoopId, project: ProjectName = None, if_match: IfMatch = None
) -> ApiResponse:
    """Only while it is pending and no other task depends on it."""
    one = _loop(control, loop_id, project)
    await control.run_in_thread(
        lambda: check_version(one.project.engine.service, if_match).tasks.remove(one.id, task_id)
    )
    return make_response(message="Task deleted")


@of_loop.post(
    "/tasks",
    summary="Add a task",
    status_code=201,
    responses=document_responses(Data[LoopTask], examples.TASK, CHANGING, status=201),
)
async def add(one: OneLoop, service: LoopCommands, body: NewTask) -> ApiResponse:
    """After the last one."""
    task = await one.control.run_in_thread(lambda: service.tasks.add(one.id, {"tool": _own(one, body), **body.given}))
    one.control.task_places.note(one.project, one.id, (task,))
    return make_response(task, status=201)


@of_loop.get("/tasks", summary="List tasks", responses=document_responses(TasksForm, examples.TASKS, LOOKING))
async def listed(one: OneLoop) -> ApiResponse:
    """In order, each with its status."""
    return _listed(one, one.service.read(one.id))


@of_loop.put(
    "/tasks/reorder", summary="Reorder tasks", responses=document_responses(TasksForm, examples.TASKS, CHANGING)
)
async def reorder(one: OneLoop, service: LoopCommands, body: NewOrder) -> ApiResponse:
    """All of them, in the given order."""
    await one.control.run_in_thread(lambda: service.tasks.reorder(one.id, body.ordered_task_ids))
    return _listed(one, one.service.read(one.id))


@of_loop.post(
    "/import",
    summary="Import an issue",
    status_code=201,
    responses=document_responses(CreatedTasksForm, examples.CREATED_TASKS, CHANGING, status=201),
)
async def import_issue(one: OneLoop, service: LoopCommands, body: Import) -> ApiResponse:
    """The steps of the solution bound to it, in `.workflow/issues`, become tasks: all of them or none."""
    return _created(
        one, await one.control.run_in_thread(lambda: service.tasks.import_issue(one.id, body.issue_id, body.tool))
    )


@of_loop.post(
    "/generate",
    summary="Let an agent propose tasks",
    status_code=201,
    responses=document_responses(CreatedTasksForm, examples.CREATED_TASKS, CHANGING, status=201),
)
async def generate(one: OneLoop, service: LoopCommands, request: Request, body: Generation) -> ApiResponse:
    """Read-only, in parallel with the loop's runner. It takes as long as an agent's turn; disconnecting cancels it."""
    work = asyncio.ensure_future(service.generate(one.id, tool=body.tool, count=body.count))
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        left.cancel()
        if not work.done():
            work.cancel()
    try:
        return _created(one, await work)
    except asyncio.CancelledError:
        return make_refusal("the caller is gone", 499)


async def _left(request: Request) -> None:
    """Returns when whoever asked is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _created(one: RunRequest[LoopState], tasks: tuple[LoopTask, ...]) -> ApiResponse:
    one.control.task_places.note(one.project, one.id, tasks)
    return make_response(tasks, status=201, message=f"{plural(len(tasks), 'task')} created")


def _loop(control: ControlPlane, loop_id: str, project: str | None) -> RunRequest[LoopState]:
    return find_run(control, LOOPS, loop_id, project)


def _own(one: RunRequest[LoopState], body: NewTask) -> str:
    """Who does it where nobody is named."""
    return "bash" if body.command else one.service.read(one.id).engine.settings.agent


def _listed(one: RunRequest[LoopState], state: LoopState) -> ApiResponse:
    one.control.task_places.note(one.project, one.id, state.engine.tasks)
    statuses = task_statuses(state)
    ordered = sorted(state.engine.tasks, key=lambda task: task.order)
    at = one.service.clock.now().isoformat(timespec="milliseconds")
    data = [{**_plain(task), "status": statuses[task.task_id]} for task in ordered]
    return make_response(data, total=len(data), loop_id=one.id, timestamp=at)


def _plain(task: LoopTask) -> dict[str, Any]:  # Any: JSON
    return task.model_dump(mode="json")
