"""An agent proposes tasks for a loop beside its runner: it only reads, and what it says is checked."""

import asyncio
from dataclasses import replace

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.ports import JobResult
from loopwright.core.protocol import Capabilities
from loopwright.core.run_events import EventBus
from loopwright.policy.secrets import SecretFilter
from loopwright.reports.proposals import check_count
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.steps.generate import propose_tasks
from tests.fakes import NoDebugger, NoProcesses
from tests.stage import MakeStage, Stage, said
from tests.waiting import soon


def proposing(*words: str, **given: object) -> ScriptedTurn:
    return ScriptedTurn(text=said("INIT", tasks=[{"description": one} for one in words]), **given)  # type: ignore[arg-type]  # an answer's fields


def runner_of(made: Stage) -> LoopRunner:
    return LoopRunner(
        project=str(made.project),
        store=made.store,
        workspace=made.workspace,
        tests=made.tests,
        clock=made.clock,
        processes=NoProcesses(),
        agents=made.make_agent,
        debugger=lambda id, bus: NoDebugger(),
        secrets=SecretFilter(["correct horse battery"]),
    )


async def proposed(made: Stage, loop_id: str, count: int = 5) -> tuple[str, ...]:
    bus = EventBus(made.notes.append)
    return await propose_tasks(runner_of(made), loop_id, agent="scripted", count=count, bus=bus)


async def test_it_proposes_what_the_loop_does_not_have(stage: MakeStage) -> None:
    made = stage(proposing("Mend  the parser", "Write a page", "Polish it", "Ship it", files={"own.txt": "mine"}))
    loop_id = made.create()
    made.service.tasks.add(loop_id, {"description": "mend the Parser", "tool": "scripted"})
    rev = made.store.read(loop_id).engine.rev
    assert await proposed(made, loop_id, 2) == ("Write a page", "Polish it")
    assert made.store.read(loop_id).engine.rev == rev, "the loop is not touched"
    (message,) = made.agent.messages
    assert (message.policy, message.action, message.session) == ("read-only", "INIT", None)
    assert "- pending: mend the Parser" in message.text
    assert "at most 2 development tasks" in message.text
    assert not (made.project / "own.txt").exists(), "what it wrote all the same is put back"


async def test_it_runs_beside_a_runner_and_its_session(stage: MakeStage) -> None:
    plan = proposing("Make app.txt say good", session="the-loop's-own")
    slow = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}, seconds=0.5)
    made = stage(plan, slow)
    loop_id = made.create()
    other = Stage(made.project, made.store, answers=[proposing("Write a page")], clock=made.clock)
    driving = asyncio.ensure_future(made.drive(loop_id))
    await soon(lambda: any(note.text == "DEVELOP" for note in made.notes))
    assert await proposed(other, loop_id) == ("Write a page",)
    assert (other.agent.messages[0].session, other.agent.messages[0].brief != "") == (None, True)
    assert (await driving).engine.outcome == "succeeded"
    transcript = (made.store.progress_path(loop_id) / "transcript.ndjson").read_text()
    assert "Write a page" not in transcript, "a replay would take it for an answer of the loop"


@pytest.mark.parametrize(
    ("answers", "able", "kind", "words"),
    [
        ((), Capabilities(writes_code=True), "refused", "scripted cannot propose tasks; name a coding agent"),
        ((proposing(),), None, "protocol", "proposed no new tasks: done"),
        ((ScriptedTurn(text="hm"), ScriptedTurn(text="hm")), None, "protocol", "proposed no new tasks: no report"),
        ((ScriptedTurn(error="auth"),), None, "auth", "the script ends the turn"),
    ],
)
async def test_what_can_go_wrong(
    stage: MakeStage, answers: tuple[ScriptedTurn, ...], able: Capabilities | None, kind: str, words: str
) -> None:
    made = stage(*answers, **({"capabilities": able} if able else {}))
    with pytest.raises(AgentError, match=words) as caught:
        await proposed(made, made.create())
    assert caught.value.kind == kind


async def test_no_secret_becomes_a_task(stage: MakeStage) -> None:
    made = stage(proposing("Use correct horse battery"))
    (words,) = await proposed(made, made.create())
    assert "horse" not in words


@pytest.mark.parametrize("count", [0, -1, 8])
async def test_how_many(stage: MakeStage, count: int) -> None:
    with pytest.raises(Invalid, match="count: must be from 1 to 7"):
        check_count(count)
    made = stage()
    with pytest.raises(Invalid, match="count"):
        await made.service.generate(made.create(), count=count)
    assert made.launcher.jobs == []


async def test_what_the_job_says_comes_back(stage: MakeStage) -> None:
    made = stage()
    loop_id = made.create()
    for code, kind in ((2, "Invalid"), (4, "NotFound"), (5, "Conflict"), (6, "StoreError"), (7, "AgentError")):
        made.launcher.done = JobResult(code, {"success": False, "error": "in its words"})
        with pytest.raises(Exception, match="in its words") as caught:
            await made.service.generate(loop_id, tool="codex")
        assert type(caught.value).__name__ == kind
    assert made.launcher.jobs[0] == (
        "tasks", loop_id, "generate", "--count", "5", "--tool", "codex", "--for", "test",
    )  # fmt: skip
    made.launcher.done = made.launcher.done._replace(exit_code=130, printed={})
    with pytest.raises(AgentError, match="no tasks were generated") as died:
        await made.service.generate(loop_id)
    assert died.value.kind == "died"
    one, two = made.service.tasks.add_proposed(loop_id, ["A", "B"], "scripted")
    made.launcher.done = made.launcher.done._replace(exit_code=0, printed={"data": [dict(two), dict(one)]})
    assert await replace(made.service, actor="api").generate(loop_id) == (one, two)
