"""What it means for a caller that a loop rests: the exit code of a command that waited for it."""

from loopwright.domain.engine_state import Outcome
from loopwright.domain.errors import Exit
from loopwright.domain.loop import LoopState

EXITS: dict[Outcome, Exit] = {
    "succeeded": Exit.DONE,
    "unverified": Exit.NO_SUCCESS,
    "exhausted": Exit.NO_SUCCESS,
    "stalled": Exit.NO_SUCCESS,
    "over_budget": Exit.BUDGET,
    "stopped": Exit.NO_SUCCESS,
    "failed": Exit.NO_SUCCESS,
}
"""A loop has an outcome exactly when it is finished."""


def exit_for(state: LoopState) -> Exit:
    """By outcome; a loop that rests without one needs a person to go on."""
    outcome = state.engine.outcome
    return EXITS[outcome] if outcome else Exit.NEEDS_PERSON
