"""Commands that only loops have, and need no runner in this process."""

from typing import Annotated

import typer

from loopwright.cli.kinds import LoopId
from loopwright.cli.options import HERE, LOOP_FIELDS, Given, Json, Project, opened, takes
from loopwright.cli.output import answer


@takes(LOOP_FIELDS)
def edit(loop_id: LoopId, given: Given, project: Project = HERE, json: Json = False) -> None:
    """Change a loop's texts and limits; an empty --tag or --notes removes what is there."""
    if "tags" in given:
        given["tags"] = tuple(tag for tag in given["tags"] if tag.strip())
    with opened(project) as engine:
        state = engine.service.edit(loop_id, given)
    answer(json, state, f"{loop_id}: changed {', '.join(given)}")


def rewind(
    loop_id: LoopId,
    to: Annotated[int, typer.Option("--to", metavar="N", help="Number of the checkpoint.", show_default=False)],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Put files and progress back to a checkpoint."""
    with opened(project) as engine:
        state = engine.service.rewind(loop_id, to)
    kept = state.engine.checkpoints[-1].n
    answer(json, state, f"{loop_id} is back at checkpoint {to}; what was there is kept as checkpoint {kept}")
