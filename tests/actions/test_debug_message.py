"""What a coding agent is told when tests fail: measured suspects, first and every time, and where the whole is."""

import json
import re
import shutil
import sys
from pathlib import Path

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.run_events import EventBus
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.run import ProjectTests
from loopwright.repair.debugger import PythonDebugger
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from tests.golden.courses import GRADE, MENDED, TESTS
from tests.repair.cases import write
from tests.stage import MakeStage, Stage, said

COMMAND = f"{sys.executable} -m pytest -q"
FAULT = """`rank = "C"`"""


async def driven(stage: Stage, test_command: str | None = COMMAND, goal: str = "Make the tests pass") -> LoopState:
    """The loop with the project's real tests and the real debugger."""
    runner = LoopRunner(
        project=str(stage.project),
        store=stage.store,
        workspace=stage.workspace,
        tests=ProjectTests(stage.project),
        clock=stage.clock,
        processes=stage.processes,
        agents=stage.make_agent,
        debugger=lambda id, bus: PythonDebugger(id),
    )
    id = stage.create(goal, test_command=test_command)
    return await runner.drive(id, take_up=take_up, bus=EventBus())


def lay_out(stage: Stage) -> None:
    (stage.project / "app.txt").unlink()
    write({"grade.py": GRADE, "test_grade.py": TESTS}, stage.project)


def debugs(stage: Stage) -> list[str]:
    return [message.text for message in stage.agent.messages if message.action == "DEBUG"]


def table(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")][1:]


def hypotheses(stage: Stage, state: LoopState) -> tuple[Hypothesis, ...]:
    kept = json.loads((stage.store.progress_path(state.loop_id) / "hypotheses.json").read_text())
    return tuple(Hypothesis.model_validate(one) for one in kept)


PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "look"}]))
LOOKED = ScriptedTurn(text=said("DEVELOP"), files={"notes.md": "It fails."})


async def test_the_first_message_holds_measured_suspects_and_names_the_tools(stage: MakeStage) -> None:
    made = stage(ScriptedTurn(text=said("DEBUG"), files={"grade.py": MENDED}))
    lay_out(made)
    state = await driven(made)
    assert state.engine.outcome == "succeeded"
    (text,) = debugs(made)
    assert [message.action for message in made.agent.messages] == ["DEBUG"], "what is to be mended needs no plan"
    rows = table(text)
    assert 3 <= len(rows) <= 5
    (fault,) = (row for row in rows if FAULT in row)
    assert re.fullmatch(
        r"\| \d \| H\d: grade.py:5 in grade \| `rank = .*` \| 1, 0 \| [1-9]\d* of \d+ small edits .*, points=60 \|",
        fault,
    )
    folder = made.store.progress_path(state.loop_id)
    assert f"More in {folder}: " in text
    for name in ("hypotheses.json", "debug.log", "test-results.json"):
        assert name in text
        assert (folder / name).exists()
    for tool in ("run_failing_tests", "spectrum", "probe", "propose_fix"):
        assert f"`{tool}`" in text
    assert "E       AssertionError: assert 'C' == 'B'" in text, "the values"
    assert '    assert grade(60) == "B"' in text, "the test's own code"
    assert '-        rank = "C"\n+        rank = "B"' in text, "an edit that passed on a copy"
    assert "on a copy, perhaps by coincidence; they are not in your files" in text
    assert "# The last attempt" not in text
    assert len(text) < 5_000
    (order,) = (message.debug for message in made.agent.messages if message.action == "DEBUG")
    assert order is not None
    assert (order.loop, order.log) == (state.loop_id, f"{folder}/debug.log")
    assert len(order.hypotheses) >= len(rows)


async def test_each_further_message_is_measured_anew(stage: MakeStage) -> None:
    """A fix that did not hold has moved the lines: what is told is how they are now."""
    remarks = "# a remark\n# and one more\n"
    made = stage(
        ScriptedTurn(text=said("DEBUG", message="Now all is well"), files={"grade.py": remarks + GRADE}),
        ScriptedTurn(text=said("DEBUG"), files={"grade.py": remarks + MENDED}),
    )
    lay_out(made)
    state = await driven(made)
    assert state.engine.outcome == "succeeded"
    first, second = debugs(made)
    (before,) = (row for row in table(first) if FAULT in row)
    (after,) = (row for row in table(second) if FAULT in row)
    told = second.partition("# The last attempt")[2].partition("# Measured")[0]
    assert "The previous turn (scripted, DEBUG) made this change:\n\n```diff\n--- a/grade.py\n+++ b/grade.py\n" in told
    assert "+# a remark\n+# and one more\n" in told
    assert "- test_grade.py::test_good: nothing\n" in told
    assert "The change is still in the files: keep it, alter it or undo it." in told
    assert "It reported “Now all is well”. The tests still fail." in told
    assert "grade.py:5 in" in before
    assert "grade.py:7 in" in after
    assert before.split(":")[0].split("|")[2] == after.split(":")[0].split("|")[2], "it is the same hypothesis"
    kept = hypotheses(made, state)
    assert len({one.id for one in kept}) == len(kept)
    assert [one.logging_point for one in kept].count("grade.py:grade:7") == 1


async def test_other_tests_are_told_without_a_table_or_tools(stage: MakeStage) -> None:
    made = stage(PLAN, LOOKED, ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"}))
    await made.drive(made.create())
    (text,) = debugs(made)
    assert "- none yet" in text
    assert "propose_fix" not in text
    assert all(message.debug is None for message in made.agent.messages if message.action == "DEBUG")


async def test_a_command_that_was_only_just_found_is_known_to_the_debugger(stage: MakeStage) -> None:
    made = stage(PLAN, ScriptedTurn(text=said("DEVELOP"), files={"grade.py": MENDED}))
    lay_out(made)
    await driven(made, test_command=None)
    init = made.agent.messages[0]
    assert init.debug is not None
    assert "pytest" in init.debug.test_command
    assert init.debug.python


async def test_an_agent_that_plans_or_develops_may_ask_the_debugger_too(stage: MakeStage) -> None:
    made = stage(PLAN, ScriptedTurn(text=said("DEVELOP"), files={"grade.py": MENDED}))
    lay_out(made)
    await driven(made)
    init, develop = made.agent.messages
    assert init.debug is not None
    assert develop.debug is not None
    assert develop.debug.test_command == COMMAND
    assert Path(develop.debug.python).name == Path(shutil.which(sys.executable) or "").name
