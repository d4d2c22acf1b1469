"""What it means for a caller that a run rests: the exit code of a command that waited for it."""

from loopwright.domain.engine_state import Outcome
from loopwright.domain.errors import Exit
from loopwright.domain.run import Run

EXITS: dict[Outcome, Exit] = {
    "succeeded": Exit.DONE,
    "unproven": Exit.UNPROVEN,
    "unverified": Exit.NO_SUCCESS,
    "exhausted": Exit.NO_SUCCESS,
    "stalled": Exit.NO_SUCCESS,
    "over_budget": Exit.BUDGET,
    "stopped": Exit.NO_SUCCESS,
    "failed": Exit.NO_SUCCESS,
}
"""A run has an outcome exactly when it is finished."""


def exit_for(state: Run) -> Exit:
    """By outcome; one that rests without it needs a person to go on."""
    outcome = state.engine.outcome
    return EXITS[outcome] if outcome else Exit.NEEDS_PERSON
