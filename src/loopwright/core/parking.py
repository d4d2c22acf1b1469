"""Parked: paused until an agent's limit has passed. For how long, and how a limit lands in the state. Pure."""

from datetime import datetime, timedelta

from loopwright.core.run import Run
from loopwright.core.state import Parked
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.bookkeeping import idle
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import LimitReached

FIRST, LONGEST = timedelta(minutes=15), timedelta(hours=5)
"""How long a limit lasts of which the agent does not say when it ends; twice as long each time in a row."""


def parked_until(named: datetime | None, at: datetime, row: int) -> datetime:
    """When to try again, as the agent names it; where that is over already, or not named, a wait that grows.

    `row`: limits in a row, this one included.
    """
    if named is not None and named > at:
        return named.astimezone(at.tzinfo)
    return at + min(FIRST * (1 << min(row - 1, 10)), LONGEST)


def limit_lands(state: LoopState, outcome: LimitReached, at: str) -> LoopState:
    """Parks the loop, or ends it where it shall not wait; a status that a person chose meanwhile stays."""
    state = idle(state)
    if state.status != "running":
        return state
    if not state.engine.settings.park:
        return commands.fail(state, "failed", f"{outcome.reason}; waiting for that is switched off (park)", at)
    row = state.engine.spent.limits_in_a_row + 1
    state = state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(limits_in_a_row=row)))
    named = datetime.fromisoformat(outcome.until) if outcome.until else None
    until = parked_until(named, datetime.fromisoformat(at), row)
    return commands.park(state, Parked(until=until.isoformat(timespec="seconds"), reason=outcome.reason))


def is_due(state: Run, now: datetime) -> bool:
    """Whether a parked run may go on."""
    parked = state.engine.parked
    return parked is not None and datetime.fromisoformat(parked.until) <= now


def goes_on(state: LoopState, now: datetime) -> LoopState:
    """Running again once its time has come; unchanged where it is not parked any more."""
    return commands.resume(state, live=True) if state.status == "paused" and is_due(state, now) else state
