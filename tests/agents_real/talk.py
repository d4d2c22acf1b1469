"""A conversation with a real agent over ACP, as plain as it gets: everything heard is kept, one policy answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import acp
from acp import schema

from tests.agents_real.agents import RealAgent
from tests.agents_real.fence import Fence
from tests.agents_real.processes import end_all, until

LINE_LIMIT = 50_000_000
"""Bytes that one message of an agent may have."""


@dataclass(frozen=True)
class Asked:
    """A permission request."""

    call: schema.ToolCallUpdate
    options: tuple[schema.PermissionOption, ...]

    @property
    def kinds(self) -> set[str]:
        return {option.kind for option in self.options}


@dataclass
class Heard:
    """The client's side. Updates are appended without waiting for anything, or a turn would end before its last one."""

    allow: bool = True
    updates: list[Any] = field(default_factory=list)  # Any: the library's union of a dozen classes
    asked: list[Asked] = field(default_factory=list)

    @property
    def kinds(self) -> set[str]:
        return {update.session_update for update in self.updates}

    @property
    def text(self) -> str:
        chunks = [update for update in self.updates if isinstance(update, schema.AgentMessageChunk)]
        return "".join(each.content.text for each in chunks if isinstance(each.content, schema.TextContentBlock))

    def forget(self) -> None:
        """Before the next turn."""
        self.updates.clear()
        self.asked.clear()

    async def session_update(self, session_id: str, update: Any, **_more: Any) -> None:
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_more: Any
    ) -> schema.RequestPermissionResponse:
        self.asked.append(Asked(tool_call, tuple(options)))
        wanted = "allow_once" if self.allow else "reject_once"
        chosen = next(option for option in options if option.kind == wanted)
        outcome = schema.AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def write_text_file(
        self, session_id: str, path: str, content: str, **_more: Any
    ) -> schema.WriteTextFileResponse | None:
        """opencode calls this though we do not offer it, and writes the file itself as well."""
        return None


@dataclass
class Talk:
    """A session with a running agent."""

    connection: acp.core.ClientSideConnection
    process: asyncio.subprocess.Process
    heard: Heard
    capabilities: schema.InitializeResponse
    session: schema.NewSessionResponse

    async def prompt(self, text: str, timeout: float = 120.0) -> schema.PromptResponse:
        """One turn; `heard` holds what belongs to it."""
        self.heard.forget()
        async with asyncio.timeout(timeout):
            return await self.connection.prompt(self.session.session_id, [acp.text_block(text)])

    async def cancel(self) -> None:
        await self.connection.cancel(self.session.session_id)


@asynccontextmanager
async def talking(
    agent: RealAgent, project: Path, fence: Fence, mcp_servers: tuple[schema.McpServerStdio, ...] = ()
) -> AsyncIterator[Talk]:
    """A session in this project while the block lasts; nothing of the agent is left afterwards."""
    with (agent.home / "stderr").open("ab") as stderr:
        process = await asyncio.create_subprocess_exec(
            *fence.prefix, *agent.argv, cwd=project, env=agent.environment, start_new_session=True, limit=LINE_LIMIT,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=stderr,
        )  # fmt: skip
    heard = Heard()
    # cast: what a client lacks the library answers with "method not found", as the protocol wants it
    connection = acp.connect_to_agent(cast(acp.Client, heard), process.stdin, process.stdout)
    try:
        async with asyncio.timeout(120):
            capabilities = await connection.initialize(acp.PROTOCOL_VERSION)
            session = await connection.new_session(str(project), mcp_servers=list(mcp_servers))
            if agent.mode is not None:
                await connection.set_session_mode(session.session_id, agent.mode)
        yield Talk(connection, process, heard, capabilities, session)
    finally:
        await end_all(process.pid, agent.home)
        await connection.close()
        await _closed(process)


async def _closed(process: asyncio.subprocess.Process) -> None:
    """Its end alone does not close the pipes, and asyncio gives no other way to do so."""
    await until(lambda: process.returncode is not None)  # else closing takes the exit status before asyncio has it
    process._transport.close()  # type: ignore[attr-defined]
    assert process.stdin is not None
    with suppress(ConnectionError):
        await process.stdin.wait_closed()
    await process.wait()
