"""Taking up a cycle: whatever the last runner left is recorded, and brought up to date. Nothing is discarded."""

from loopwright.cycle.places import broken_off_in
from loopwright.cycle.publish import adopt, publish
from loopwright.cycle.session import CycleSession
from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_engine import UnderWay
from loopwright.domain.cycle_folds import end_step
from loopwright.domain.cycle_names import step_of
from loopwright.domain.cycle_outcomes import CycleStepDone
from loopwright.domain.engine_state import Checkpoint
from loopwright.domain.errors import NotFound
from loopwright.domain.events import Event
from loopwright.domain.outcomes import Interrupted
from loopwright.domain.words import plural
from loopwright.engine.threads import in_thread

BROKEN_OFF = "the runner died"


async def take_over(session: CycleSession, left: tuple[int, ...]) -> None:
    """Runs once, under the lease, before the first step of this process. `left`: processes that were ended."""
    if left:
        session.bus.publish("activity", f"ended {plural(len(left), 'process')} that an earlier runner had left behind")
    adopt(session)
    session.collect()
    state = session.state()
    if state.engine.under_way:
        await _record_interruption(session, state)
    publish(session, session.state())


async def _record_interruption(session: CycleSession, state: CycleState) -> None:
    broken = state.engine.under_way
    halves = {one.step: await half_of(session, one) for one in broken}
    action = broken_off_in(one.step for one in broken)
    snapshot = await session.snapshot(action)
    known = state.engine.checkpoints
    checkpoint = None
    if not known or known[-1].tree != snapshot.tree:
        checkpoint = Checkpoint(n=0, rev=0, commit=snapshot.commit, tree=snapshot.tree, action=action, at=session.now())
    at = session.now()

    def rule(latest: CycleState) -> CycleState:
        for n, one in enumerate(broken):
            done = CycleStepDone(step_of(one.step), Interrupted(BROKEN_OFF), at, half=halves[one.step])
            latest = end_step(latest, done, checkpoint if n == 0 else None)
        return latest

    event = Event(type="taken_over", data={"steps": [one.step for one in broken]})
    session.store.update(session.id, rule, actor="runner", event=event, epoch=session.epoch)


async def half_of(session: CycleSession, one: UnderWay) -> str | None:
    """A commit with what was done in the step's lane so far; None where it has none."""
    if one.lane is None:
        return None
    try:
        kept = await in_thread(session.worktrees.snapshot, session.id, one.lane, f"{one.step}, broken off")
    except NotFound:
        return None
    return kept.commit
