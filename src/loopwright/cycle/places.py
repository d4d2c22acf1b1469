"""Where cd works on a task: in the project itself, or in a lane beside it whose result is merged."""

from dataclasses import dataclass
from pathlib import Path

from loopwright.cycle.session import CycleSession
from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_names import CycleStep
from loopwright.domain.errors import Conflict
from loopwright.domain.outcomes import Change
from loopwright.engine.threads import in_thread
from loopwright.ports import Snapshot

MERGES = 5
"""How often a task's work is merged anew because something else has changed meanwhile."""


@dataclass(frozen=True)
class Place:
    """A folder that holds the project; `lane` None: it is the project. `before`: what it held when the task began."""

    path: Path
    before: Snapshot
    lane: int | None = None


def lane_of(state: CycleState, step: CycleStep) -> int | None:
    return next((one.lane for one in state.engine.under_way if one.step == step.key), None)


def free_lane(state: CycleState) -> int | None:
    """The lane of a task that begins now; None: it works in the project, because nobody works beside it."""
    if state.engine.parallel == 1:
        return None
    taken = {one.lane for one in state.engine.under_way}
    return next(lane for lane in range(1, state.engine.parallel + 2) if lane not in taken)


async def place_for(session: CycleSession, step: CycleStep) -> Place:
    """The step's place, with what an earlier runner has left of it half done."""
    state = session.state()
    before = await session.snapshot(f"before {step.task}")
    lane = lane_of(state, step)
    if lane is None:
        return Place(session.workspace.root, before)
    commit = before.commit
    if half := state.engine.half.get(step.key):
        merged = await in_thread(session.worktrees.merge, session.id, before.commit, half, f"taking up {step.task}")
        commit = before.commit if merged.conflicts else merged.commit
    path = await in_thread(session.worktrees.open, session.id, lane, commit)
    return Place(path, before, lane)


async def changes_in(session: CycleSession, place: Place, label: str) -> tuple[Change, ...]:
    """What differs from the beginning of the task."""
    now = await snapshot_of(session, place, label)
    found = await in_thread(session.workspace.changes, place.before.commit, now.commit)
    return tuple(Change(change.file, change.action) for change in found)


async def snapshot_of(session: CycleSession, place: Place, label: str) -> Snapshot:
    if place.lane is None:
        return await session.snapshot(label)
    return await in_thread(session.worktrees.snapshot, session.id, place.lane, label)


async def bring_in(session: CycleSession, place: Place, label: str) -> tuple[str, ...]:
    """Merges the lane into the project; paths in conflict, which the lane holds then in both versions.

    What somebody changes in the project meanwhile is merged with, never written over.
    """
    assert place.lane is not None, "the project needs no merge"
    for _ in range(MERGES):
        theirs = await snapshot_of(session, place, label)
        ours = await session.snapshot(f"before merging {label}")
        merged = await in_thread(session.worktrees.merge, session.id, ours.commit, theirs.commit, label)
        if merged.conflicts:
            await in_thread(session.worktrees.open, session.id, place.lane, merged.commit)
            return merged.conflicts
        changed = await in_thread(session.workspace.changes, ours.commit, merged.commit)
        if not changed:
            return ()
        try:
            files = [change.file for change in changed]
            await in_thread(session.workspace.restore, merged.commit, files, over=ours.commit)
        except Conflict as error:
            session.bus.publish("activity", f"{label}: the project has changed meanwhile, merging again ({error})")
            continue
        return ()
    raise Conflict(f"{label} could not be merged: the project's files keep changing under it")
