"""What counts as passed, seen from a whole loop."""

from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.state import RunSettings
from loopwright.evidence.validation import RESULTS_KEPT
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import tally_tests
from tests.stage import MakeStage, Stage, app_is_as_expected, app_is_good, said

ONE_TASK = ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}]))


def known_failure(project: Path) -> dict[str, str]:
    return {**app_is_good(project), "known": "failed"}


async def driven(stage: Stage, **settings: object) -> LoopState:
    given = RunSettings(mode="auto", agent="scripted", proof="mend").evolve(**settings)
    return await stage.drive(stage.service.create("Make app.txt good", settings=given).loop_id)


async def test_a_project_that_was_red_before_can_ask_for_no_new_failures(stage: MakeStage) -> None:
    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}), judge=known_failure)
    state = await driven(ready, require="no_new_failures")
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert state.skill_state is not None
    assert [r.status for r in state.skill_state.validate_.test_results] == ["passed", "failed"]
    assert state.skill_state.summary is not None
    assert state.skill_state.summary.validate_["require"] == "no_new_failures"


async def test_a_vanished_test_is_no_success(stage: MakeStage) -> None:
    def judge(project: Path) -> dict[str, str]:
        kept = {"other": "passed"} if (project / "test_other").exists() else {}
        return {**app_is_good(project), **kept}

    fix_and_delete = {"app.txt": "good", "test_other": None}
    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files=fix_and_delete), judge=judge)
    (ready.project / "test_other").touch()
    state = await driven(ready)
    assert state.status == "failed"
    assert state.skill_state is not None
    assert not state.skill_state.validate_.passed
    assert state.skill_state.validate_.failed_tests == ()


async def test_a_newly_skipped_test_is_no_success(stage: MakeStage) -> None:
    def judge(project: Path) -> dict[str, str]:
        skipped = (project / "skip").exists()
        return {"app": "skipped"} if skipped else app_is_good(project)

    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files={"skip": ""}), judge=judge)
    assert (await driven(ready)).status == "failed"


async def test_all_tests_are_counted_of_which_only_some_are_kept(stage: MakeStage) -> None:
    def judge(project: Path) -> dict[str, str]:
        many = {f"test {n}": "skipped" if n % 10 == 9 else "passed" for n in range(1500)}
        return {**many, **app_is_good(project)}

    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}), judge=judge)
    state = await driven(ready)
    assert state.skill_state is not None
    assert state.skill_state.validate_.pass_rate == 100
    assert len(state.skill_state.validate_.test_results) == RESULTS_KEPT
    assert tally_tests(state) == (1351, 0, 150)
    summary = (ready.store.progress_path(state.loop_id) / "summary.md").read_text()
    assert "all 1,351 tests pass" in summary


async def test_what_a_test_run_writes_does_not_count_as_a_change(stage: MakeStage) -> None:
    """A run that leaves files behind would otherwise have to be validated for ever."""
    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}))

    def leave_a_report() -> None:
        (ready.project / f"report-{ready.tests.runs}.log").write_text("noise")

    ready.tests.before = leave_a_report
    state = await driven(ready)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert ready.actions(state.loop_id).count("VALIDATE") == 1


async def test_success_is_measured_by_the_process_that_ends_the_loop(stage: MakeStage) -> None:
    """A validation of an earlier process is not enough: the last look is taken here."""
    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}))
    loop_id = ready.create()
    paused = await ready.drive(loop_id, on_note=lambda n: ready.pause_after(n, loop_id, "VALIDATE: pass"))
    assert paused.status == "paused"
    runs = ready.tests.runs
    state = await ready.drive(loop_id)
    assert state.status == "completed"
    assert ready.tests.runs == runs + 1


@pytest.mark.parametrize(
    ("files", "outcome", "runs"),
    [
        ({"app.txt": "good"}, "succeeded", 2),
        ({"app.txt": "good", "tests/more.txt": "good"}, "succeeded", 3),
        ({"app.txt": "good", "Makefile": "test:\n\ttrue\n"}, "succeeded", 3),
        ({"app.txt": "good", "Makefile": "all:\n\ttrue\n"}, "succeeded", 2),
        ({"tests/app.txt": "bad"}, "exhausted", 4),
        ({"tests/app.txt": "bad", "tests/more.txt": "bad"}, "exhausted", 4),
    ],
)
async def test_the_counter_check_needs_no_digests(
    stage: MakeStage, files: dict[str, str | None], outcome: str, runs: int
) -> None:
    """One run for the baseline, one to validate, one more where test material has changed, and one with it put back."""
    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP"), files=files), judge=app_is_as_expected)
    (ready.project / "tests").mkdir()
    (ready.project / "tests" / "app.txt").write_text("good")
    state = await ready.drive(ready.create(max_iterations=2))
    assert (state.engine.outcome, ready.tests.runs) == (outcome, runs)
