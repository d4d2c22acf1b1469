"""Taking up what was left behind: runs whose runner died or never came, and parked ones whose time has come."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from loopwright.domain.errors import Conflict, IllegalTransition
from loopwright.domain.parking import is_due
from loopwright.domain.run import R, Run
from loopwright.engine.runs import Runs

PAGE = 200
LAUNCH = timedelta(seconds=15)
"""How long a run that says running may be without a process before nobody is coming."""


@dataclass(frozen=True)
class Taken:
    """One run the supervisor looked at; `problem` says why it could not be resumed."""

    id: str
    title: str
    problem: str | None = None


def resume_all(service: Runs[R], now: datetime) -> tuple[Taken, ...]:
    """Starts a runner for every orphaned run, and for every parked one whose limit has passed."""
    return tuple(taken_up(service, state) for state in left_behind(service, now))


def left_behind(service: Runs[R], now: datetime) -> tuple[R, ...]:
    """Running without a runner, or parked until a time that is over."""
    id_of = service.rules.id_of
    orphaned = (
        state for state in _all(service, "running") if not service.awaits(state) and not service.is_live(id_of(state))
    )
    due = (state for state in _all(service, "paused") if is_due(state, now))
    return (*orphaned, *due)


def is_launched(state: Run, now: datetime, patience: timedelta = LAUNCH) -> bool:
    """Whether its process may still be on the way. A program that wrote running into the file has sent none."""
    if state.status != "running" or state.updated_at is None:
        return False
    return abs(now - datetime.fromisoformat(state.updated_at)) < patience


def taken_up(service: Runs[R], state: R) -> Taken:
    """Somebody else may be faster: that is not an error, but told."""
    id = service.rules.id_of(state)
    try:
        service.resume(id)
    except (IllegalTransition, Conflict) as problem:
        return Taken(id, state.title, str(problem))
    return Taken(id, state.title)


def _all(service: Runs[R], status: str) -> Iterator[R]:
    offset = 0
    while items := service.list(status=status, limit=PAGE, offset=offset).items:
        yield from items
        offset += len(items)
