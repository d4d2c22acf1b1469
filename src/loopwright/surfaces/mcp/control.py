"""The MCP server that drives loops, cycles and tuning sessions: for agents and editors, over stdio or HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from loopwright import __version__
from loopwright.core.errors import Invalid, LoopwrightError
from loopwright.projects import Projects
from loopwright.surfaces.mcp.pages import ToolOutput, render_page
from loopwright.surfaces.mcp.run_resolver import RunResolver
from loopwright.surfaces.mcp.tool_inputs import read_input
from loopwright.surfaces.mcp.tools import TOOLS, ToolRow

Context = ServerRequestContext[dict[str, object]]

NAME = "loopwright"
INSTRUCTIONS = (
    "Drives autonomous coding loops: start_loop hands a task to an agent that works in the background and is trusted"
    " only when the tests pass; start_cycle hands a larger one to four roles that write requirements, plan, develop"
    " and validate it in iterations; diagnose finds what is wrong with an agent skill, and start_tuning fixes it,"
    " verifying each fix with a new diagnosis; run_failing_tests, spectrum, probe and propose_fix find the cause of"
    " failing Python tests, on a copy of the project. After a start call, `wait` repeatedly until it ends or pauses,"
    " and do what `next` says. Only a person may answer their agents' permission requests, not you."
)


def control_server(projects: Projects) -> Server[dict[str, object]]:
    """Drives the loops of these projects."""
    desk, tools = RunResolver(projects), [tool.described for tool in TOOLS.values()]

    async def listed(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def called(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = _tool(params.name)
            arguments = read_input(tool.takes, params.arguments)
            return _answer(await tool.call(desk, arguments, context.session.report_progress))
        except LoopwrightError as refused:
            return _refusal(str(refused))
        except OSError as trouble:  # a disk that is full, a folder that has gone
            where = f"{trouble.filename}: " if trouble.filename else ""
            return _refusal(f"{where}{trouble.strerror or trouble}")

    return Server(NAME, version=__version__, instructions=INSTRUCTIONS, on_list_tools=listed, on_call_tool=called)


async def serve_stdio(projects: Projects) -> None:
    """Answers one caller until the input ends. Loops that it has started run on."""
    server = control_server(projects)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class ControlApp:
    """The same over streamable HTTP: an ASGI application for one path, answering while `running`.

    It keeps no sessions, so that a caller goes on with a server that was restarted meanwhile. Who may ask, and by
    which name, is for whoever stands in front of it.
    """

    def __init__(self, projects: Projects) -> None:
        self._manager = StreamableHTTPSessionManager(control_server(projects), stateless=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Once, for as long as it answers: in the lifespan of the server around it."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def _tool(name: str) -> ToolRow:
    if name not in TOOLS:
        raise Invalid(f"there is no tool {name!r} (available: {', '.join(TOOLS)})")
    return TOOLS[name]


def _answer(told: ToolOutput) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=render_page(told))],
        structured_content=told.model_dump(mode="json"),
    )


def _refusal(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=True)
