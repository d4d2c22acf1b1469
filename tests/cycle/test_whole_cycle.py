"""A whole cycle, from the task to its end."""

from tests.cycle.stage import MakeCycleStage


async def test_a_cycle_in_which_all_goes_well(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    state = await stage.drive(stage.create())
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    assert sorted(stage.cast.steps()) == ["cd.implement", "ep.explore", "ep.plan", "ra.analyse", "vas.validate"]
    assert state.completed_phases == ("ra", "ep", "cd", "vas")
    assert state.test_results is not None
    assert (state.test_results.pass_rate, state.test_results.failed_tests) == (100, ())
    assert (stage.project / "app.txt").read_text() == "good"
