"""What every agent promises, whatever it is made of."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.agents.acp.session import AcpAgent
from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.agents.task_agent import BuiltinAgent, CommandAgent
from loopwright.core.errors import AgentError
from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.state import LoopTask
from loopwright.evidence.debugging import DebugRequest, Diagnosis, SearchFindings
from loopwright.evidence.proof import Mutation, MutationOrder
from loopwright.processes.process_tree import ProcessMark, list_processes
from tests.misbehaving.orders import command, order

LOOP = "loop-contract"
AT = "2026-01-22T10:00:00+08:00"
QUICK, ENDLESS = "quick", "endless"


@dataclass(frozen=True)
class Case:
    """An agent, and how to order a turn that ends at once, and one that does not end by itself."""

    agent: Agent
    project: Path
    quick: Message
    endless: Message

    async def ended(self, id: str) -> AgentOutput:
        output = (await self.agent.wait([id], 20_000))[id]
        assert not output.running
        return output

    async def working(self) -> str:
        """A session in a turn without end, of which something has been seen."""
        id = await self.agent.spawn_agent(self.endless)
        for _ in range(500):
            output = (await self.agent.wait([id], 20))[id]
            assert output.running
            if output.text:
                return id
        raise AssertionError("nothing is heard of it")


class Patient:
    """A debugger that finds nothing: at once, or never."""

    def supports(self, test_command: str | None) -> bool:
        return True

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        raise AssertionError("not asked for")

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        raise AssertionError("nobody proves anything here")

    async def search(self, request: DebugRequest) -> SearchFindings:
        if request.failing == (ENDLESS,):
            await asyncio.get_running_loop().create_future()
        return SearchFindings(hypotheses=())


def scripted(project: Path) -> Case:
    """Its list goes with the messages: a quick one has a text."""

    class ByMessage(ScriptedAgent):
        async def play(self, id: str, message: Message) -> AgentOutput:
            is_quick = message.text == QUICK
            self._answers.append(ScriptedTurn(text="Done.", hangs=not is_quick, says_before="At it."))
            return await super().play(id, message)

    quick, endless = (Message(action="DEVELOP", text=text) for text in (QUICK, ENDLESS))
    return Case(ByMessage(AgentScript(), project), project, quick, endless)


def bash(project: Path) -> Case:
    def message(line: str) -> Message:
        task = LoopTask(task_id="task-1", description="x", tool="bash", command=line, created_at=AT, updated_at=AT)
        return Message(action="DEVELOP", text="", definition=task)

    endless = message("echo 'At it.'; (setsid sleep 300 &) ; sleep 300")
    return Case(CommandAgent(project, LOOP), project, message("echo Done."), endless)


def builtin(project: Path) -> Case:
    def message(name: str) -> Message:
        request = DebugRequest(project=str(project), python="python", test_command="python -m pytest", failing=(name,))
        return Message(action="DEBUG", text="", debug=request)

    return Case(BuiltinAgent(Patient()), project, message(QUICK), message(ENDLESS))


def acp(project: Path) -> Case:
    async def permit(_: object) -> bool:
        raise AssertionError("nobody asks")

    around = AgentEnvironment(LOOP, lambda _: None, lambda _: None, permit)
    agent = AcpAgent(command(), project, project.parent / "private", around)
    endless = order(("say", "At it."), ("hang",))
    return Case(agent, project, order(("say", "Done.")), endless)


@asynccontextmanager
async def nothing_left(project: Path) -> AsyncIterator[None]:
    before = asyncio.all_tasks()
    yield
    mark = ProcessMark(LOOP, str(project.resolve()))
    assert [process.pid for process in list_processes() if mark.is_on(process.pid)] == []
    assert asyncio.all_tasks() <= before


@pytest.fixture(params=[scripted, bash, builtin, acp], ids=lambda make: make.__name__)
async def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    make: Callable[[Path], Case] = request.param
    project = tmp_path / "project"
    project.mkdir()
    return make(project)


async def test_a_session_takes_one_message_after_the_other(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.agent.spawn_agent(case.quick)
        first = await case.ended(id)
        assert first == await case.ended(id), "an answer can be looked at again"
        await case.agent.send_input(id, case.quick)
        second = await case.ended(id)
        assert first.agent_id == second.agent_id == id
        assert "Done." in first.text or first.report is not None
        await case.agent.close_agent(id)


async def test_two_sessions_are_two(case: Case) -> None:
    async with nothing_left(case.project):
        one, other = await case.agent.spawn_agent(case.quick), await case.agent.spawn_agent(case.endless)
        assert one != other
        await case.ended(one)
        outputs = await case.agent.wait([one, other], 1)
        assert {id: output.running for id, output in outputs.items()} == {one: False, other: True}
        await case.agent.close_agent(one)
        assert (await case.agent.wait([other], 1))[other].running
        await case.agent.close_agent(other)


async def test_who_is_still_at_work_says_so_and_what_it_has_said(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.working()
        output = (await case.agent.wait([id], 1))[id]
        assert (output.running, output.report) == (True, None)
        with pytest.raises(AgentError) as raised:
            await case.agent.send_input(id, case.quick)
        assert raised.value.kind == "protocol"
        await case.agent.close_agent(id)


async def test_a_cancelled_turn_is_finished_without_a_report_and_the_session_goes_on(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.working()
        before = (await case.agent.wait([id], 1))[id]
        await case.agent.cancel_turn(id)
        output = await case.ended(id)
        assert output.report is None
        assert output.text.startswith(before.text.rstrip())
        assert output.signs >= before.signs
        await case.agent.cancel_turn(id)
        await case.agent.send_input(id, case.quick)
        await case.ended(id)
        await case.agent.close_agent(id)


async def test_a_turn_that_is_done_is_not_changed_by_cancelling(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.agent.spawn_agent(case.quick)
        output = await case.ended(id)
        await case.agent.cancel_turn(id)
        assert await case.ended(id) == output
        await case.agent.close_agent(id)


async def test_closing_twice_is_closing_once_and_a_closed_one_has_died(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.working()
        await case.agent.close_agent(id)
        await case.agent.close_agent(id)
        for attempt in (
            case.agent.wait([id], 1), case.agent.send_input(id, case.quick), case.agent.cancel_turn(id),
        ):  # fmt: skip
            with pytest.raises(AgentError, match="closed") as raised:
                await attempt
            assert raised.value.kind == "died"


async def test_an_unknown_name_is_a_closed_session_and_closing_it_is_nothing(case: Case) -> None:
    with pytest.raises(AgentError, match="nobody is closed"):
        await case.agent.wait(["nobody"], 1)
    await case.agent.close_agent("nobody")
    assert await case.agent.wait([], 1) == {}


async def test_whoever_waits_hears_that_the_session_was_closed(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.working()
        waiting = asyncio.ensure_future(case.agent.wait([id], 20_000))
        await asyncio.sleep(0)
        await case.agent.close_agent(id)
        with pytest.raises(AgentError, match="closed while it was working") as raised:
            await waiting
        assert raised.value.kind == "died"


async def test_a_wait_that_is_cancelled_leaves_the_turn_alone(case: Case) -> None:
    async with nothing_left(case.project):
        id = await case.working()
        waiting = asyncio.ensure_future(case.agent.wait([id], 20_000))
        await asyncio.sleep(0)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        assert (await case.agent.wait([id], 1))[id].running
        await case.agent.close_agent(id)


async def test_a_runner_that_is_cancelled_leaves_nothing(case: Case) -> None:
    async with nothing_left(case.project):

        async def runner() -> None:
            id = await case.working()
            begun.set()
            try:
                await case.agent.wait([id], 20_000)
            finally:
                await case.agent.close_agent(id)

        begun = asyncio.Event()
        running = asyncio.ensure_future(runner())
        await begun.wait()
        running.cancel()
        await asyncio.wait({running})
        assert running.cancelled()


async def test_its_name_and_abilities_are_told(case: Case) -> None:
    assert case.agent.name
    assert json.loads(case.agent.capabilities.model_dump_json()).keys() >= {"plans", "debugs"}
