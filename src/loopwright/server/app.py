"""The application: routes, what answers for errors, and the gate in front."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import structlog
from fastapi import APIRouter, FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp

from loopwright import __version__
from loopwright.projects import Projects
from loopwright.server import (
    around,
    cycle_closer,
    cycles,
    loop_closer,
    loops,
    metrics,
    pages,
    stream,
    tasks,
    tuning_closer,
    tunings,
)
from loopwright.server.asking import THREADS, Control
from loopwright.server.direct import Direct
from loopwright.server.failing import answer_errors
from loopwright.server.gate import Gate, Rules
from loopwright.server.keeping import Keeper
from loopwright.server.live import Live
from loopwright.server.metrics import Metrics
from loopwright.server.openapi import DESCRIPTION, describe
from loopwright.server.tools import Tools
from loopwright.wiring import state_folder

log = structlog.get_logger("loopwright.server")

ROOMS: tuple[APIRouter, ...] = (
    around.router, tasks.by_id, *loops.ROOMS, tasks.of_loop, *loop_closer.ROOMS, *cycles.ROOMS, *cycle_closer.ROOMS,
    *tunings.ROOMS, *tuning_closer.ROOMS,
    stream.router, metrics.router, pages.router,
)  # fmt: skip
"""In order: of two routes that fit, the first one answers."""


def create_app(projects: Projects, rules: Rules) -> ASGIApp:
    """Serves these projects to whoever the rules let in."""
    app = FastAPI(
        title="loopwright", version=__version__, description=DESCRIPTION, docs_url=None, redoc_url=None,
        redirect_slashes=False, lifespan=_lifespan,
    )  # fmt: skip
    app.state.control = Control(projects, ThreadPoolExecutor(THREADS, "store"))
    app.state.live = Live(app.state.control, state_folder() / "feeds")
    app.state.metrics = figures = Metrics(projects, app.state.live)
    for room in ROOMS:
        app.include_router(room)
    app.state.tools = Tools(projects)
    app.router.routes.append(Route("/mcp", app.state.tools, include_in_schema=False))
    app.mount("/assets", pages.assets)
    routes = [route for room in ROOMS for route in room.routes]
    app.add_middleware(Direct, main=app, routes=routes)
    answer_errors(app, routes)
    describe(app)
    return figures.measured(Gate(app, rules))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
    """Runs are looked after meanwhile. The state tells the server what ends before it waits for the last answers."""
    control: Control = app.state.control
    beside = (Keeper(control.projects).keep(control.beside), app.state.tools.serve())
    meanwhile = [asyncio.create_task(work) for work in beside]
    for task in meanwhile:
        task.add_done_callback(_told)
    yield {"ending": app.state.live.end}
    for task in meanwhile:
        task.cancel()
    await asyncio.wait(meanwhile)
    app.state.live.close()
    control.threads.shutdown(wait=False, cancel_futures=True)


def _told(task: asyncio.Task[None]) -> None:
    """What ended by itself has failed, and nobody waits for it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("something beside the answers has failed; restart the server", exc_info=error)
