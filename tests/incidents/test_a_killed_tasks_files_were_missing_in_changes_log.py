"""Files that a task had changed before its runner was killed were in the project, and in no line of changes.log."""

import asyncio
import json

import pytest

from tests.cycle.stage import CycleStage, Turn, planned, said


class Killed(BaseException):
    """The runner's end, as far as it can be had in one process: nothing is caught, nothing is told."""


async def plans_two_files(turn: Turn) -> str:
    turn.write("plan.json", planned({"id": "TASK-001", "description": "Make it good", "files": ["app.txt", "b.txt"]}))
    return said("ep")


@pytest.mark.parametrize("parallel", [1, 2])
async def test_every_file_of_the_task_has_its_line(cycle_stage: CycleStage, parallel: int) -> None:
    async def dies(turn: Turn) -> str:
        turn.change("b.txt", "b")
        raise Killed

    cycle_stage.cast.plays["ep.plan"] = [plans_two_files]
    cycle_stage.cast.plays["cd.implement"] = [dies]
    id = cycle_stage.create(parallel=parallel)
    with pytest.raises((Killed, BaseExceptionGroup)):
        await cycle_stage.drive(id)
    assert cycle_stage.service.read(id).engine.under_way
    state = await cycle_stage.drive(id)
    await asyncio.sleep(0)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    lines = [json.loads(line) for line in cycle_stage.document(id, "cd/changes.log").splitlines()]
    assert sorted(line["file"] for line in lines) == ["app.txt", "b.txt"]
    assert state.changes is not None
    assert sorted(change.file for change in state.changes.changes) == ["app.txt", "b.txt"]
    assert (cycle_stage.project / "b.txt").read_text() == "b"
