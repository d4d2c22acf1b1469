"""Copies of the project in which tasks had been worked on stayed on the disk when their cycle was over."""

from pathlib import Path

import pytest

from tests.cycle.stage import CycleStage, Turn, planned, said


def lanes(stage: CycleStage) -> list[Path]:
    """Folders of copies that are there."""
    return [folder for owner in stage.project.parent.rglob("*.lanes/*") for folder in owner.iterdir()]


async def plans_two(turn: Turn) -> str:
    tasks: list[dict[str, object]] = [{"id": f"TASK-00{n}", "description": f"Part {n}", "files": [name]}
             for n, name in enumerate(("app.txt", "b.txt"), 1)]  # fmt: skip
    turn.write("plan.json", planned(*tasks))
    return said("ep")


@pytest.mark.parametrize("end", ["succeeded", "stopped", "deleted"])
async def test_none_is_there_at_the_end(cycle_stage: CycleStage, end: str) -> None:
    seen: list[int] = []
    id = cycle_stage.create(parallel=2)

    async def implements(turn: Turn) -> str:
        seen.append(len(lanes(cycle_stage)))
        if end != "succeeded" and len(seen) == 1:
            cycle_stage.service.pause(id)
        turn.change("app.txt", "good")
        return said("cd")

    cycle_stage.cast.plays["ep.plan"] = [plans_two]
    cycle_stage.cast.plays["cd.implement"] = [implements] * 2
    state = await cycle_stage.drive(id)
    assert max(seen) > 0
    if end == "succeeded":
        assert state.engine.outcome == "succeeded", state.failure_reason
    else:
        assert state.status == "paused"
        assert lanes(cycle_stage), "they are gone on with"
    if end == "stopped":
        await cycle_stage.service.stop(id)
    elif end == "deleted":
        cycle_stage.service.delete(id)
    assert lanes(cycle_stage) == []
