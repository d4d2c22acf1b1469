"""What happens in between: stops at every moment, other hands on the files, disks that are full, runners that die."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, WorkspaceError
from loopwright.core.run_events import EventBus
from loopwright.store.files import FileStore
from loopwright.wiring.stores import TUNINGS
from loopwright.workflows.tuning.model import TuningState, TuningStep
from loopwright.workflows.tuning.reducer import begin_step
from tests.fakes import FakeClock
from tests.tune.session.stage import MENDED, SICK, TuneStage, lay_out, texts

ONE_MENDED = SICK | {"SKILL.md": SICK["SKILL.md"].replace("first/", "phases/")}


def at_nth(n: int, do: Callable[[], object], among: str = "") -> Callable[[str], None]:
    """Does it once, at the nth moment whose words begin so."""
    left = [n]

    def meddle(what: str) -> None:
        if what.startswith(among):
            left[0] -= 1
            if left[0] == -1:
                do()

    return meddle


def never(what: str) -> None: ...


def is_what_it_says(state: TuningState, root: Path) -> None:
    """In the files is what has held, and nothing else."""
    held = [fix.fix_id for fix in state.applied_fixes if fix.verification_result == "pass"]
    expected = {(): SICK, ("FIX-001",): ONE_MENDED, ("FIX-001", "FIX-002"): MENDED}[tuple(held)]
    assert texts(root) == expected


async def test_a_stop_at_every_moment(stage: TuneStage) -> None:
    """Before, in and after each step, in the middle of writing, and while it is rolled back."""
    moments: list[str] = []
    stage.meddle = moments.append
    await stage.tuned(stage.skill())
    moments = [one for one in moments if not one.startswith("activity")]
    stopped = 0
    for n in range(len(moments)):
        root = stage.skill(name=f"skill-{n}")
        id = stage.create(root)

        def stop(id: str = id) -> None:
            stage.stop(id)

        stage.meddle = at_nth(n, stop) if n else never
        stage.meddle = _not_activity(stage.meddle)
        if not n:
            stage.stop(id)
        try:
            state = await stage.drive(id)
        except Exception as error:
            if "Cannot stop tuning session with status: completed" in str(error):
                continue
            raise
        is_what_it_says(state, root)
        assert state.engine.undo == ()
        if state.engine.outcome == "stopped":
            stopped += 1
            assert all(fix.verification_result != "pending" for fix in state.applied_fixes)
    assert stopped >= len(moments) - 3, "the end cannot be stopped any more"


def _not_activity(meddle: Callable[[str], None]) -> Callable[[str], None]:
    return lambda what: None if what.startswith("activity") else meddle(what)


class TestOtherHands:
    async def test_a_file_that_changed_since_the_diagnosis_is_left_alone(self, stage: TuneStage) -> None:
        root = stage.skill()
        mine = SICK["SKILL.md"] + "\nMy own words.\n"
        stage.meddle = at_nth(0, lambda: (root / "SKILL.md").write_text(mine), "action action-apply-fix")
        state = await stage.tuned(root)
        assert texts(root) == SICK | {"SKILL.md": mine}
        assert (state.status, state.applied_fixes) == ("completed", ())
        assert set(state.engine.dropped.values()) == {"SKILL.md changed since the diagnosis"}
        assert "not applied: SKILL.md changed since the diagnosis" in stage.document(state.tuning_id, "report.md")

    async def test_one_that_changes_in_the_last_moment_too(self, stage: TuneStage) -> None:
        """It is tried again, and then found to be another one."""
        root = stage.skill()
        mine = SICK["SKILL.md"] + "\nMy own words.\n"
        stage.meddle = at_nth(0, lambda: (root / "SKILL.md").write_text(mine), "before apply")
        state = await stage.tuned(root)
        assert texts(root) == SICK | {"SKILL.md": mine}
        assert (state.status, state.applied_fixes, state.error_count) == ("completed", (), 1)

    async def test_a_file_that_changes_between_apply_and_verify(self, stage: TuneStage) -> None:
        """Nobody's words are lost: what is in the file stays, it is said where the old content lies."""
        root = stage.skill()
        mine = ONE_MENDED["SKILL.md"] + "\nMy own words.\n"
        stage.meddle = at_nth(0, lambda: (root / "SKILL.md").write_text(mine), "after apply")
        id = stage.create(root)
        state = await stage.drive(id)
        assert texts(root)["SKILL.md"] == mine
        assert (state.status, state.engine.undo) == ("failed", ())
        told = [one.message for one in state.engine.incidents if one.kind == "not_put_back"]
        assert len(told) == 1
        assert "FIX-001 is still in the skill's files: SKILL.md changed since the fix" in told[0]
        assert str(stage.store.progress_path(id) / "backups" / "FIX-001") in told[0]
        assert "FIX-001 is still in the skill" in stage.document(id, "report.md")
        assert (await stage.drive(id)).status == "failed", "it does not block"

    async def test_what_could_not_be_put_back_can_be_once_it_is_settled(self, stage: TuneStage) -> None:
        root = stage.skill()
        mine = ONE_MENDED["SKILL.md"] + "\nMy own words.\n"
        stage.meddle = at_nth(0, lambda: (root / "SKILL.md").write_text(mine), "after apply")
        state = await stage.tuned(root)
        stage.meddle = never
        with pytest.raises(Conflict, match="changed since the fix"):
            stage.service.roll_back(state.tuning_id, "FIX-001")
        (root / "SKILL.md").write_text(ONE_MENDED["SKILL.md"])
        stage.service.roll_back(state.tuning_id, "FIX-001")
        assert texts(root) == SICK

    async def test_a_stop_that_can_not_put_back_says_so_too(self, stage: TuneStage) -> None:
        """The runner is gone: whoever stops it does it."""
        root = stage.skill()
        id = stage.create(root)
        stage.meddle = at_nth(0, lambda: _die(), "action action-verify")
        with pytest.raises(BaseExceptionGroup):
            await stage.drive(id)
        stage.meddle = never
        (root / "SKILL.md").write_text("---\nname: notes\ndescription: d\n---\nmine\n")
        state = await stage.service.stop(id)
        assert (state.engine.outcome, state.engine.undo) == ("stopped", ())
        assert [one.kind for one in state.engine.incidents] == ["not_put_back"]
        assert "mine" in texts(root)["SKILL.md"]

    async def test_two_sessions_on_one_skill(self, stage: TuneStage) -> None:
        """Each fix gets in once; none is lost, and neither session harms what the other has done."""
        root = stage.skill()
        one, two = stage.create(root), stage.create(root)
        states = await asyncio.gather(stage.drive(one), stage.drive(two))
        assert texts(root) == MENDED
        assert all(state.status in ("completed", "failed") for state in states)
        held = [fix for state in states for fix in state.applied_fixes if fix.verification_result == "pass"]
        assert len(held) == 2

    async def test_a_session_has_one_runner(self, stage: TuneStage) -> None:
        id = stage.create(stage.skill())
        with stage.store.lease(id), pytest.raises(Conflict):
            await stage.runner().drive(id, take_up=lambda state: state, bus=EventBus())


