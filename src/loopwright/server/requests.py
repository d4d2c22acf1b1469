"""Bodies as they come in: strict JSON, or one sentence that says what is wrong with them."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import orjson
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from loopwright.server.gate import BadBody

Handler = Callable[[Request], Coroutine[Any, Any, Response]]  # Any: as FastAPI has it

NOT_KNOWN = "extra_forbidden"
MISSING = "missing"


class StrictRequest(Request):
    """JSON as RFC 8259 has it, in UTF-8: no NaN, no half characters, nothing nested without end."""

    async def body(self) -> bytes:
        try:
            return await super().body()
        except BadBody as problem:
            raise HTTPException(problem.status, problem.words, {"connection": "close"}) from problem
        except ClientDisconnect as gone:  # nobody hears it, but it is no fault of ours either
            raise HTTPException(400, "the body broke off") from gone

    async def json(self) -> Any:  # Any: parsed JSON
        try:
            return orjson.loads(await self.body())
        except orjson.JSONDecodeError as error:
            raise HTTPException(400, f"the body is no JSON: {error.msg} (at character {error.pos})") from error


class StrictRoute(APIRoute):
    """A route that reads its body that way."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


class Routes(APIRouter):
    """Where all routes of the API are declared."""

    def __init__(self, *, prefix: str = "", tags: Sequence[str] = ()) -> None:
        super().__init__(prefix=prefix, tags=list(tags), route_class=StrictRoute)


def problem_words(problem: dict[str, Any]) -> str:  # Any: as pydantic tells it
    """One validation problem as a sentence: where, what would be right, and what was given."""
    where = ".".join(str(part) for part in problem["loc"][1:]) or "body"
    if problem["type"] == MISSING:
        return f"{where}: is needed"
    if problem["type"] == NOT_KNOWN:
        return f"{where}: is not known here"
    given = repr(problem["input"])
    words = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {words} (got {given if len(given) <= 80 else given[:77] + '…'})"
