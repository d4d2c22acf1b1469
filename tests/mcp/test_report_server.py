"""The server that agents report through, as a process, with the real client."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp.client.stdio import stdio_client
from mcp_types import InitializeResult, TextContent

from loopwright.agents.report_inbox import McpServer, ReportInbox
from loopwright.core.cycle_names import StepName
from loopwright.core.names import ActionName
from loopwright.core.protocol import ActionReport, Message
from loopwright.reports.phase import read_phase_report
from loopwright.reports.tools import NO_REPORT, STEP_TOOLS, TOOLS
from mcp import ClientSession, StdioServerParameters


@dataclass
class Talk:
    session: ClientSession
    begun: InitializeResult

    async def call(self, tool: str, **arguments: object) -> tuple[bool, str]:
        """Whether it was taken, and what was told."""
        result = await self.session.call_tool(tool, arguments)
        (told,) = result.content
        assert isinstance(told, TextContent)
        return not result.is_error, told.text

    async def result(self, action: str) -> tuple[bool, str]:
        return await self.call("report_action_result", action=action, status="success", message="done")


@asynccontextmanager
async def talking(server: McpServer, cwd: Path, environment: Mapping[str, str] | None = None) -> AsyncIterator[Talk]:
    """A session as an agent has it; what the agent's `environment` holds is the server's too."""
    parameters = StdioServerParameters(
        command=server.command, args=list(server.args), cwd=cwd, env={**(environment or {}), **dict(server.environment)}
    )
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        yield Talk(session, await session.initialize())


@pytest.fixture
def mailbox(tmp_path: Path) -> ReportInbox:
    return ReportInbox(tmp_path / "mailbox")


def order(mailbox: ReportInbox, action: ActionName | StepName) -> None:
    mailbox.open(Message(action=action, text=""))


async def test_a_session_from_planning_to_debugging(mailbox: ReportInbox, tmp_path: Path) -> None:
    order(mailbox, "INIT")
    async with talking(mailbox.server, tmp_path) as talk:
        assert talk.begun.server_info.name == "loopwright"
        assert "report_action_result" in (talk.begun.instructions or "")
        assert not await mailbox.until_known(0)
        listed = {tool.name: tool for tool in (await talk.session.list_tools()).tools}
        assert listed.keys() == TOOLS.keys()
        assert await mailbox.until_known(0)
        assert all(tool.description for tool in listed.values())
        schemas = json.dumps([tool.input_schema for tool in listed.values()])
        assert not any(word in schemas for word in ("$ref", "$defs", "anyOf", "kind", '"title": "'))
        assert '"enum": ["success", "failed", "needs_input"]' in schemas

        assert await talk.call("propose_tasks", tasks=[{"description": "a"}]) == (
            True, "Recorded 1 tasks. Now call report_action_result.",
        )  # fmt: skip
        taken, told = await talk.call("propose_hypotheses", hypotheses=[{"description": "a"}])
        assert (taken, "only DEBUG takes up such proposals" in told) == (True, True)
        taken, told = await talk.call("report_action_result", action="INIT", status="done", message="x")
        assert (taken, "allowed are success, failed, needs_input" in told) == (False, True)
        assert mailbox.report() is None
        assert await talk.result("INIT") == (
            True,
            "Recorded: INIT success. Your report is complete; end your turn now.",
        )
        assert mailbox.report() == ActionReport(
            action="INIT", status="success", message="done", state_updates={"tasks": [{"description": "a"}]}
        )
        assert [found.title for found in mailbox.discoveries()] == ["Suspected cause"]

        order(mailbox, "DEBUG")
        assert (await talk.result("INIT"))[0] is False
        assert (await talk.call("propose_hypotheses", hypotheses=[{"description": "h"}], active_bug="b"))[0]
        assert (await talk.call("report_discovery", title="t", text="x")) == (True, "Recorded.")
        assert (await talk.call("no_such_tool"))[0] is False
        assert (await talk.result("DEBUG"))[0]
        report = mailbox.report()
        assert report is not None
        assert report.state_updates["active_bug"] == "b"
        assert [found.title for found in mailbox.discoveries()] == ["t"]

        shutil.rmtree(tmp_path / "mailbox")
        taken, told = await talk.result("DEBUG")
        assert (taken, told) == (
            False,
            "There is no order to report on here; end your answer with an ACTION_RESULT block instead.",
        )
        order(mailbox, "DEVELOP")
        assert (await talk.result("DEVELOP"))[0]


async def test_a_session_of_a_cycle(mailbox: ReportInbox, tmp_path: Path) -> None:
    order(mailbox, "ep.explore")
    async with talking(mailbox.server, tmp_path) as talk:
        assert "report_phase_result" in (talk.begun.instructions or "")
        listed = {tool.name: tool for tool in (await talk.session.list_tools()).tools}
        assert listed.keys() == STEP_TOOLS.keys()
        schemas = json.dumps([tool.input_schema for tool in listed.values()])
        assert not any(word in schemas for word in ("$ref", "$defs", "anyOf", "kind", '"title": "'))
        assert '"enum": ["success", "failed", "partial"]' in schemas
        assert '"data": {"description": "The fact, with the keys its type needs.", "type": "object"}' in schemas
        assert '"enum": ["tech_stack", "project_config"' in schemas
        taken, told = await talk.call("report_discovery", type="test_command", data={})
        assert (taken, "a test_command needs unit in its data" in told) == (False, True)
        assert await talk.call("report_discovery", type="test_command", data={"unit": "make"}) == (True, "Recorded.")
        assert (await talk.result("ep.explore"))[0] is False
        done = {"status": "success", "summary": "explored", "decisions": "which? | a | b (recommended)"}
        assert (await talk.call("report_phase_result", phase="vas", **done))[0] is False
        assert await talk.call("report_phase_result", phase="ep", **done) == (
            True, "Recorded: ep.explore success. Your report is complete; end your turn now.",
        )  # fmt: skip
        report = mailbox.report()
        assert report is not None
        assert read_phase_report(report, "ep").decisions[0].recommended == "b"
        assert [found.data for found in mailbox.discoveries()] == [{"unit": "make"}]
        order(mailbox, "ep.plan")
        assert (await talk.call("report_phase_result", phase="ep", **done))[0]
        shutil.rmtree(tmp_path / "mailbox")
        assert "end your answer with a PHASE_RESULT block instead" in (await talk.call("report_phase_result"))[1]


async def test_no_folder_of_the_project_takes_the_place_of_its_modules(mailbox: ReportInbox, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for name in ("loopwright", "mcp", "pydantic", "asyncio"):
        (project / name).mkdir(parents=True)
        (project / name / "__init__.py").write_text("raise SystemExit('shadowed')")
    (project / "signal.py").write_text("raise SystemExit('shadowed')")
    order(mailbox, "DEVELOP")
    async with talking(mailbox.server, project, {"PYTHONPATH": str(project)}) as talk:
        assert (await talk.result("DEVELOP"))[0]


async def test_a_full_disk_is_told_and_tears_nothing(mailbox: ReportInbox, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: 1024 bytes."""
    order(mailbox, "DEVELOP")
    server = mailbox.server
    limited = McpServer(
        server.name,
        "/bin/bash",
        ("-c", 'ulimit -f 1; exec "$0" "$@"', server.command, *server.args),
        server.environment,
    )
    async with talking(limited, tmp_path) as talk:
        assert (await talk.call("report_discovery", title="t", text="x" * 500))[0]
        taken, told = await talk.call("report_discovery", title="t", text="x" * 900)
        assert not taken
        assert told.startswith("Not recorded: ")
        assert told.endswith("end your answer with an ACTION_RESULT block instead.")
    assert [found.text for found in mailbox.discoveries()] == ["x" * 500]


