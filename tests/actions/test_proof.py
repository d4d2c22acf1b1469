"""A loop succeeds when tests show that its goal was reached: real pytest, in the project and in copies of it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.core.ports import Debugger
from loopwright.core.run_events import EventBus
from loopwright.core.state import RunSettings
from loopwright.evidence.run import ProjectTests
from loopwright.repair.debugger import PythonDebugger
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.service import LoopService
from loopwright.workspace.checkpoints import GitWorkspace
from tests.fakes import CountingLauncher, NoDebugger, NoProcesses, UnsyncedDisk
from tests.proof_cases import COMPILED, HONEST, LIES, SHOP, Case
from tests.stage import ABLE
from tests.validation.projects import PYTEST, lay_out


def report(says: dict[str, list[str]]) -> str:
    return (
        "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: done, and all tests pass\n"
        f"- state_updates: {json.dumps(says)}\n\nNEXT_ACTION_NEEDED: COMPLETED\n"
    )


def committed(project: Path) -> Path:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "As it was found"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *words], cwd=project, check=True)
    return project


async def carried_out(
    case: Case, root: Path, bus: EventBus | None = None, debugger: Debugger | None = None, **more: float
) -> LoopState:
    """The case's loop at its end. `more`: settings."""
    project = committed(lay_out(root / "project", case.base))
    lay_out(project, case.found)
    writes = {name: text and text.replace("{elsewhere}", str(root / "runs")) for name, text in case.writes.items()}
    words = report(case.says)
    answers = (ScriptedTurn(files=writes, text=words), *[ScriptedTurn(text=words)] * 5)
    agent = ScriptedAgent(AgentScript(capabilities=ABLE.evolve(plans=False), answers=answers), project)
    clock, workspace = SystemClock("+08:00"), GitWorkspace(project, root / "private")
    with FileStore(project, LOOPS, clock, disk=UnsyncedDisk()) as store:
        service = LoopService(store, workspace, clock, CountingLauncher(), NoProcesses(), "test")
        settings = RunSettings(
            mode="auto", agent="scripted", test_command=case.command or PYTEST, test_timeout=60, proof=case.proof
        ).evolve(**more)
        loop_id = service.create(case.goal, settings=settings).loop_id
        runner = LoopRunner(
            project=str(project),
            store=store,
            workspace=workspace,
            tests=ProjectTests(project),
            clock=clock,
            processes=NoProcesses(),
            agents=lambda name, around: agent,
            debugger=lambda id, bus: debugger or NoDebugger(),
        )
        return await runner.drive(loop_id, take_up=take_up, bus=bus or EventBus())


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


def answers(tool: str) -> bool:
    """Whether it is there and runs: a cargo that rustup stands for needs the home that it was installed in."""
    return shutil.which(tool) is not None and subprocess.run([tool, "version"], capture_output=True).returncode == 0


@pytest.mark.parametrize("name", COMPILED)
async def test_what_does_not_compile_without_the_change_fails_there(name: str, tmp_path: Path) -> None:
    case = COMPILED[name]
    if not answers(case.command.split()[0]):
        pytest.skip(f"{case.command} cannot be run here")
    state = await carried_out(case, tmp_path)
    assert state.engine.outcome == case.outcome, state.engine.proof
    if "dist/calc.js" in case.base:  # what was built in copies of the product as it was is not here
        project = tmp_path / "project"
        assert (project / "dist/calc.js").read_text() == (project / "src/calc.js").read_text()


DOUBLED = Case(
    {"shop/export.py": f"{SHOP['shop/export.py']}\n\ndef doubled(total):\n    return total * 2 + 1 - 1\n",
     "tests/test_more.py": "from shop.export import doubled\n\n\ndef test_more():\n    assert doubled(2) > 3\n"},
    "succeeded", goal="Add a doubled function to the export module",
)  # fmt: skip


async def test_a_proof_tells_what_its_tests_do_not_notice(tmp_path: Path) -> None:
    heard: list[str] = []
    state = await carried_out(
        DOUBLED,
        tmp_path,
        EventBus(lambda note: heard.append(f"{note.kind}: {note.text}")),
        PythonDebugger("proof-test"),
    )
    proof = state.engine.proof
    assert state.engine.outcome == "succeeded"
    assert proof is not None
    assert proof.mutants is not None
    assert 0 < proof.mutants.killed < proof.mutants.total
    assert "shop/export.py:16: use `3` instead of `2`" in map(str, proof.mutants.survivors)
    assert "activity: trying mutants of the changed lines under 1 test, in copies" in heard
    summary = (tmp_path / "project/.workflow/.loop" / f"{state.loop_id}.progress/summary.md").read_text()
    assert f"- {proof.mutants.words}\n" in summary
    assert "- no test notices shop/export.py:16: use `3` instead of `2`\n" in summary


async def test_a_threshold_that_is_missed_keeps_it_from_success(tmp_path: Path) -> None:
    weak = await carried_out(DOUBLED, tmp_path / "weak", debugger=PythonDebugger("proof-test"), min_mutation_score=99.0)
    assert weak.engine.outcome == "unproven"
    assert weak.engine.proof is not None
    assert "are killed, 99 % are required" in (weak.engine.proof.missing or "")
    # Where nothing can be mutated, a threshold is missed, and without one nothing is said.
    unmeasured = await carried_out(DOUBLED, tmp_path / "unmeasured", min_mutation_score=1.0)
    assert unmeasured.engine.outcome == "unproven"
    assert unmeasured.engine.proof is not None
    assert unmeasured.engine.proof.missing == "the mutation score could not be measured, 1 % is required"
