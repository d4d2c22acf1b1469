"""`cycle extend` and `cycle edit`: what a cycle shall do more, and within which limits."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.cycles.options import CYCLE_FIELDS
from loopwright.cli.kinds import CYCLES, CycleId
from loopwright.cli.options import HERE, Given, Json, Project, elsewhere, opened, takes
from loopwright.cli.output import answer
from loopwright.cli.steering import how_to_follow

if TYPE_CHECKING:
    from loopwright.domain.cycle import CycleState


def extend(
    cycle_id: CycleId,
    text: Annotated[str, typer.Argument(metavar="TEXT", show_default=False, help="What shall be added or changed.")],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Add to a cycle's task; one at rest runs on with it in the background."""
    with opened(project) as engine:
        engine.load_cycle_prompts()
        state = engine.cycles.extend(cycle_id, text)
    answer(json, state, extended_words(state, elsewhere(project)))


def extended_words(state: "CycleState", at: str) -> str:
    """What becomes of an extension."""
    id = state.cycle_id
    if state.engine.queue:
        return f"{id} takes it in when iteration {state.current_iteration} is over"
    return f"{id} extended, iteration {state.current_iteration} begins; {how_to_follow(CYCLES, state, at)}"


@takes(CYCLE_FIELDS)
def edit(cycle_id: CycleId, given: Given, project: Project = HERE, json: Json = False) -> None:
    """Change a cycle's title and limit; what it shall do is changed by extend."""
    with opened(project) as engine:
        state = engine.cycles.edit(cycle_id, given)
    answer(json, state, f"{cycle_id}: changed {', '.join(given)}")
