"""`choose`: the next step of an interactive loop that runs in the background, or a rival of a patch at rest."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.kinds import LoopId
from loopwright.cli.options import HERE, Json, Project, elsewhere, opened
from loopwright.cli.output import answer

if TYPE_CHECKING:
    from loopwright.domain.cycle import CycleState
    from loopwright.domain.loop import LoopState

DONE = {
    "add": "the task is added; the menu stays open",
    "raise": "the limit is raised; the menu stays open",
    "exit": "the loop is left; it can be resumed",
}
"""What comes of a choice, where that is no action."""


def choose(
    loop_id: LoopId,
    choice: Annotated[
        str,
        typer.Argument(metavar="CHOICE", show_default=False, help="Of its menu, or a rival of its patch; see show."),
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
    """Choose the next step of an interactive loop in the background, or another edit in the place of its patch."""
    typed = {"description": description, "tool": tool, "command": command}
    with opened(project) as engine:
        given = {name: value for name, value in typed.items() if value is not None}
        state = engine.service.choose(loop_id, choice, **given)
    answer(json, state, f"{loop_id}: {_done(choice, state, elsewhere(project))}")


def _done(choice: str, state: "LoopState", at: str) -> str:
    from loopwright.domain.rivals import RIVAL

    if not RIVAL.fullmatch(choice) or state.engine.menu is not None:
        return DONE.get(choice, f"{choice} is next")
    return taken_words("loopwright", choice, state, state.loop_id, at)


def taken_words(line: str, rival: str, state: "LoopState | CycleState", id: str, at: str) -> str:
    """That a rival is in the place of the patch, and what is to be done about its validation."""
    if state.status == "running":
        return f"{rival} is in the place of the patch, and is validated; follow it with: {line} watch {id}{at}"
    return f"{rival} is in the place of the patch; have it validated with: {line} resume {id}{at}"