class TestErrors:
    async def test_three_of_them_end_it(self, stage: TuneStage) -> None:
        def full() -> None:
            raise WorkspaceError("the skill cannot be changed, and is as it was: No space left on device")

        root = stage.skill()
        stage.meddle = lambda what: full() if what == "before apply" else None
        state = await stage.tuned(root)
        assert texts(root) == SICK
        assert (state.status, state.engine.outcome, state.error_count) == ("failed", "failed", 3)
        assert [error.recoverable for error in state.errors] == [True] * 3
        assert "No space left on device" in str(state.failure_reason)
        assert "3 errors happened" in str(state.failure_reason)

    async def test_a_disk_that_is_full_for_a_moment(self, stage: TuneStage) -> None:
        def full() -> None:
            raise WorkspaceError("No space left on device")

        root = stage.skill()
        stage.meddle = at_nth(0, full, "before apply")
        state = await stage.tuned(root)
        assert (state.status, state.error_count, texts(root)) == ("completed", 1, MENDED)

    async def test_a_rollback_that_fails_is_tried_again(self, stage: TuneStage) -> None:
        def full() -> None:
            raise WorkspaceError("No space left on device")

        root = stage.skill(MENDED)
        stage.plays = [lambda folder, message: str((folder / "phases/02-write.md").write_text("# Write\n"))] * 2
        stage.meddle = at_nth(0, full, "before roll_back")
        state = await stage.tuned(root, agent="writer")
        assert (state.status, state.error_count, texts(root)) == ("completed", 1, MENDED)

    async def test_a_skill_that_vanishes(self, stage: TuneStage) -> None:
        root = stage.skill()
        stage.meddle = at_nth(0, lambda: root.rename(root.with_name("elsewhere")), "action action-report")
        state = await stage.tuned(root)
        assert (state.status, texts(root.with_name("elsewhere"))) == ("failed", SICK)
        assert "there is no folder" in str(state.failure_reason)
        assert not state.errors[0].recoverable

    async def test_a_skill_that_vanishes_with_a_fix_in_it(self, stage: TuneStage) -> None:
        root, away = stage.skill(), stage.project / "away"
        stage.meddle = at_nth(0, lambda: root.rename(away), "after apply")
        state = await stage.tuned(root)
        assert (state.status, state.engine.undo) == ("failed", ())
        assert texts(away) == ONE_MENDED

    async def test_a_skill_that_stops_being_one(self, stage: TuneStage) -> None:
        root = stage.skill()
        stage.meddle = at_nth(0, lambda: (root / "SKILL.md").unlink(), "action action-diagnose-agent")
        state = await stage.tuned(root)
        assert state.status == "failed"
        assert "contains a file SKILL.md" in str(state.failure_reason)


