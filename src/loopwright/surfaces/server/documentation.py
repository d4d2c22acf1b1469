"""How routes describe themselves in /openapi.json: every answer that can occur, each with its form and an example."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from loopwright.surfaces.server.api_response import Json

T = TypeVar("T")

Responses = dict[int | str, dict[str, Any]]  # Any: FastAPI's own form of a documented response


class Data(BaseModel, Generic[T]):
    """What was asked for."""

    model_config = ConfigDict(extra="allow")

    success: Literal[True]
    data: T


class Message(BaseModel):
    """Done; there is nothing more to return."""

    success: Literal[True]
    message: str


class Refusal(BaseModel):
    """Why not, in a sentence for people."""

    success: Literal[False]
    error: str


REFUSALS: Mapping[int, tuple[str, str]] = {
    400: ("Bad input, or not possible in this status", "Cannot pause loop with status: created"),
    401: ("No valid token", "no valid token; open the URL that `loopwright serve` prints"),
    403: ("Wrong host or origin, or not allowed for this caller", "requests from other pages are refused"),
    404: ("Not found", "Loop not found: loop-v2-20260122T100000-0123abcd"),
    409: ("Busy, or an id that exists in several projects", "Task task-0123abcd is completed"),
    412: ("If-Match names another version", "it is at version 12, not 11"),
    413: ("The body is too long", "the body is too long; at most 1,048,576 bytes are accepted"),
    415: ("The body is not JSON", "a body must be JSON, with content-type: application/json"),
    429: ("Too many at once", "too many streams are open; close one of them"),
    503: ("No agent, or the store cannot be read or written", "codex is not installed"),
}
"""Status → when it occurs, and an example of its words."""

ANYWHERE = (400, 401, 403)
LOOKING = (*ANYWHERE, 404, 409, 503)
BRINGING = (*ANYWHERE, 404, 413, 415, 503)
CHANGING = (*LOOKING, 412, 413, 415)


def document_responses(
    form: type[BaseModel], example: Json, refusals: tuple[int, ...], *, status: int = 200
) -> Responses:
    """For a route's `responses`."""
    told: Responses = {
        status: {
            "model": form,
            "description": HTTPStatus(status).phrase,
            "content": {"application/json": {"example": {"success": True, **example}}},
        }
    }
    for code in sorted(refusals):
        when, words = REFUSALS[code]
        content = {"application/json": {"example": {"success": False, "error": words}}}
        told[code] = {"model": Refusal, "description": when, "content": content}
    return told
