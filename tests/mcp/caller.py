"""A caller of the control server, as an agent or an editor is one: the real client, over stdio or HTTP."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from mcp import ClientSession, StdioServerParameters
from tests.cli.conftest import ROOT, Desk

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

    async def rested(self, loop_id: str) -> Told:
        """Waits again and again, as the tool says one should."""
        while not (told := await self.call("wait", id=loop_id, seconds=20))["rested"]:
            assert told["next"] == "`wait` until it ends or pauses"
        return told

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


@dataclass(frozen=True)
class Served:
    """The control server as a process, reached over HTTP."""

    process: "subprocess.Popen[str]"
    url: str

    @asynccontextmanager
    async def calling(self) -> AsyncIterator[Caller]:
        async with streamable_http_client(self.url) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield Caller(session)


@contextmanager
def served(desk: Desk) -> Iterator[Served]:
    """Ended with the block, unless that has happened before."""
    env = {**desk.env, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp.http_server", str(desk.project)], cwd=desk.project, env=env,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield Served(process, f"http://127.0.0.1:{int(process.stdout.readline())}/mcp")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
