"""Taking up a loop: whatever the last runner left is recorded, and brought up to date. Nothing is discarded."""

from collections.abc import Sequence

from loopwright.actions.publish import missing_changes, publish
from loopwright.actions.session import Session
from loopwright.domain.engine_state import Checkpoint
from loopwright.domain.events import Entry, Event
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_folds import ACTION_OF, end_action
from loopwright.domain.outcomes import Interrupted, Step
from loopwright.domain.words import plural

BROKEN_OFF = "the runner died"


async def take_over(session: Session, left: tuple[int, ...]) -> None:
    """Runs once, under the lease, before the first step of this process. `left`: processes that were ended."""
    if left:
        session.bus.publish("activity", f"ended {plural(len(left), 'process')} that an earlier runner had left behind")
    state = session.state()
    if _under_way(state):
        await _record_interruption(session, state)
    entries = session.store.events(session.id)
    session.last_result = last_result(entries)
    publish(session, session.state(), missing_changes(session, entries))


def last_result(entries: Sequence[Entry]) -> tuple[str, str] | None:
    """The action that ended last, and how: what the next message to an agent begins with."""
    for entry in reversed(entries):
        match entry.event.type, entry.event.data:  # a journal may hold forged events, with anything in them
            case "taken_over", {"action": str(action)}:
                return action, BROKEN_OFF
            case "action_finished", {"action": str(action), "result": str(result)}:
                return action, result
    return None


def _under_way(state: LoopState) -> bool:
    return state.skill_state is not None and state.skill_state.current_action not in (None, "complete")


async def _record_interruption(session: Session, state: LoopState) -> None:
    assert state.skill_state is not None
    assert state.skill_state.current_action is not None
    action = ACTION_OF[state.skill_state.current_action]
    snapshot = await session.snapshot(f"interrupted {action}")
    known = state.engine.checkpoints
    checkpoint = None
    if not known or known[-1].tree != snapshot.tree:
        checkpoint = Checkpoint(
            n=0, rev=0, commit=snapshot.commit, tree=snapshot.tree, action=f"interrupted {action}", at=session.now()
        )
    step = Step(action=action, outcome=Interrupted(BROKEN_OFF), at=session.now(), token=session.clock.token())
    session.store.update(
        session.id, lambda latest: end_action(latest, step, checkpoint), actor="runner",
        event=Event(type="taken_over", data={"action": action}), epoch=session.epoch,
    )  # fmt: skip
