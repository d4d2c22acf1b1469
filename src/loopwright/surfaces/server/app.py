"""The application: routes, what answers for errors, and the gate in front."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from loopwright import __version__
from loopwright.core.agent_names import known_agents
from loopwright.core.errors import LoopwrightError, NotFound, translate_error
from loopwright.core.supervisor import LAUNCH_TIMEOUT, ResumeResult, is_launched, list_orphans, resume_run
from loopwright.projects import Project, Projects
from loopwright.surfaces.commands import COMMANDS, CommandRow
from loopwright.surfaces.server import cycles, examples, fleet, loops, metrics, stream, tasks, tunings
from loopwright.surfaces.server.api_response import ApiResponse, Json, make_refusal, make_response
from loopwright.surfaces.server.dependencies import (
    CYCLE_ROUTES,
    LOOP_ROUTES,
    THREADS,
    TUNING_ROUTES,
    Control,
    ControlPlane,
    ProjectName,
)
from loopwright.surfaces.server.documentation import ANYWHERE, Data, document_responses
from loopwright.surfaces.server.fast_dispatch import FastDispatcher
from loopwright.surfaces.server.gate import GateRules, RequestGate
from loopwright.surfaces.server.kinds import RunSource, list_sources
from loopwright.surfaces.server.metrics import ServerMetrics
from loopwright.surfaces.server.openapi import DESCRIPTION, install_openapi
from loopwright.surfaces.server.repeated_requests import RepeatedRequests
from loopwright.surfaces.server.requests import Routes, problem_words
from loopwright.surfaces.server.responses import AgentForm, HealthForm, ProjectForm
from loopwright.surfaces.server.shared_routes import shared_routes
from loopwright.surfaces.server.stream import LiveStreams
from loopwright.wiring.places import state_folder

if TYPE_CHECKING:
    from loopwright.surfaces.mcp.control import ControlApp


WEB = files("loopwright.surfaces.server") / "web"

page_router = APIRouter(include_in_schema=False)
assets = StaticFiles(directory=str(WEB / "assets"), check_dir=False)


@page_router.get("/")
async def page() -> FileResponse:
    """For everybody: it says how to get in where the API does not answer. A token in the address is the gate's."""
    return FileResponse(str(WEB / "index.html"), headers={"cache-control": "no-cache"})


environment_router = Routes(prefix="/api", tags=["around"])


@environment_router.get(
    "/projects",
    summary="Projects",
    responses=document_responses(Data[list[ProjectForm]], examples.PROJECTS, ANYWHERE),
)
async def projects(control: ControlPlane) -> ApiResponse:
    """In order; the first is the default."""
    firsts: dict[str, str] = {}
    return make_response([_describe_project(project, firsts) for project in control.projects.known.values()])


def _describe_project(project: Project, firsts: dict[str, str]) -> Json:
    """`firsts`: by the address of a fleet, the first project that names it."""
    url = project.engine.config.fleet.url
    fleet = url and firsts.setdefault(url.get_secret_value(), project.name)
    return {"name": project.name, "path": str(project.engine.project), "fleet": fleet}


@environment_router.get(
    "/agents",
    summary="Agents",
    responses=document_responses(Data[list[AgentForm]], examples.AGENTS, (*ANYWHERE, 404)),
)
async def agents(control: ControlPlane, project: ProjectName = None) -> ApiResponse:
    """Every agent of a project, and why one cannot be used."""
    found = control.projects.named(project)
    return make_response(await control.run_in_thread(lambda: _agents(found)))


@environment_router.get(
    "/health", summary="Health", responses=document_responses(Data[HealthForm], examples.HEALTH, (403,))
)
async def health() -> ApiResponse:
    """Needs no token."""
    return make_response({"status": "ok", "version": __version__})


def _agents(project: Project) -> list[dict[str, object]]:
    agents = project.engine.agents
    names = (name for name in known_agents(agents.configured) if ":" not in name)
    return [
        {"name": name, "available": problem is None, "problem": problem}
        for name in names
        for problem in (agents.missing(name),)
    ]


log = structlog.get_logger("loopwright.surfaces.server")