def started(server: McpServer) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [server.command, *server.args], env={**os.environ, **dict(server.environment)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_it_ends_with_its_input_and_says_nothing_of_its_own(mailbox: ReportInbox) -> None:
    order(mailbox, "DEVELOP")
    out, err = started(mailbox.server).communicate(b"no message\n\xff\xfe\n" + b"x" * 1_000_000 + b"\n", timeout=30)
    assert err == b""
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())


def test_an_interrupt_ends_it_without_a_traceback(mailbox: ReportInbox) -> None:
    process = started(mailbox.server)
    assert process.stdin is not None
    assert process.stdout is not None
    ask = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ask}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    assert b"loopwright" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (-signal.SIGINT, b"")


def test_it_ends_in_silence_when_nobody_reads_its_answers(mailbox: ReportInbox) -> None:
    process = started(mailbox.server)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(b'{"id": 1, "method": "ping"}\n' * 10, timeout=30)
    assert (process.returncode, err) == (0, b"")


def test_without_a_folder_it_says_how_it_is_called(mailbox: ReportInbox) -> None:
    server = mailbox.server
    bare = McpServer(server.name, server.command, server.args[:-1], server.environment)
    process = started(bare)
    assert process.communicate(timeout=30) == (b"", b"usage: python -m loopwright.surfaces.mcp.report FOLDER\n")
    assert process.returncode == 1


async def test_a_tuning_session_asks_for_no_report(mailbox: ReportInbox, tmp_path: Path) -> None:
    """The files are the result: the agent is told so, and given nothing that it could take for its work."""
    mailbox.open(Message(action="action-propose-fixes", text=""))
    async with talking(mailbox.server, tmp_path) as talk:
        assert talk.begun.instructions == f"{NO_REPORT}."
        assert (await talk.session.list_tools()).tools == []
        assert await talk.result("action-propose-fixes") == (False, f"{NO_REPORT}.")
    assert await mailbox.until_known(1)
    assert mailbox.report() is None