def _die() -> None:
    """What nobody in the session is prepared for."""
    raise RuntimeError("the process is gone")


async def died_and_taken_up(stage: TuneStage, id: str, n: int) -> TuningState:
    """The session after its runner died at moment `n`, and a second one drove it on."""
    stage.meddle = at_nth(n, _die)
    try:
        await stage.drive(id)
    except (RuntimeError, BaseExceptionGroup):
        assert stage.store.holder(id) is None
    stage.meddle = never
    return await stage.drive(id)


class TestTakenUp:
    @pytest.mark.parametrize("n", range(0, 60, 3))
    async def test_after_the_runner_died_at_any_moment(self, n: int, stage: TuneStage) -> None:
        root = stage.skill()
        state = await died_and_taken_up(stage, stage.create(root), n)
        assert (state.status, texts(root), state.engine.under_way) == ("completed", MENDED, ())

    async def test_what_nobody_has_a_backup_of_is_not_touched(self, stage: TuneStage) -> None:
        """As if the runner had died in the middle of a change: but these are somebody else's words."""
        root = stage.skill()
        id = stage.create(root, choosing=True)
        await stage.drive(id)
        stage.service.choose(id, ["FIX-001"])
        step = TuningStep("action-apply-fix", "FIX-001")
        stage.service.commit(id, lambda state: begin_step(state, step, "2026-01-22T10:00:00+08:00"), "begun")
        lay_out(root, ONE_MENDED)
        state = await stage.drive(id)
        assert state.engine.dropped == {"FIX-001": "SKILL.md changed since the diagnosis"}, "nobody knows whose it is"
        assert texts(root) == ONE_MENDED

    async def test_by_another_process_of_the_same_project(self, stage: TuneStage) -> None:
        root = stage.skill()
        id = stage.create(root, choosing=True)
        waiting = await stage.drive(id)
        with FileStore(stage.project, TUNINGS, FakeClock()) as other:
            assert other.read(id).engine.waiting == waiting.engine.waiting
        stage.service.answer(id, "all")
        state = await stage.drive(id)
        assert (state.status, texts(root)) == ("completed", MENDED)
