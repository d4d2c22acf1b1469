"""Where errors become answers: every one in the same form, with the status of the one table, and words for people."""

from collections.abc import Sequence

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from loopwright.domain.errors import LoopwrightError, NotFound, translate
from loopwright.server.answers import Answer, refused
from loopwright.server.requests import problem_words

log = structlog.get_logger("loopwright.server")


def answer_errors(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Registers what answers for each kind of error. `routes` are all there are."""

    async def http(request: Request, error: Exception) -> Answer:
        assert isinstance(error, HTTPException)
        if error.status_code == 404:
            return refused(f"there is nothing at {request.url.path}; /openapi.json says what there is", 404)
        if error.status_code == 405:
            return _wrong_method(request, routes)
        return refused(str(error.detail), error.status_code, dict(error.headers or {}))

    app.add_exception_handler(LoopwrightError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(OSError, _system)
    app.add_exception_handler(Exception, _bug)


async def _ours(request: Request, error: Exception) -> Answer:
    assert isinstance(error, LoopwrightError)
    status = translate(error).http
    if status >= 500:
        log.warning("refused", method=request.method, path=request.url.path, status=status, error=str(error))
    words = str(error)
    return refused(words[:1].upper() + words[1:] if isinstance(error, NotFound) else words, status)


async def _invalid(request: Request, error: Exception) -> Answer:
    assert isinstance(error, RequestValidationError)
    return refused(problem_words(error.errors()[0]), 400)


def _wrong_method(request: Request, routes: Sequence[BaseRoute]) -> Answer:
    """With every method that is taken there, whichever route of that path was looked at first."""
    fitting = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    allowed = ", ".join(sorted({method for route in fitting for method in getattr(route, "methods", None) or ()}))
    answer = refused(f"{request.method} is not possible here; possible are: {allowed}", 405)
    answer.headers["allow"] = allowed
    return answer


async def _system(request: Request, error: Exception) -> Answer:
    """A project's files that can not be reached; the others are served on."""
    assert isinstance(error, OSError)
    log.warning("can not reach", method=request.method, path=request.url.path, error=str(error))
    return refused(f"the project's files can not be reached: {error.strerror or error}", 503)


async def _bug(request: Request, error: Exception) -> Answer:
    log.error("internal error", method=request.method, path=request.url.path, exc_info=error)
    return refused("internal error; the server's log has the cause", 500)
