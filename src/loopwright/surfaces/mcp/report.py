"""The MCP server that an agent reports through, over stdio: `python -m loopwright.surfaces.mcp.report FOLDER`.

Started by the agent, once for each session; it ends when the agent closes its input.
"""

import asyncio
import gc
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from pydantic import JsonValue

from loopwright import __version__
from loopwright.agents.report_spool import ReportSpool, SpooledCall
from loopwright.core.errors import Conflict, Invalid
from loopwright.reports.tools import NO_REPORT, STEP_TOOLS, ReportCall, ReportOrder, answer_call, read_call, tools_for
from loopwright.surfaces.mcp.debugging import DEBUG_TOOLS, read_debug_call
from loopwright.surfaces.mcp.schemas import input_schema

if TYPE_CHECKING:
    from loopwright.surfaces.mcp.debugging import ProgressCallback


Context = ServerRequestContext[dict[str, object]]

NAME = "loopwright"
INSTRUCTIONS = "Report to the engine that gives you your orders. End every turn by calling {result} once."
DEBUGGING = (
    " While you look for a cause, run_failing_tests, spectrum, probe and propose_fix measure on a copy of the"
    " project and change nothing."
)
NOTHING_TO_DEBUG = (
    "There is nothing to debug in this order: no Python tests with pytest or unittest are known. Run the tests and read"
    " the code yourself."
)
BY_TEXT = "end your answer with {block} instead"


class AgentToolset(NamedTuple):
    """What the agent is given: by the order that is there when its session begins, and a session keeps to one kind.

    `debugs`: the tools of the debugger, too.
    """

    tools: Mapping[str, type[ReportCall]]
    instructions: str
    by_text: str
    debugs: bool = False

    @property
    def described(self) -> list[types.Tool]:
        told = [types.Tool(name=n, description=c.words, input_schema=input_schema(c)) for n, c in self.tools.items()]
        return [*told, *debug_tools()] if self.debugs else told


def choose_toolset(order: ReportOrder | None) -> AgentToolset:
    """Without an order, that of a loop."""
    tools = tools_for(order.action if order else "")
    if not tools:
        return AgentToolset(tools, f"{NO_REPORT}.", NO_REPORT)
    result = next(iter(tools))
    block = "a PHASE_RESULT block" if tools is STEP_TOOLS else "an ACTION_RESULT block"
    debugs = order is not None and order.debugs
    instructions = INSTRUCTIONS.format(result=result) + (DEBUGGING if debugs else "")
    return AgentToolset(tools, instructions, BY_TEXT.format(block=block), debugs)


def debug_tools() -> list[types.Tool]:
    """Those of the debugger, with what they answer."""
    from loopwright.surfaces.mcp.debugging import (
        list_debug_tools,  # most servers never need it, and all shall start fast
    )

    return list_debug_tools()


async def run_debug_call(
    box: ReportSpool, params: types.CallToolRequestParams, tell: "ProgressCallback"
) -> types.CallToolResult:
    """The debugger's answer to one call. Invalid and Conflict, in words that let the caller mend it at once."""
    from loopwright.surfaces.mcp.debugging import answer_debug_call

    call = read_debug_call(params.name, params.arguments or {})
    order = box.order()
    if order is None or not order.debugs:
        raise Invalid(NOTHING_TO_DEBUG)
    try:
        ground = box.ground()
    except OSError as error:
        raise Invalid(NOTHING_TO_DEBUG) from error
    return await answer_debug_call(call, ground, tell)


def keep_call(box: ReportSpool, tool: str, arguments: dict[str, JsonValue], kit: AgentToolset | None = None) -> str:
    """Keeps one call, and says so. Invalid, in words that let the caller mend it at once."""
    order = box.order()
    by_text = (kit or choose_toolset(order)).by_text
    if order is None:
        raise Invalid(f"There is no order to report on here; {by_text}.")
    call = read_call(order, tool, arguments)
    try:
        box.put(SpooledCall(turn=order.turn, tool=tool, arguments=call.model_dump(mode="json")))
    except OSError as error:
        raise Invalid(f"Not recorded: {error.strerror or error}; {by_text}.") from error
    return answer_call(call, order.action)


async def serve_reports(box: ReportSpool) -> None:
    """Answers until the input ends."""
    kit = choose_toolset(box.order())
    tools = kit.described

    async def listed(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        with suppress(OSError):  # then only nobody learns that the agent knows them
            box.know()
        return types.ListToolsResult(tools=tools)

    async def called(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            if params.name in DEBUG_TOOLS:
                return await run_debug_call(box, params, context.session.report_progress)
            told, is_error = keep_call(box, params.name, params.arguments or {}, kit), False
        except (Invalid, Conflict) as refused:
            told, is_error = str(refused), True
        except OSError as trouble:  # a disk that is full, a folder that has gone
            told, is_error = f"This could not be done: {trouble.strerror or trouble}; continue without it.", True
        return types.CallToolResult(content=[types.TextContent(type="text", text=told)], is_error=is_error)

    server = Server(NAME, version=__version__, instructions=kit.instructions, on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever interrupts the agent wants no traceback from here
    if len(sys.argv) != 2:
        sys.exit("usage: python -m loopwright.surfaces.mcp.report FOLDER")
    gc.set_threshold(50_000)  # loading makes many objects that stay
    asyncio.run(serve_reports(ReportSpool(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
