"""Whoever edited the project while a cycle was validated made it validate again, and again, for as long as they did."""

from loopwright.workflows.cycle.selector import VALIDATED_AGAIN
from tests.cycle.stage import CycleStage, Play, Turn, said


def judging(stage: CycleStage, edits: list[int]) -> Play:
    """Somebody saves a file in the middle of each judgement."""

    async def judges(turn: Turn) -> str:
        edits.append(1)
        (stage.project / "notes.txt").write_text("x" * len(edits))
        turn.write("summary.md", "# Judgement\n\nGood.\n")
        return said("vas")

    return judges


async def test_it_says_that_the_tree_kept_changing(cycle_stage: CycleStage) -> None:
    edits: list[int] = []
    cycle_stage.cast.plays["vas.validate"] = [judging(cycle_stage, edits)] * 99
    state = await cycle_stage.drive(cycle_stage.create(max_iterations=1))
    assert len(edits) == VALIDATED_AGAIN + 1
    assert (state.status, state.engine.outcome) == ("failed", "exhausted")
    assert state.failure_reason is not None
    assert "was not validated" in state.failure_reason


async def test_one_edit_costs_one_more_validation(cycle_stage: CycleStage) -> None:
    edits: list[int] = []
    cycle_stage.cast.plays["vas.validate"] = [judging(cycle_stage, edits)]
    state = await cycle_stage.drive(cycle_stage.create(max_iterations=1))
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    assert cycle_stage.cast.steps().count("vas.validate") == 2
