"""The counter-check: the present product, run once more with the first version of its tests, in a copy."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from loopwright.domain.engine_state import Baseline
from loopwright.domain.run import R
from loopwright.domain.test_material import is_mixed, is_test_material, settings_of
from loopwright.domain.testing import TestRun
from loopwright.domain.verdict import Doubt, compare, repaired
from loopwright.engine.ground import TestedGround
from loopwright.engine.threads import in_thread
from loopwright.ports import FileChange, Snapshot, TestOrder


async def doubt_about(
    ground: TestedGround[R], baseline: Baseline, run: TestRun, here: Snapshot, command: str, *, allowed: bool
) -> Doubt | None:
    """What a comparison has to know of changed tests; None where nothing can owe its pass to them.

    Only tests that failed before and pass now are worth another run, and that only once for each tree.
    """
    fixed = repaired(baseline, run)
    if baseline.commit is None or not (fixed or not run.sources):
        return None
    changes = await in_thread(_changed_material, ground, baseline.commit, here.commit)
    doubt = Doubt(tuple(change.file for change in changes))
    is_changed = bool(changes) or bool(compare(baseline, run, allow_changes=False, doubt=doubt).suspicious)
    if allowed or not fixed or not is_changed:
        return doubt
    if here.tree not in ground.first_runs:
        ground.bus.publish("activity", "running the first version of the changed tests in a copy")
        ground.first_runs[here.tree] = await _run_first(ground, baseline.commit, here.commit, changes, command)
    return Doubt(doubt.material, ground.first_runs[here.tree])


def _changed_material(ground: TestedGround[R], first: str, now: str) -> tuple[FileChange, ...]:
    """Test material that differs between two snapshots, without what test runs have left behind."""
    written = frozenset(ground.state().engine.run_writes)
    changes = [change for change in ground.workspace.changes(first, now) if change.file not in written]
    mixed = _differing_settings(ground, first, now, [c.file for c in changes if is_mixed(c.file)])
    return tuple(change for change in changes if is_test_material(change.file) or change.file in mixed)


def _differing_settings(ground: TestedGround[R], first: str, now: str, files: Sequence[str]) -> frozenset[str]:
    """Those of the mixed files that say something else about the tests than they did."""
    if not files:
        return frozenset()
    with tempfile.TemporaryDirectory(prefix="loopwright-settings-") as name:
        before, after = Path(name, "before"), Path(name, "after")
        ground.workspace.export(first, before, paths=files)
        ground.workspace.export(now, after, paths=files)
        return frozenset(file for file in files if _settings(before, file) != _settings(after, file))


def _settings(folder: Path, file: str) -> object:
    path = folder / file
    return settings_of(file, path.read_bytes().decode("utf-8", "replace")) if path.is_file() else None


async def _run_first(
    ground: TestedGround[R], first: str, now: str, changes: Sequence[FileChange], command: str
) -> TestRun:
    """One run in a copy: the files of `now`, what changed in the tests put back to what it was in `first`."""
    project, settings = ground.workspace.root, ground.state().engine.settings
    with tempfile.TemporaryDirectory(prefix="loopwright-first-", ignore_cleanup_errors=True) as name:
        copy = Path(name).resolve() / project.name
        await in_thread(_lay_out, ground, first, now, changes, copy)
        return await ground.tests.run(TestOrder(
            command.replace(str(project), str(copy)), at=copy, marker=ground.id,
            timeout=settings.test_timeout, silence=settings.silence_timeout,
        ))  # fmt: skip


def _lay_out(ground: TestedGround[R], first: str, now: str, changes: Sequence[FileChange], copy: Path) -> None:
    ground.workspace.export(now, copy, without=[change.file for change in changes])
    ground.workspace.export(first, copy, paths=[change.file for change in changes if change.action != "create"])
    ground.workspace.link_ignored(copy)
