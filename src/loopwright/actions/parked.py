"""A runner whose loop is parked: it keeps the lease, and nothing else, until the loop goes on or comes to rest."""

from datetime import datetime

from loopwright.actions.session import Session
from loopwright.domain.events import Event
from loopwright.domain.loop import LoopState
from loopwright.domain.parking import goes_on, is_due

LOOK_SECONDS = 1.0
"""How often the state is looked at: somebody may resume, pause or stop the loop before its time has come."""


async def until_it_goes_on(session: Session, state: LoopState) -> bool:
    """Waits while the loop is parked; True when it runs again, False when it rests."""
    told: str | None = None
    while state.status == "paused" and (parked := state.engine.parked):
        if parked.until != told:
            told = parked.until
            await session.turns.rest()
            session.bus.publish("activity", f"parked until {_told(told)}: {parked.reason}")
        await session.clock.sleep(LOOK_SECONDS)
        state = _resumed(session)
    if told and state.status == "running":
        session.bus.publish("activity", "going on")
    return told is not None and state.status == "running"


def _resumed(session: Session) -> LoopState:
    """The latest state, running again if its time has come."""
    now, state = session.clock.now(), session.state()
    if not is_due(state, now):
        return state
    event = Event(type="resumed", data={"why": "the limit has passed"})
    return session.store.update(
        session.id, lambda state: goes_on(state, now), actor="runner", event=event, epoch=session.epoch
    )


def _told(until: str) -> str:
    """The time in the zone of this machine."""
    return datetime.fromisoformat(until).astimezone().strftime("%Y-%m-%d %H:%M")
