"""The commands of the table in surfaces/commands.py as routes: a body of what each takes, and a run as the answer."""

import re
from collections.abc import Iterable
from functools import partial
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from loopwright.core.errors import Invalid
from loopwright.core.run import R
from loopwright.core.run_commands import RunService
from loopwright.surfaces.commands import COMMANDS, CommandField, CommandRow, create_input
from loopwright.surfaces.server.api_response import ApiResponse
from loopwright.surfaces.server.dependencies import RouteKind, RunRequest, run_response
from loopwright.surfaces.server.requests import Body, Routes, Words, add_example

IN_PATH = re.compile(r"\{(\w+)\}")


def command_routes(routes: RouteKind[R], rows: Iterable[CommandRow]) -> Routes:
    """One `POST` for each command that the kind has."""
    router = Routes(prefix=routes.kind.one, tags=["steering"])
    for row in rows:
        if row.is_on("http", routes.kind.name):
            _add_route(router, routes, row)
    return router


async def run_command(
    row: CommandRow,
    routes: RouteKind[R],
    *,
    one: RunRequest[R],
    service: RunService[R],
    body: Body | None = None,
    **in_path: str,
) -> ApiResponse:
    """Carries it out in a thread; before an agent goes to work, bad prompts are seen here, not only in its log."""
    given = {name.removesuffix("_id"): value for name, value in in_path.items()} | (body.given if body else {})
    if row.effect == "works":
        routes.kind.load_prompts(one.project.engine)
    state = await one.control.run_in_thread(partial(row.handle, service, one.id, **given))
    if message := row.what_was_done(routes.kind.name.capitalize(), given):
        return run_response(state, one.project, message=message)
    return run_response(state, one.project)


async def steer_run(routes: RouteKind[R], one: RunRequest[R], service: RunService[R], command: str) -> ApiResponse:
    """What a request for a bare status stands for. Invalid for what only a runner does."""
    if command not in STEERING:
        raise Invalid(f"nobody can {command} a {routes.kind.name} from outside its runner")
    return await run_command(STEERING[command], routes, one=one, service=service)


STEERING = {row.name: row for row in COMMANDS if row.name in ("start", "resume", "pause", "stop")}


def _add_route(router: Routes, routes: RouteKind[R], row: CommandRow) -> None:
    in_path = set(IN_PATH.findall(row.route))
    in_body = [field for field in row.fields if f"{field.name}_id" not in in_path]
    parameters = [
        _parameter("one", RunRequest, routes.one),
        _parameter("service", RunService, routes.commands),
        *(
            _parameter(f"{field.name}_id", Annotated[str, Path(description=field.option.help)])
            for field in row.fields
            if field not in in_body
        ),
        *_body_parameter(row, in_body),
    ]
    command = partial(run_command, row, routes)
    command.__signature__ = Signature(parameters, return_annotation=ApiResponse)  # type: ignore[attr-defined]  # as FastAPI reads it
    router.add_api_route(
        row.route,
        command,
        methods=["POST"],
        name=row.handle.__name__,
        summary=row.help_for(routes.kind.called).removesuffix("."),
        description=row.details_for(routes.kind.called) or None,
        responses=routes.answers(row.what_was_done(routes.kind.name.capitalize(), row.example)),
    )


def _body_parameter(row: CommandRow, fields: list[CommandField]) -> list[Parameter]:
    """One where it takes anything; it may be left out where everything in it may."""
    if not fields:
        return []
    model = create_input(f"{row.handle.__name__.title().replace('_', '')}Body", Body, fields, _body_type)
    model.__doc__ = row.help_for("run")
    add_example(model, row.example)
    if any(field.is_required for field in fields):
        return [_parameter("body", model)]
    return [_parameter("body", model | None, None)]


def _body_type(field: CommandField) -> Any:  # Any: a type
    if field.type is str:
        return Words
    return Annotated[field.type, Field(strict=False)] if field.is_list else field.type


def _parameter(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:  # Any: as inspect has it
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