SECONDS = 2.0
"""Between two looks; more where a look takes long, so that it takes no more than a fiftieth of the time."""
SHARE = 50
TRIES = 3
"""Times that one is taken up without getting any further in between."""
AT_ONCE = 8
"""Runs that one look takes up: many runners start one by one."""

Key = tuple[str, str]
"""A run: its source and its id."""
Due = tuple[RunSource, Any]  # Any: a state of the source's kind

Beside = Callable[[Callable[[], tuple[ResumeResult, ...]]], Awaitable[tuple[ResumeResult, ...]]]


@dataclass
class RunKeeper:
    """Looks again and again. A run is taken up once its runner cannot be on the way any more, see `is_launched`.

    At the first look of a server none is: what is left then was left by whoever is gone.
    """

    projects: Projects
    patience: timedelta = LAUNCH_TIMEOUT
    _tries: dict[Key, tuple[Hashable, int]] = field(default_factory=dict)
    _pause: float = SECONDS

    async def keep(self, beside: Beside) -> None:
        """Until it is cancelled."""
        await beside(partial(self.look, first=True))
        while True:
            await asyncio.sleep(self._pause)
            await beside(self.look)

    def look(self, *, first: bool = False) -> tuple[ResumeResult, ...]:
        """One look at every project; what was taken up."""
        began = time.monotonic()
        due = [found for source in list_sources(self.projects) for found in self._due(source, first=first)]
        due.sort(key=lambda found: self._tried(*found))
        taken = tuple(self._take(source, state) for source, state in due[:AT_ONCE])
        self._pause = max(SECONDS, SHARE * (time.monotonic() - began))
        return taken

    def _due(self, source: RunSource, *, first: bool) -> Iterator[Due]:
        service = source.service
        try:
            now = service.clock.now()
            for state in list_orphans(service, now):
                coming = not first and is_launched(state, now, self.patience)
                if not coming and self._tried(source, state) < TRIES:
                    yield source, state
        except (LoopwrightError, OSError) as error:  # looked at again the next time
            log.warning("cannot supervise a project", project=source.project.name, error=str(error))

    def _tried(self, source: RunSource, state: Any) -> int:  # Any: as Due
        at, tries = self._tries.get(_key(source, state), (None, 0))
        return tries if at == source.kind.progress(state) else 0

    def _take(self, source: RunSource, state: Any) -> ResumeResult:  # Any: as Due
        self._tries[_key(source, state)] = (source.kind.progress(state), self._tried(source, state) + 1)
        taken = resume_run(source.service, state)
        log.info("taken up", project=source.project.name, run=taken.id, problem=taken.problem)
        return taken


def _key(source: RunSource, state: Any) -> Key:  # Any: as Due
    return source.name, source.service.rules.id_of(state)


class McpEndpoint:
    """An ASGI application for one path, answering while somebody `serve`s it."""

    def __init__(self, projects: Projects, rows: Sequence[CommandRow]) -> None:
        self._projects, self._rows = projects, rows
        self._app: ControlApp | None = None
        self._wanted, self._ready = asyncio.Event(), asyncio.Event()

    async def serve(self) -> None:
        """Until it is cancelled."""
        await self._wanted.wait()
        self._app = await asyncio.to_thread(_loaded, self._projects, self._rows)
        async with self._app.running():
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._wanted.set()
        await self._ready.wait()
        assert self._app is not None
        await self._app(scope, receive, send)


def _loaded(projects: Projects, rows: Sequence[CommandRow]) -> "ControlApp":
    from loopwright.surfaces.mcp.control import ControlApp

    return ControlApp(projects, rows)


