"""A loop succeeds when tests show that its goal was reached: real pytest, in the project and in copies of it."""

import json
from pathlib import Path

import pytest

from loopwright.actions.runner import LoopRunner
from loopwright.agents.scripted import Answer, Script, ScriptedAgent
from loopwright.clock import SystemClock
from loopwright.domain.engine_state import RunSettings
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_commands import take_up
from loopwright.engine.bus import Bus
from loopwright.engine.service import LoopService
from loopwright.store.files import FileStore
from loopwright.store.loops import LOOPS
from loopwright.validation.run import ProjectTests
from loopwright.workspace.git import GitWorkspace
from tests.fakes import CountingLauncher, NoDebugger, NoProcesses, UnsyncedDisk
from tests.proof_cases import HONEST, LIES, SHOP, Case
from tests.stage import ABLE
from tests.validation.projects import PYTEST, lay_out


def report(says: dict[str, object]) -> str:
    return (
        "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: done, and all tests pass\n"
        f"- state_updates: {json.dumps(says)}\n\nNEXT_ACTION_NEEDED: COMPLETED\n"
    )


async def carried_out(case: Case, root: Path) -> LoopState:
    """The case's loop at its end."""
    project = lay_out(root / "project", {**SHOP, **case.found})
    writes = {name: text and text.replace("{elsewhere}", str(root / "runs")) for name, text in case.writes.items()}
    words = report(case.says)
    answers = (Answer(files=writes, text=words), *[Answer(text=words)] * 5)
    agent = ScriptedAgent(Script(capabilities=ABLE.evolve(plans=False), answers=answers), project)
    clock, workspace = SystemClock("+08:00"), GitWorkspace(project, root / "private")
    with FileStore(project, LOOPS, clock, disk=UnsyncedDisk()) as store:
        service = LoopService(store, workspace, clock, CountingLauncher(), NoProcesses(), "test")
        settings = RunSettings(mode="auto", agent="scripted", test_command=PYTEST, test_timeout=60, proof=case.proof)
        loop_id = service.create(case.goal, settings=settings).loop_id
        runner = LoopRunner(
            str(project), store, workspace, ProjectTests(project), clock, NoProcesses(),
            agents=lambda name, around: agent, debugger=lambda id, bus: NoDebugger(),
        )  # fmt: skip
        return await runner.drive(loop_id, take_up=take_up, bus=Bus())


@pytest.mark.parametrize("name", LIES)
async def test_a_goal_that_nothing_shows_is_not_called_reached(name: str, tmp_path: Path) -> None:
    state = await carried_out(LIES[name], tmp_path)
    assert state.engine.outcome == LIES[name].outcome
    assert state.engine.proof is None or not state.engine.proof.shown


@pytest.mark.parametrize("name", HONEST)
async def test_what_was_done_is_recognised(name: str, tmp_path: Path) -> None:
    state = await carried_out(HONEST[name], tmp_path)
    proof = state.engine.proof
    assert proof is not None
    assert (state.engine.outcome, proof.shown) == (HONEST[name].outcome, HONEST[name].outcome == "succeeded")
