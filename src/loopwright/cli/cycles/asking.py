"""`cycle decide` and `cycle resolve`: what the roles ask of a person."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.choosing import taken_words
from loopwright.cli.kinds import CycleId
from loopwright.cli.options import HERE, Json, Project, elsewhere, opened
from loopwright.cli.output import answer

if TYPE_CHECKING:
    from loopwright.domain.cycle import CycleState


def decide(
    cycle_id: CycleId,
    decision: Annotated[str, typer.Argument(metavar="DECISION", show_default=False, help="Which, see show.")],
    option: Annotated[str, typer.Argument(metavar="OPTION", show_default=False, help="One of its options.")],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Make a decision that a role has left to you."""
    with opened(project) as engine:
        state = engine.cycles.decide(cycle_id, decision, option)
    answer(json, state, f"{decision} is decided: {option}{_further(state, elsewhere(project))}")


def resolve(
    cycle_id: CycleId,
    blocker: Annotated[str, typer.Argument(metavar="BLOCKER", show_default=False, help="Which, see show.")],
    resolution: Annotated[str, typer.Argument(metavar="TEXT", show_default=False, help="What was done about it.")],
    workaround: Annotated[
        bool, typer.Option("--workaround", help="It is still there, and there is a way around it.")
    ] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Settle what keeps a role from going on."""
    with opened(project) as engine:
        state = engine.cycles.resolve(cycle_id, blocker, resolution, workaround=workaround)
    word = "worked around" if workaround else "resolved"
    answer(json, state, f"{blocker} is {word}{_further(state, elsewhere(project))}")


def choose(
    cycle_id: CycleId,
    rival: Annotated[str, typer.Argument(metavar="RIVAL", show_default=False, help="Which, see show: rival-1, …")],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Put another edit that passes the same tests in the place of a patch."""
    with opened(project) as engine:
        state = engine.cycles.choose(cycle_id, rival)
    answer(json, state, f"{cycle_id}: {taken_words('loopwright cycle', rival, state, cycle_id, elsewhere(project))}")


def _further(state: "CycleState", at: str) -> str:
    """What is open still, else how to go on."""
    undecided = [decision.id for decision in state.coordination.undecided]
    if undecided:
        return f"; still to be decided: {', '.join(undecided)}"
    if state.status == "paused":
        return f"; go on with: loopwright cycle resume {state.cycle_id}{at}"
    return ""
