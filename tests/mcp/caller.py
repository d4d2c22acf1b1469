"""A caller of the control server, as an agent or an editor is one: the real client, over stdio or HTTP."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp.client.stdio import stdio_client
from mcp_types import TextContent

from mcp import ClientSession, StdioServerParameters
from tests.cli.conftest import Desk

Told = dict[str, Any]  # Any: parsed JSON


@dataclass
class Caller:
    """`progress` holds what was told while it waited."""

    session: ClientSession
    progress: list[str] = field(default_factory=list)

    async def call(self, tool: str, /, **arguments: object) -> Told:
        """The typed answer; the client checks it against the tool's schema."""
        result = await self.session.call_tool(tool, arguments, progress_callback=self._hear)
        (text,) = result.content
        assert isinstance(text, TextContent)
        assert not result.is_error, text.text
        assert text.text
        found: Told = result.structured_content
        return found

    async def refused(self, tool: str, /, **arguments: object) -> str:
        """Why the call was refused."""
        result = await self.session.call_tool(tool, arguments)
        (text,) = result.content
        assert isinstance(text, TextContent)
        assert result.is_error, text.text
        return text.text

    async def text(self, tool: str, /, **arguments: object) -> str:
        """The answer in words."""
        (text,) = (await self.session.call_tool(tool, arguments)).content
        assert isinstance(text, TextContent)
        return text.text

    async def _hear(self, progress: float, total: float | None, message: str | None) -> None:
        assert total is not None
        assert 0 <= progress <= total
        self.progress.append(message or "")


@asynccontextmanager
async def calling(desk: Desk, *arguments: str, **env: str) -> AsyncIterator[Caller]:
    """`loopwright mcp` as a process of that project."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "loopwright", "mcp", *arguments], cwd=desk.project, env={**desk.env, **env}
    )
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield Caller(session)
