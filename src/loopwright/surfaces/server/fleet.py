"""The fleet: what it does as a whole, and the runs of served projects that it drives, kept up to date here."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

import structlog

from loopwright.core.config import Config
from loopwright.core.errors import Invalid, StoreError
from loopwright.projects import Projects
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, Json, make_response
from loopwright.surfaces.server.dependencies import Control, ControlPlane, ProjectName
from loopwright.surfaces.server.documentation import ANYWHERE, Data, document_responses
from loopwright.surfaces.server.kinds import KINDS
from loopwright.surfaces.server.metrics import FLEET_SECONDS
from loopwright.surfaces.server.requests import Routes
from loopwright.surfaces.server.responses import FleetForm
from loopwright.wiring import Engine
from loopwright.wiring.places import FLEET_MARKS

KIND_NAMES: Mapping[str, str] = {kind.key: kind.name for kind in KINDS}

LOOK_SECONDS, REST_SECONDS = 0.5, 2.0
"""Between two looks while something runs in the fleet, and while nothing does or it cannot be reached."""

log = structlog.get_logger("loopwright.surfaces.server")
router = Routes(prefix="/api", tags=["around"])


@router.get(
    "/fleet", summary="The fleet", responses=document_responses(Data[FleetForm], examples.FLEET, (*ANYWHERE, 404, 503))
)
async def fleet(control: ControlPlane, project: ProjectName = None) -> ApiResponse:
    """Workers, accounts, and what runs and waits; 400 where the project's settings name no fleet."""
    found = control.projects.named(project)
    return make_response(await control.run_in_thread(partial(_describe, control, found.engine.config)))


def _describe(control: Control, config: Config) -> Json:
    from loopwright.wiring.fleet.access import fleet_url, open_database

    database = control.fleets.setdefault(fleet_url(config), open_database(config))
    from loopwright.fleet.queue import DbosDispatcher

    known = DbosDispatcher(database).overview(FLEET_SECONDS)
    here = {id: project.name for project in control.projects.known.values() for id in _marked(project.engine)}
    for run in (*known["queue"], *(run for worker in known["workers"] for run in worker["runs"])):
        run.update(kind=KIND_NAMES[run["kind"]], project=here.get(run["id"]))
    return known


def _marked(engine: Engine) -> Iterable[str]:
    """Runs that were submitted from there, and are mirrored."""
    mirror = engine.mirror()
    return mirror.marks if mirror else ()


Beside = Callable[[Callable[[], bool]], Awaitable[bool]]


async def keep_mirrors(projects: Projects, beside: Beside) -> None:
    """Until it is cancelled."""
    async with asyncio.TaskGroup() as group:
        for project in projects.known.values():
            group.create_task(_keep_mirror(project.engine, beside))


async def _keep_mirror(engine: Engine, beside: Beside) -> None:
    """In a thread at a time, once the project has runs elsewhere; what is in the way is told once."""
    marks, told = str(engine.project / FLEET_MARKS), ""
    while True:
        is_busy = False
        if os.path.exists(marks):
            try:
                is_busy = await beside(partial(_look, engine))
                told = ""
            except (StoreError, Invalid, OSError) as error:
                if str(error) != told:
                    told = str(error)
                    log.warning("cannot mirror runs of the fleet", project=str(engine.project), error=told)
        await asyncio.sleep(LOOK_SECONDS if is_busy else REST_SECONDS)


def _look(engine: Engine) -> bool:
    """Whether more is to be expected soon."""
    mirror = engine.mirror()
    if mirror is None:
        return False
    mirror.look()
    return mirror.is_busy
