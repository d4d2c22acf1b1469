"""The application: routes, one place where errors become answers, and the gate in front."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from loopwright import __version__
from loopwright.domain.errors import LoopwrightError
from loopwright.projects import Projects
from loopwright.server import closer, loops, metrics, pages, stream
from loopwright.server.answers import Answer, done, refusal, refused
from loopwright.server.asking import THREADS, Control
from loopwright.server.gate import Gate, Rules
from loopwright.server.live import Live
from loopwright.server.metrics import Metrics
from loopwright.server.requests import problem_words
from loopwright.wiring import state_folder

log = structlog.get_logger("loopwright.server")


def create_app(projects: Projects, rules: Rules) -> ASGIApp:
    """Serves these projects to whoever the rules let in."""
    app = FastAPI(title="loopwright", version=__version__, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.state.control = Control(projects, ThreadPoolExecutor(THREADS, "store"))
    app.state.live = Live(app.state.control, state_folder() / "feeds")
    app.state.metrics = figures = Metrics(projects, app.state.live)
    for room in (loops, closer, stream, metrics, pages):
        app.include_router(room.router)
    app.mount("/assets", pages.assets)
    app.add_api_route("/api/health", health)
    app.add_exception_handler(LoopwrightError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _bug)
    return figures.measured(Gate(app, rules))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
    """The state tells the server what has to end before it waits for the last answers."""
    yield {"ending": app.state.live.end}
    app.state.live.close()


async def health() -> Answer:
    return done({"status": "ok", "version": __version__})


async def _ours(request: Request, error: Exception) -> Answer:
    assert isinstance(error, LoopwrightError)
    return refusal(error)


async def _invalid(request: Request, error: Exception) -> Answer:
    assert isinstance(error, RequestValidationError)
    return refused(problem_words(error.errors()[0]), 400)


async def _http(request: Request, error: Exception) -> Answer:
    assert isinstance(error, HTTPException)
    return refused(str(error.detail), error.status_code)


async def _bug(request: Request, error: Exception) -> Answer:
    log.error("internal error", path=request.url.path, exc_info=error)
    return refused("internal error; the server's log has the cause", 500)
