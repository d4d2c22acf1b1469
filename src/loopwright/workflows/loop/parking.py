"""How a limit that an agent has reached lands in a loop, and how the loop goes on after it. Pure."""

from datetime import datetime

from loopwright.core.outcomes import LimitReached
from loopwright.core.parking import is_due, parked_until
from loopwright.core.state import Parked
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.bookkeeping import clear_action
from loopwright.workflows.loop.model import LoopState


def park_at_limit(state: LoopState, outcome: LimitReached, at: str) -> LoopState:
    """Parks the loop, or ends it where it shall not wait; a status that a person chose meanwhile stays."""
    state = clear_action(state)
    if state.status != "running":
        return state
    if not state.engine.settings.park:
        return commands.fail(state, "failed", f"{outcome.reason}; waiting for it is disabled (park)", at)
    row = state.engine.spent.limits_in_a_row + 1
    state = state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(limits_in_a_row=row)))
    named = datetime.fromisoformat(outcome.until) if outcome.until else None
    until = parked_until(named, datetime.fromisoformat(at), row)
    return commands.park(state, Parked(until=until.isoformat(timespec="seconds"), reason=outcome.reason))


def resume_parked(state: LoopState, now: datetime) -> LoopState:
    """Running again once its time has come; unchanged where it is not parked any more."""
    return commands.resume(state, live=True) if state.status == "paused" and is_due(state, now) else state
