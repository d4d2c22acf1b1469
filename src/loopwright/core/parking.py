"""Parked: paused until an agent's limit has passed. For how long, and how a limit lands in the state. Pure."""

from datetime import datetime, timedelta

from loopwright.core.run import Run

FIRST, LONGEST = timedelta(minutes=15), timedelta(hours=5)
"""How long a limit lasts of which the agent does not say when it ends; twice as long each time in a row."""


def parked_until(named: datetime | None, at: datetime, row: int) -> datetime:
    """When to try again, as the agent names it; where that is over already, or not named, a wait that grows.

    `row`: limits in a row, this one included.
    """
    if named is not None and named > at:
        return named.astimezone(at.tzinfo)
    return at + min(FIRST * (1 << min(row - 1, 10)), LONGEST)


def is_due(state: Run, now: datetime) -> bool:
    """Whether a parked run may go on."""
    parked = state.engine.parked
    return parked is not None and datetime.fromisoformat(parked.until) <= now