def register_error_handlers(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Registers what answers for each kind of error. `routes` are all there are."""

    async def http(request: Request, error: Exception) -> ApiResponse:
        assert isinstance(error, HTTPException)
        if error.status_code == 404:
            return make_refusal(f"there is nothing at {request.url.path}; see /openapi.json", 404)
        if error.status_code == 405:
            return _wrong_method(request, routes)
        return make_refusal(str(error.detail), error.status_code, dict(error.headers or {}))

    app.add_exception_handler(LoopwrightError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(OSError, _system)
    app.add_exception_handler(Exception, _bug)


async def _ours(request: Request, error: Exception) -> ApiResponse:
    assert isinstance(error, LoopwrightError)
    status = translate_error(error).http
    if status >= 500:
        log.warning("refused", method=request.method, path=request.url.path, status=status, error=str(error))
    words = str(error)
    return make_refusal(words[:1].upper() + words[1:] if isinstance(error, NotFound) else words, status)


async def _invalid(request: Request, error: Exception) -> ApiResponse:
    assert isinstance(error, RequestValidationError)
    return make_refusal(problem_words(error.errors()[0]), 400)


def _wrong_method(request: Request, routes: Sequence[BaseRoute]) -> ApiResponse:
    """With every method that is taken there, whichever route of that path was looked at first."""
    fitting = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    allowed = ", ".join(sorted({method for route in fitting for method in getattr(route, "methods", None) or ()}))
    answer = make_refusal(f"{request.method} is not allowed here; allowed: {allowed}", 405)
    answer.headers["allow"] = allowed
    return answer


async def _system(request: Request, error: Exception) -> ApiResponse:
    """A project's files that cannot be reached; the others are served on."""
    assert isinstance(error, OSError)
    log.warning("cannot reach", method=request.method, path=request.url.path, error=str(error))
    return make_refusal(f"the project's files cannot be reached: {error.strerror or error}", 503)


async def _bug(request: Request, error: Exception) -> ApiResponse:
    log.error("internal error", method=request.method, path=request.url.path, exc_info=error)
    return make_refusal("internal error; the server's log has the cause", 500)


def build_routers(rows: Sequence[CommandRow] = COMMANDS) -> tuple[APIRouter, ...]:
    """In order: of two routes that fit, the first one answers."""
    return (
        environment_router,
        fleet.router,
        tasks.by_id,
        *shared_routes(LOOP_ROUTES, rows),
        tasks.of_loop,
        loops.router,
        *shared_routes(CYCLE_ROUTES, rows),
        cycles.router,
        *shared_routes(TUNING_ROUTES, rows),
        tunings.router,
        stream.router,
        metrics.router,
        page_router,
    )


def create_app(projects: Projects, rules: GateRules, rows: Sequence[CommandRow] = COMMANDS) -> ASGIApp:
    """Serves these projects to whoever the rules let in. `rows`: the table of commands."""
    routers = build_routers(rows)
    app = FastAPI(
        title="loopwright",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.control = Control(projects, ThreadPoolExecutor(THREADS, "store"))
    app.state.live = LiveStreams(app.state.control, state_folder() / "feeds")
    app.state.metrics = figures = ServerMetrics(projects, app.state.live)
    for router in routers:
        app.include_router(router)
    app.state.tools = McpEndpoint(projects, rows)
    app.router.routes.append(Route("/mcp", app.state.tools, include_in_schema=False))
    app.mount("/assets", assets)
    routes = [route for router in routers for route in router.routes]
    register_error_handlers(app, routes)
    install_openapi(app)
    app.state.repeated = RepeatedRequests(figures.count)
    return figures.measured(RequestGate(FastDispatcher(app, routes), rules))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
    """Runs are looked after meanwhile. The state tells the server what ends before it waits for the last answers."""
    control: Control = app.state.control
    beside = (
        RunKeeper(control.projects).keep(control.run_in_thread),
        fleet.keep_mirrors(control.projects, control.run_in_thread),
        app.state.tools.serve(),
    )
    meanwhile = [asyncio.create_task(work) for work in beside]
    for task in meanwhile:
        task.add_done_callback(_told)
    yield {"ending": app.state.live.end, "repeated": app.state.repeated}
    for task in meanwhile:
        task.cancel()
    await asyncio.wait(meanwhile)
    app.state.live.close()
    for database in control.fleets.values():
        database.close()
    control.threads.shutdown(wait=False, cancel_futures=True)


def _told(task: asyncio.Task[None]) -> None:
    """What ended by itself has failed, and nobody waits for it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a background task has failed; restart the server", exc_info=error)
