"""Taking up what was left behind: loops whose runner died, and parked ones whose time has come."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from loopwright.domain.errors import Conflict, IllegalTransition
from loopwright.domain.loop import LoopState, LoopStatus
from loopwright.domain.parking import is_due
from loopwright.engine.service import LoopService

PAGE = 200


@dataclass(frozen=True)
class Taken:
    """One loop the supervisor looked at; `problem` says why it could not be resumed."""

    loop_id: str
    title: str
    problem: str | None = None


def resume_all(service: LoopService, now: datetime) -> tuple[Taken, ...]:
    """Starts a runner for every orphaned loop, and for every parked one whose limit has passed."""
    return tuple(taken_up(service, state) for state in left_behind(service, now))


def left_behind(service: LoopService, now: datetime) -> tuple[LoopState, ...]:
    """Running without a runner, or parked until a time that is over."""
    orphaned = (state for state in _all(service, "running") if not service.is_live(state.loop_id))
    due = (state for state in _all(service, "paused") if is_due(state, now))
    return (*orphaned, *due)


def taken_up(service: LoopService, state: LoopState) -> Taken:
    """Somebody else may be faster: that is not an error, but told."""
    try:
        service.resume(state.loop_id)
    except (IllegalTransition, Conflict) as problem:
        return Taken(state.loop_id, state.title, str(problem))
    return Taken(state.loop_id, state.title)


def _all(service: LoopService, status: LoopStatus) -> Iterator[LoopState]:
    offset = 0
    while items := service.list(status=status, limit=PAGE, offset=offset).items:
        yield from items
        offset += len(items)
