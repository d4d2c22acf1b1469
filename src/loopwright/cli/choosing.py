"""`choose`: the next step of an interactive loop that runs in the background."""

from typing import Annotated

import typer

from loopwright.cli.kinds import LoopId
from loopwright.cli.options import HERE, Json, Project, opened
from loopwright.cli.output import answer

DONE = {
    "add": "the task is added; the menu stays open",
    "raise": "the limit is raised; the menu stays open",
    "exit": "the loop is left; it can be resumed",
}
"""What comes of a choice, where that is no action."""


def choose(
    loop_id: LoopId,
    choice: Annotated[
        str, typer.Argument(metavar="CHOICE", show_default=False, help="An entry of its menu, see show: develop, …")
    ],
    description: Annotated[
        str | None, typer.Argument(metavar="[DESCRIPTION]", show_default=False, help="Of the task, for add.")
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="Who does it, for add.")] = None,
    command: Annotated[
        str | None, typer.Option("--command", metavar="CMD", help="What a bash task runs, for add.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Choose the next step of an interactive loop in the background."""
    typed = {"description": description, "tool": tool, "command": command}
    with opened(project) as engine:
        given = {name: value for name, value in typed.items() if value is not None}
        state = engine.service.choose(loop_id, choice, **given)
    answer(json, state, f"{loop_id}: {DONE.get(choice, f'{choice} is next')}")
