"""The counter-check: the present product, run once more with the first version of its tests, in a copy."""

from loopwright.domain.engine_state import Baseline
from loopwright.domain.run import R
from loopwright.domain.testing import TestRun
from loopwright.domain.verdict import Doubt, compare, repaired
from loopwright.engine.ground import TestedGround
from loopwright.engine.overlay import Overlay, run_overlay, split_material
from loopwright.engine.threads import in_thread
from loopwright.ports import Snapshot


async def doubt_about(
    ground: TestedGround[R], baseline: Baseline, run: TestRun, here: Snapshot, command: str, *, allowed: bool
) -> Doubt | None:
    """What a comparison has to know of changed tests; None where nothing can owe its pass to them.

    Only tests that failed before and pass now are worth another run, and that only once for each tree.
    """
    fixed = repaired(baseline, run)
    if baseline.commit is None or not (fixed or not run.sources):
        return None
    changes, _ = await in_thread(split_material, ground, baseline.commit, here.commit)
    doubt = Doubt(tuple(change.file for change in changes))
    is_changed = bool(changes) or bool(compare(baseline, run, allow_changes=False, doubt=doubt).suspicious)
    if allowed or not fixed or not is_changed:
        return doubt
    if here.tree not in ground.first_runs:
        ground.bus.publish("activity", "running the first version of the changed tests in a copy")
        files = tuple(change.file for change in changes)
        new = frozenset(change.file for change in changes if change.action == "create")
        first = Overlay(here.commit, baseline.commit, files, new)
        ground.first_runs[here.tree] = await run_overlay(ground, first, command)
    return Doubt(doubt.material, ground.first_runs[here.tree])
