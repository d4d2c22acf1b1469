"""A cycle whose developer mends failing Python tests: measured suspects in the order, and the debugger to ask."""

import asyncio
import re
from functools import partial

from loopwright.core.run_events import EventBus
from loopwright.evidence.run import ProjectTests
from loopwright.repair.debugger import PythonDebugger
from loopwright.workflows.cycle.commands import take_up
from loopwright.workflows.cycle.runner import CycleRunner
from tests.actions.test_debug_message import COMMAND, FAULT
from tests.cycle.stage import Cast, MakeCycleStage, Turn, planned, said
from tests.golden.courses import GRADE, MENDED, TESTS
from tests.repair.cases import write


async def plans(turn: Turn) -> str:
    turn.write("plan.json", planned({"id": "TASK-001", "description": "Make the tests pass"}))
    return said("ep")


async def misses_the_fault(turn: Turn) -> str:
    turn.change("notes.txt", "all is well\n")
    return said("cd", files_written=["notes.txt"])


async def mends(turn: Turn) -> str:
    turn.change("grade.py", MENDED)
    return said("cd", files_written=["grade.py"])


async def test_the_developer_is_told_what_was_measured_and_may_ask(make_stage: MakeCycleStage) -> None:
    made = make_stage(cast=Cast({"ep.plan": [plans], "cd.implement": [misses_the_fault, mends]}))
    write({"grade.py": GRADE, "test_grade.py": TESTS}, made.project)
    runner = CycleRunner(
        project=str(made.project),
        store=made.store,
        workspace=made.workspace,
        worktrees=made.worktrees,
        surveyor=made.surveyor,
        tests=ProjectTests(made.project),
        clock=made.clock,
        processes=made.processes,
        agents=made.make_agent,
        debugger=lambda id, bus, folder: PythonDebugger(id, project=made.project),
    )
    id = made.create("Make the tests pass", parallel=1, test_command=COMMAND)
    at = made.clock.now().isoformat(timespec="milliseconds")
    async with asyncio.timeout(60):
        state = await runner.drive(id, take_up=partial(take_up, at=at), bus=EventBus())
    assert state.engine.outcome == "succeeded"
    first, second = (turn.message for turn in made.cast.turns if turn.message.action == "cd.implement")
    assert FAULT not in first.text
    (row,) = (line for line in second.text.splitlines() if FAULT in line)
    assert "grade.py:5 in grade" in row
    assert re.search(r"\| 1, 0 \| [1-9]\d* of \d+ small edits made a failing test pass, points=60 \|$", row)
    assert "`propose_fix`" in second.text
    assert second.debug is not None
    assert second.debug.failing == ("test_grade.py::test_good",)
    assert (second.debug.loop, second.debug.log) == (id, "")
    asked = await PythonDebugger("look").run_tests(second.debug)
    assert [test.status for test in asked.tests] == ["passed"], "it is the project as it is now"
