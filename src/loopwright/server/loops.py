"""Loops: created, listed, changed and steered."""

from typing import Annotated

from fastapi import APIRouter, Query

from loopwright.domain.engine_state import RunSettings
from loopwright.domain.errors import Invalid
from loopwright.domain.loop import LoopState, LoopStatus
from loopwright.domain.loop_commands import command_for
from loopwright.projects import Project
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Commands, ControlPlane, OneLoop, ProjectName
from loopwright.server.shapes import LoopFields, NewLoop, NewStatus, Pausing
from loopwright.wiring import budget, run_settings

router = APIRouter(prefix="/api/loops/v2")


@router.post("")
async def create(control: ControlPlane, body: NewLoop, project: ProjectName = None) -> Answer:
    found = control.projects.named(project)
    state = await control.beside(lambda: _created(found, body))
    return shown(state, found, status=201)


@router.get("")
async def listed(
    control: ControlPlane,
    project: ProjectName = None,
    status: LoopStatus | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Answer:
    service = control.projects.named(project).engine.service
    page = service.list(status=status, limit=limit, offset=offset)
    more = offset + len(page.items) < page.total
    at = service.clock.now().isoformat(timespec="milliseconds")
    return done(page.items, total=page.total, limit=limit, offset=offset, hasMore=more, timestamp=at)


@router.get("/{loop_id}")
async def read(one: OneLoop) -> Answer:
    return shown(one.service.read(one.loop_id), one.project, live=one.service.is_live(one.loop_id))


@router.put("/{loop_id}")
async def edit(one: OneLoop, service: Commands, body: LoopFields) -> Answer:
    changes = body.model_dump(exclude_unset=True)
    return shown(await one.control.beside(lambda: service.edit(one.loop_id, changes)), one.project)


@router.patch("/{loop_id}/status")
async def set_status(one: OneLoop, service: Commands, body: NewStatus) -> Answer:
    match command_for(service.read(one.loop_id), body.status):
        case "start":
            return await start(one, service)
        case "resume":
            return await resume(one, service)
        case "pause":
            return await pause(one, service, Pausing())
        case "stop":
            return await stop(one, service)
        case other:
            raise Invalid(f"nobody can {other} a loop from outside of its runner")


@router.delete("/{loop_id}")
async def delete(one: OneLoop, service: Commands) -> Answer:
    await one.control.beside(lambda: service.delete(one.loop_id))
    return done(message="Loop deleted")


@router.post("/{loop_id}/start")
async def start(one: OneLoop, service: Commands) -> Answer:
    state = await one.control.beside(lambda: service.start(one.loop_id))
    return shown(state, one.project, message="Loop started")


@router.post("/{loop_id}/pause")
async def pause(one: OneLoop, service: Commands, body: Pausing | None = None) -> Answer:
    now = body.now if body else False
    state = await one.control.beside(lambda: service.pause(one.loop_id, now=now))
    return shown(state, one.project, message="Loop paused")


@router.post("/{loop_id}/resume")
async def resume(one: OneLoop, service: Commands) -> Answer:
    state = await one.control.beside(lambda: service.resume(one.loop_id))
    return shown(state, one.project, message="Loop resumed")


@router.post("/{loop_id}/stop")
async def stop(one: OneLoop, service: Commands) -> Answer:
    return shown(await service.stop(one.loop_id), one.project, message="Loop stopped")


def shown(state: LoopState, project: Project, *, status: int = 200, **more: object) -> Answer:
    """One loop, with its version as ETag."""
    return done(state, status=status, headers={"etag": f'"{state.engine.rev}"'}, project=project.name, **more)


def _created(project: Project, body: NewLoop) -> LoopState:
    """As on the command line; the settings of the project hold where the body is silent."""
    engine = project.engine
    settings = engine.config.settings
    given = body.model_dump(exclude_none=True)
    agent = engine.agents.chosen(body.agent or settings.agent)
    engine.agents.check(agent)
    base = run_settings(settings, interactive=body.mode == "interactive")
    own = {name: value for name, value in given.items() if name in RunSettings.model_fields}
    limits = {name: given[name] for name in ("max_minutes", "max_tokens", "max_cost") if name in given}
    return engine.service.create(
        body.description or body.title,
        title=body.title,
        max_iterations=body.max_iterations or settings.max_iterations,
        settings=base.evolve(**{**own, "agent": agent}),
        budget=budget(settings).evolve(**limits),
        allow_test_changes=settings.allow_test_changes if body.allow_test_changes is None else body.allow_test_changes,
    )
