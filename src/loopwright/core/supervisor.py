"""Taking up what was left behind: runs whose runner died or never came, and parked ones whose time has come."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from loopwright.core.context import RunContext
from loopwright.core.errors import Conflict, IllegalTransition
from loopwright.core.pause import is_due
from loopwright.core.run import R, Run
from loopwright.core.run_commands import RunService

PAGE = 200
LAUNCH_TIMEOUT = timedelta(seconds=15)
"""How long a run that says running may be without a process before nobody is coming."""


@dataclass(frozen=True)
class ResumeResult:
    """One run the supervisor looked at; `problem` says why it could not be resumed."""

    id: str
    title: str
    problem: str | None = None


def resume_all(service: RunService[R], now: datetime) -> tuple[ResumeResult, ...]:
    """Starts a runner for every orphaned run, and for every parked one whose limit has passed."""
    return tuple(resume_run(service, state) for state in list_orphans(service, now))


def list_orphans(service: RunService[R], now: datetime) -> tuple[R, ...]:
    """Running without a runner, or parked until a time that is over; not what is in the fleet's hands."""
    id_of = service.rules.id_of
    orphaned = (
        state for state in _all(service, "running") if not service.awaits(state) and not service.is_live(id_of(state))
    )
    due = (state for state in _all(service, "paused") if is_due(state, now))
    return tuple(state for state in (*orphaned, *due) if not service.is_elsewhere(id_of(state)))


def is_launched(state: Run, now: datetime, patience: timedelta = LAUNCH_TIMEOUT) -> bool:
    """Whether its process may still be on the way. A program that wrote running into the file has sent none."""
    if state.status != "running" or state.updated_at is None:
        return False
    return abs(now - datetime.fromisoformat(state.updated_at)) < patience


def resume_run(service: RunService[R], state: R) -> ResumeResult:
    """Somebody else may be faster: that is not an error, but told."""
    id = service.rules.id_of(state)
    try:
        service.resume(id)
    except (IllegalTransition, Conflict) as problem:
        return ResumeResult(id, state.title, str(problem))
    return ResumeResult(id, state.title)


def _all(service: RunService[R], status: str) -> Iterator[R]:
    offset = 0
    while items := service.list(status=status, limit=PAGE, offset=offset).items:
        yield from items
        offset += len(items)


LOOK_SECONDS = 1.0
"""How often the state is looked at: somebody may resume, pause or stop it before its time has come."""


async def wait_until_resumed(
    ground: RunContext[R], state: R, rest: Callable[[], Awaitable[None]], goes_on: Callable[[R, datetime], R]
) -> bool:
    """Waits while the state is parked; True when it runs again, False when it rests.

    `rest` closes what was open; `goes_on` is the rule that resumes it once its time has come.
    """
    told: str | None = None
    while state.status == "paused" and (parked := state.engine.parked):
        if parked.until != told:
            told = parked.until
            await rest()
            ground.bus.publish("activity", f"parked until {_told(told)}: {parked.reason}")
        await ground.clock.sleep(LOOK_SECONDS)
        state = _resumed(ground, goes_on)
    if told and state.status == "running":
        ground.bus.publish("activity", "continuing")
    return told is not None and state.status == "running"


def _resumed(ground: RunContext[R], goes_on: Callable[[R, datetime], R]) -> R:
    """The latest state, running again if its time has come."""
    now, state = ground.clock.now(), ground.state()
    if not is_due(state, now):
        return state
    return ground.commit(lambda state: goes_on(state, now), "resumed", why="the limit has reset")


def _told(until: str) -> str:
    """The time in the zone of this machine."""
    return datetime.fromisoformat(until).astimezone().strftime("%Y-%m-%d %H:%M")
