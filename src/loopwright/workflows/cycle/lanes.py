"""Where cd works on a task: in the project itself, or in a lane beside it whose result is merged."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from loopwright.core.cycle_names import CycleStep
from loopwright.core.errors import Conflict, NotFound
from loopwright.core.outcomes import Change
from loopwright.core.ports import Snapshot
from loopwright.core.threads import run_in_thread
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.session import CycleSession

MERGES = 5
"""How often a task's work is merged anew because something else has changed meanwhile."""


class MergeConflict(NamedTuple):
    """Files that the lane holds in two versions, and what was said of them; none when all is good."""

    files: tuple[str, ...] = ()
    told: str = ""


GOOD = MergeConflict()


@dataclass(frozen=True)
class WorkFolder:
    """A folder that holds the project; `lane` None: it is the project. `before`: what it held when the task began.

    Of a task that was broken off: `unsettled`, where it contradicts what the project is now, and `taken_in`, what had
    come into the project already and is in nobody's account.
    """

    path: Path
    before: Snapshot
    lane: int | None = None
    unsettled: MergeConflict = GOOD
    taken_in: tuple[Change, ...] = ()


def interruption_label(keys: Iterable[str]) -> str:
    """The name of a checkpoint that was made in the middle of these steps."""
    return f"interrupted {', '.join(keys)}"


def lane_of(state: CycleState, step: CycleStep) -> int | None:
    return next((one.lane for one in state.engine.under_way if one.step == step.key), None)


def free_lane(state: CycleState) -> int | None:
    """The lane of a task that begins now; None: it works in the project, because nobody works beside it."""
    if state.engine.parallel == 1:
        return None
    taken = {one.lane for one in state.engine.under_way}
    return next(lane for lane in range(1, state.engine.parallel + 2) if lane not in taken)


async def prepare_folder(session: CycleSession, step: CycleStep) -> WorkFolder:
    """The step's place, with what an earlier try has left of it half done."""
    state = session.state()
    before = await session.snapshot(f"before {step.task}")
    lane = lane_of(state, step)
    if lane is None:
        return WorkFolder(session.workspace.root, _before_it_began(state, step) or before)
    commit, unsettled = before.commit, GOOD
    taken_in: tuple[Change, ...] = ()
    if half := state.engine.half.get(step.key):
        merged = await run_in_thread(session.worktrees.merge, session.id, before.commit, half, f"taking up {step.task}")
        files = merged.conflicts or await _marked(session, before.commit, merged.commit)
        if not files or not session.able("cd").measures:
            commit, unsettled = merged.commit, MergeConflict(files, merged.told)
        taken_in = await _came_in(session, half, before.commit)
    path = await run_in_thread(session.worktrees.open, session.id, lane, commit)
    return WorkFolder(path, before, lane, unsettled, taken_in)


def _before_it_began(state: CycleState, step: CycleStep) -> Snapshot | None:
    """What the project held before the first of the step's tries that were broken off in it; None where none was."""
    known = list(state.engine.checkpoints)
    broken_off = False
    while known and known[-1].action == interruption_label((step.key,)):
        broken_off = bool(known.pop())
    return Snapshot(known[-1].commit, known[-1].tree) if broken_off and known else None


async def _came_in(session: CycleSession, half: str, now: str) -> tuple[Change, ...]:
    """What earlier tries have changed in the project itself, the last of which has left `half` in its lane.

    A commit in a lane has one parent, what the lane was opened with; that has the half of the try before as its second.
    """
    files: set[str] = set()
    last: str | None = half
    while last is not None:
        opened = f"{last}^"
        files.update(_names(await changes_between(session, opened, last)))
        last = await _known(session, f"{opened}^2")
    return tuple(change for change in await changes_between(session, opened, now) if change.file in files)


async def _known(session: CycleSession, commit: str) -> str | None:
    try:
        await changes_between(session, commit, commit)
    except NotFound:
        return None
    return commit


async def snapshot_of(session: CycleSession, place: WorkFolder, label: str) -> Snapshot:
    if place.lane is None:
        return await session.snapshot(label)
    return await run_in_thread(session.worktrees.snapshot, session.id, place.lane, label)


async def merge_lane(session: CycleSession, place: WorkFolder, label: str) -> tuple[tuple[Change, ...], MergeConflict]:
    """Merges the lane into the project: what that has changed there, or what the lane holds in both versions.

    What somebody changes in the project meanwhile is merged with, never written over. Marks of a conflict that somebody
    has left are never merged.
    """
    assert place.lane is not None, "the project needs no merge"
    for _ in range(MERGES):
        theirs = await snapshot_of(session, place, label)
        if left := await _marked(session, place.before.commit, theirs.commit):
            return (), MergeConflict(left, "Conflict markers are still there.")
        ours = await session.snapshot(f"before merging {label}")
        merged = await run_in_thread(session.worktrees.merge, session.id, ours.commit, theirs.commit, label)
        if merged.conflicts:
            await run_in_thread(session.worktrees.open, session.id, place.lane, merged.commit)
            return (), MergeConflict(merged.conflicts, merged.told)
        changes = await changes_between(session, ours.commit, merged.commit)
        try:
            if changes:
                await run_in_thread(session.workspace.restore, merged.commit, _names(changes), over=ours.commit)
        except Conflict as error:
            session.bus.publish("activity", f"{label}: the project has changed meanwhile, merging again ({error})")
        else:
            return changes, GOOD
    raise Conflict(f"{label} could not be merged: the project's files keep changing")


async def _marked(session: CycleSession, before: str, after: str) -> tuple[str, ...]:
    """Files with marks of a conflict that they did not have before."""
    changed = _names(await changes_between(session, before, after))
    marked = await run_in_thread(session.worktrees.unresolved, after, changed)
    known = await run_in_thread(session.worktrees.unresolved, before, marked) if marked else ()
    return tuple(file for file in marked if file not in known)


async def changes_between(session: CycleSession, before: str, after: str) -> tuple[Change, ...]:
    found = await run_in_thread(session.workspace.changes, before, after)
    return tuple(Change(change.file, change.action) for change in found)


def _names(changes: Iterable[Change]) -> tuple[str, ...]:
    return tuple(change.file for change in changes)
