"""Command tasks as an agent: bounded, honest about failure, and gone when closed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from loopwright.agents.task_agent import OUTPUT_KEPT, CommandAgent
from loopwright.core.errors import AgentError
from loopwright.core.names import ActionName
from loopwright.core.ports import Agent
from loopwright.core.protocol import AgentOutput, Capabilities, Message
from loopwright.core.state import LoopTask
from loopwright.processes.process_tree import LOOP, carries_tags, list_processes

AT = "2026-01-22T10:00:00+08:00"


def order(command: str | None, *, action: ActionName = "DEVELOP", seconds: float = 30) -> Message:
    task = LoopTask(task_id="task-1", description="x", tool="bash", command=command, created_at=AT, updated_at=AT)
    return Message(action=action, text="", definition=task, seconds=seconds)


def tagged(marker: str) -> list[int]:
    return [process.pid for process in list_processes() if carries_tags(process.pid, {LOOP: marker})]


def run(project: Path, steps: Callable[[CommandAgent], Awaitable[AgentOutput]]) -> AgentOutput:
    async def whole() -> AgentOutput:
        return await steps(CommandAgent(project, "loop-command"))

    output = asyncio.run(whole())
    assert tagged("loop-command") == []
    return output


def answer(project: Path, message: Message) -> AgentOutput:
    async def steps(agent: CommandAgent) -> AgentOutput:
        id = await agent.spawn_agent(message)
        output = (await agent.wait([id], 30_000))[id]
        await agent.close_agent(id)
        return output

    return run(project, steps)


def test_it_is_an_agent_that_claims_nothing(tmp_path: Path) -> None:
    agent: Agent = CommandAgent(tmp_path, "m")
    assert agent.capabilities == Capabilities()


def test_a_command_that_succeeds(tmp_path: Path) -> None:
    output = answer(tmp_path, order("echo hello > made.txt; pwd"))
    assert output.report is not None
    assert (output.running, output.exit_code, output.report.status) == (False, 0, "success")
    assert output.text == f"{tmp_path}\n"
    assert (tmp_path / "made.txt").read_text() == "hello\n"


@pytest.mark.parametrize(
    ("command", "exit_code", "words"),
    [
        ("echo no >&2; exit 3", 3, "exit code 3"),
        ("kill -9 $$", -9, "signal 9"),
        ("no-such-program-here", 127, "exit code 127"),
        ("if then", 2, "exit code 2"),
    ],
)
def test_a_command_that_fails_says_how(tmp_path: Path, command: str, exit_code: int, words: str) -> None:
    output = answer(tmp_path, order(command))
    assert output.report is not None
    assert (output.report.status, output.exit_code) == ("failed", exit_code)
    assert words in output.report.message
    assert output.text or exit_code < 0


def test_a_command_that_takes_too_long_is_ended_before_the_waiting_is(tmp_path: Path) -> None:
    output = answer(tmp_path, order("echo begun; sleep 60", seconds=1))
    assert output.report is not None
    assert (output.running, output.report.status, output.exit_code) == (False, "failed", None)
    assert "took longer than 0.75 s" in output.report.message
    assert output.text == "begun\n"


def test_a_silent_command_is_ended(tmp_path: Path) -> None:
    output = answer(tmp_path, order("echo begun; sleep 60").evolve(silence=1))
    assert output.report is not None
    assert output.report.status == "failed"
    assert output.report.message == ("The command showed no activity for 1 s and was ended (setting silence_timeout).")
    assert output.text == "begun\n"


def test_a_flood_is_capped(tmp_path: Path) -> None:
    output = answer(tmp_path, order("head -c 30000000 /dev/zero | tr '\\0' y; echo end"))
    assert output.text.endswith("end\n")
    assert len(output.text) < OUTPUT_KEPT + 100


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    output = answer(tmp_path / "gone", order("true"))
    assert output.report is not None
    assert output.report.status == "failed"
    assert "no such folder" in output.report.message


@pytest.mark.parametrize(
    "message",
    [order(None), order(""), order("touch made.txt", action="DEBUG"), Message(action="INIT", text="plan this")],
)
def test_anything_else_is_refused_plainly(tmp_path: Path, message: Message) -> None:
    output = answer(tmp_path, message)
    assert output.report is not None
    assert (output.report.status, output.report.action) == ("failed", message.action)
    assert "only runs the commands" in output.report.message
    assert list(tmp_path.iterdir()) == []


def test_waiting_with_a_limit_gives_what_was_said_so_far(tmp_path: Path) -> None:
    async def steps(agent: CommandAgent) -> AgentOutput:
        id = await agent.spawn_agent(order(f"echo so far; mkfifo {tmp_path}/p; cat {tmp_path}/p; echo done"))
        output = (await agent.wait([id], 0))[id]
        while not output.text:
            assert output.running
            output = (await agent.wait([id], 20))[id]
        assert (output.running, output.text, output.report) == (True, "so far\n", None)
        (tmp_path / "p").write_text("go on\n")
        return (await agent.wait([id], 20_000))[id]

    assert run(tmp_path, steps).text == "so far\ngo on\ndone\n"


def test_closing_ends_the_processes_and_may_be_done_twice(tmp_path: Path) -> None:
    async def steps(agent: CommandAgent) -> AgentOutput:
        begun = time.monotonic()
        id = await agent.spawn_agent(order("echo up; setsid sleep 60 & sleep 60"))
        while not (output := (await agent.wait([id], 20))[id]).text:
            pass
        await agent.close_agent(id)
        await agent.close_agent(id)
        await agent.close_agent("never-known")
        assert time.monotonic() - begun < 8
        with pytest.raises(AgentError, match="closed"):
            await agent.wait([id], 0)
        with pytest.raises(AgentError, match="closed"):
            await agent.send_input(id, order("true"))
        return output

    run(tmp_path, steps)


def test_closing_while_someone_waits_tells_them(tmp_path: Path) -> None:
    async def steps(agent: CommandAgent) -> AgentOutput:
        id = await agent.spawn_agent(order("sleep 60"))
        waiting = asyncio.ensure_future(agent.wait([id], 60_000))
        await asyncio.sleep(0)
        await agent.close_agent(id)
        with pytest.raises(AgentError, match="closed"):
            await waiting
        return AgentOutput(agent_id=id, running=False)

    run(tmp_path, steps)


def test_a_session_takes_one_command_after_the_other(tmp_path: Path) -> None:
    async def steps(agent: CommandAgent) -> AgentOutput:
        id = await agent.spawn_agent(order("sleep 0.3; echo one"))
        with pytest.raises(AgentError, match="still working"):
            await agent.send_input(id, order("echo early"))
        assert (await agent.wait([id], 20_000))[id].text == "one\n"
        await agent.send_input(id, order("echo two"))
        output = (await agent.wait([id], 20_000))[id]
        await agent.close_agent(id)
        return output

    assert run(tmp_path, steps).text == "two\n"


def test_two_sessions_run_side_by_side(tmp_path: Path) -> None:
    async def steps(agent: CommandAgent) -> AgentOutput:
        ids = [await agent.spawn_agent(order(f"echo {n}")) for n in range(2)]
        outputs = await agent.wait(ids, 20_000)
        while any(output.running for output in outputs.values()):
            outputs = await agent.wait(ids, 20_000)
        assert [outputs[id].text for id in ids] == ["0\n", "1\n"]
        return outputs[ids[0]]

    run(tmp_path, steps)
