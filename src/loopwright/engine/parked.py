"""A runner whose work is parked: it keeps the lease, and nothing else, until the work goes on or comes to rest."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from loopwright.domain.events import Event
from loopwright.domain.parking import is_due
from loopwright.domain.run import R
from loopwright.engine.ground import Ground

LOOK_SECONDS = 1.0
"""How often the state is looked at: somebody may resume, pause or stop it before its time has come."""


async def until_it_goes_on(
    ground: Ground[R], state: R, rest: Callable[[], Awaitable[None]], goes_on: Callable[[R, datetime], R]
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
        ground.bus.publish("activity", "going on")
    return told is not None and state.status == "running"


def _resumed(ground: Ground[R], goes_on: Callable[[R, datetime], R]) -> R:
    """The latest state, running again if its time has come."""
    now, state = ground.clock.now(), ground.state()
    if not is_due(state, now):
        return state
    event = Event(type="resumed", data={"why": "the limit has passed"})
    return ground.store.update(
        ground.id, lambda state: goes_on(state, now), actor="runner", event=event, epoch=ground.epoch
    )


def _told(until: str) -> str:
    """The time in the zone of this machine."""
    return datetime.fromisoformat(until).astimezone().strftime("%Y-%m-%d %H:%M")
