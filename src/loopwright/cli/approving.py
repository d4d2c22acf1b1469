"""`approve`: answering what an agent asks to be permitted."""

from typing import Annotated

import typer

from loopwright.cli.options import HERE, Json, LoopId, Project, opened
from loopwright.cli.output import answer
from loopwright.cli.text import clean
from loopwright.domain.errors import Invalid


def approve(
    loop_id: LoopId,
    request_id: Annotated[
        str | None,
        typer.Argument(metavar="REQUEST", show_default=False, help="Which, where several are open, see show."),
    ] = None,
    allow: Annotated[
        bool | None, typer.Option("--allow/--deny", help="Whether the agent may do it.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every request that is open now.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Allow or deny what an agent asks for."""
    from loopwright.domain.permissions import request_words

    if allow is None:
        raise Invalid("say --allow or --deny")
    if every and request_id is not None:
        raise Invalid("name one request, or give --all alone")
    with opened(project) as engine:
        given = engine.service.approve(loop_id, request_id, answer="allow" if allow else "deny", every=every)
    word = "allowed" if allow else "denied"
    answer(json, given, "\n".join(f"{word} {request.id}: {clean(request_words(request))}" for request in given))
