"""The embedded agent: searches when it is asked to debug, and says plainly what it cannot do."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from loopwright.agents.task_agent import BuiltinAgent
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.names import ActionName
from loopwright.core.ports import Agent
from loopwright.core.protocol import AgentOutput, Message
from loopwright.evidence.debugging import DebugRequest, Diagnosis, Patch, SearchFindings
from loopwright.evidence.proof import Mutation, MutationOrder

ORDER = DebugRequest(project="/p", python="python", test_command="python -m pytest", failing=("t::a", "t::b"))
PATCH = Patch(
    hypothesis="H1", fingerprint="f", file="a.py", old_text="a", new_text="b", diff="d", description="`<=` for `<`",
    fixes=("t::a",), still_failing=("t::b",),
)  # fmt: skip


class Gated:
    """A debugger that answers once its gate is open, and knows whether it was cancelled."""

    def __init__(self, answer: SearchFindings | Invalid, *, open: bool = True) -> None:
        self.answer, self.gate, self.cancelled = answer, asyncio.Event(), False
        self.orders: list[DebugRequest] = []
        if open:
            self.gate.set()

    def supports(self, test_command: str | None) -> bool:
        return test_command == ORDER.test_command

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        raise AssertionError("the DEBUG action diagnoses by itself")

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        raise AssertionError("nobody proves anything here")

    async def search(self, request: DebugRequest) -> SearchFindings:
        self.orders.append(request)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if isinstance(self.answer, Invalid):
            raise self.answer
        return self.answer


def played(steps: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await steps()
        assert len(asyncio.all_tasks()) == 1, "a turn outlived its session"

    asyncio.run(whole())


def ask(message: Message, debugger: Gated) -> AgentOutput:
    outputs: list[AgentOutput] = []

    async def steps() -> None:
        agent = BuiltinAgent(debugger)
        id = await agent.spawn_agent(message)
        outputs.append((await agent.wait([id], 10_000))[id])
        await agent.close_agent(id)

    played(steps)
    return outputs[0]


def test_it_measures_and_does_not_write() -> None:
    agent: Agent = BuiltinAgent(Gated(SearchFindings(hypotheses=())))
    able = agent.capabilities
    assert (able.debugs, able.measures, able.writes_code, able.writes_tests, able.plans) == (
        True,
        True,
        False,
        False,
        False,
    )


@pytest.mark.parametrize(
    ("patch", "words"), [(PATCH, ("`<=` for `<`", "1 other")), (None, ("No small edit", "where to look"))]
)
def test_a_search_s_outcome_is_a_success_either_way(patch: Patch | None, words: tuple[str, ...]) -> None:
    debugger = Gated(SearchFindings(hypotheses=(), patch=patch, note="7 edits tried"))
    output = ask(Message(action="DEBUG", text="", debug=ORDER), debugger)
    assert output.report is not None
    assert (output.running, output.report.status, output.findings) == (False, "success", debugger.answer)
    assert all(word in output.report.message for word in (*words, "7 edits tried"))
    assert output.report.files_updated == {}
    assert debugger.orders == [ORDER]


@pytest.mark.parametrize(
    ("action", "status"),
    [("INIT", "success"), ("DEVELOP", "failed"), ("VALIDATE", "success"), ("COMPLETE", "success"), ("DEBUG", "failed")],
)
def test_what_it_can_not_do_it_says(action: ActionName, status: str) -> None:
    output = ask(Message(action=action, text=""), Gated(SearchFindings(hypotheses=())))
    assert output.report is not None
    assert (output.report.action, output.report.status, output.findings) == (action, status, None)
    assert output.report.message


@pytest.mark.parametrize(
    ("order", "answer", "words"),
    [
        (ORDER.evolve(test_command="make check"), SearchFindings(hypotheses=()), "'make check'"),
        (ORDER.evolve(failing=()), SearchFindings(hypotheses=()), "no failing test"),
        (ORDER, Invalid("no such program"), "no such program"),
    ],
)
def test_an_order_it_can_not_carry_out_fails_with_the_reason(
    order: DebugRequest, answer: SearchFindings | Invalid, words: str
) -> None:
    output = ask(Message(action="DEBUG", text="", debug=order), Gated(answer))
    assert output.report is not None
    assert output.report.status == "failed"
    assert words in output.report.message


def test_while_it_searches_it_says_so_and_closing_ends_it() -> None:
    async def steps() -> None:
        debugger = Gated(SearchFindings(hypotheses=()), open=False)
        agent = BuiltinAgent(debugger)
        id = await agent.spawn_agent(Message(action="DEBUG", text="", debug=ORDER))
        output = (await agent.wait([id], 10))[id]
        assert output.running
        assert output.text
        assert output.report is None
        with pytest.raises(AgentError, match="still working"):
            await agent.send_input(id, Message(action="DEBUG", text="", debug=ORDER))
        await agent.close_agent(id)
        assert debugger.cancelled
        await agent.close_agent(id)
        with pytest.raises(AgentError, match="closed"):
            await agent.wait([id], 10)

    played(steps)


def test_one_session_takes_one_message_after_the_other() -> None:
    async def steps() -> None:
        debugger = Gated(SearchFindings(hypotheses=()))
        agent = BuiltinAgent(debugger)
        id = await agent.spawn_agent(Message(action="INIT", text=""))
        await agent.wait([id], 10_000)
        for _ in range(2):
            await agent.send_input(id, Message(action="DEBUG", text="", debug=ORDER))
            assert (await agent.wait([id], 10_000))[id].findings == debugger.answer
        assert len(debugger.orders) == 2
        await agent.close_agent(id)

    played(steps)


def test_a_broken_debugger_is_heard_not_swallowed() -> None:
    class Broken(Gated):
        async def search(self, request: DebugRequest) -> SearchFindings:
            raise ZeroDivisionError("a bug of ours")

    with pytest.raises(ZeroDivisionError):
        ask(Message(action="DEBUG", text="", debug=ORDER), Broken(SearchFindings(hypotheses=())))
