"""The MCP server that drives loops, cycles and tuning sessions: for agents and editors, over stdio or HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from loopwright import __version__
from loopwright.core.errors import Invalid, LoopwrightError
from loopwright.core.threads import run_in_thread
from loopwright.evidence.debugging import FixProposal, ProbeResult, RerunResults, Spectrum
from loopwright.projects import Projects
from loopwright.surfaces.commands import COMMANDS, CommandRow, Effect
from loopwright.surfaces.mcp import debugging, handlers, tool_inputs, tool_outputs
from loopwright.surfaces.mcp.handlers import ProgressCallback, run_debug_tool, wait_for_rest
from loopwright.surfaces.mcp.pages import ToolOutput, render_page
from loopwright.surfaces.mcp.run_resolver import RunResolver
from loopwright.surfaces.mcp.schemas import input_schema, output_schema
from loopwright.surfaces.mcp.tool_inputs import RunInput, ToolInput, derive_input, read_input
from loopwright.surfaces.mcp.tool_outputs import (
    CycleReport,
    CycleWaitResult,
    DiffOutput,
    DocumentsOutput,
    FindingsOutput,
    FixesOutput,
    RunListing,
    TuningReport,
    TuningWaitResult,
)
from loopwright.surfaces.run_kinds import CALLED, KindName

LOOKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
NOTES = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
HOLDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ENDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
WORKS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)
"""An agent works on the project's files from then on, and may reach whatever its permissions let it."""


REPORT_OF_KIND: dict[KindName, type[ToolOutput]] = {
    "loop": tool_outputs.LoopReport,
    "cycle": CycleReport,
    "tuning": TuningReport,
}
REPORTS = tuple(REPORT_OF_KIND.values())

Call = Callable[[RunResolver, Any, ProgressCallback], Awaitable[ToolOutput]]  # Any: what the tool's own `takes` names


@dataclass(frozen=True)
class ToolRow:
    """`takes` is the model of what `call` is given, `gives` are those of what it answers: one of them."""

    name: str
    title: str
    words: str
    takes: type[ToolInput]
    gives: tuple[type[ToolOutput], ...]
    hints: types.ToolAnnotations
    call: Call

    @property
    def described(self) -> types.Tool:
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.words,
            annotations=self.hints,
            input_schema=input_schema(self.takes),
            output_schema=output_schema(*self.gives),
        )


def _beside(work: Callable[[RunResolver, Any], ToolOutput]) -> Call:
    """What blocks, as a call that holds nobody else up. It has nothing to tell meanwhile."""

    async def call(resolver: RunResolver, arguments: ToolInput, tell: ProgressCallback) -> ToolOutput:
        return await run_in_thread(work, resolver, arguments)

    return call


def _debugging(tool: str) -> Call:
    """A question to the debugger."""

    async def call(resolver: RunResolver, arguments: tool_inputs.DebugInput, tell: ProgressCallback) -> ToolOutput:
        return await run_debug_tool(resolver, arguments, tell, tool)

    return call


HAND_WRITTEN = (
    ToolRow(
        "start_loop", "Start a loop",
        "Starts a coding loop on a project in the background: an agent works on the task and tests run, repeatedly,"
        " until the tests prove it or a limit is reached. Returns at once; then call `wait`.",
        tool_inputs.StartLoopInput, (tool_outputs.LoopReport,), WORKS, _beside(handlers.start_loop),
    ),
    ToolRow(
        "start_cycle", "Start a cycle",
        "Starts a cycle on a project in the background, for larger tasks: one role writes the requirements, one"
        " explores and plans, one develops and one validates, in iterations, until the tests prove it or a limit is"
        " reached. Returns at once; then call `wait`.",
        tool_inputs.StartCycleInput, (CycleReport,), WORKS, _beside(handlers.start_cycle),
    ),
    ToolRow(
        "list", "List runs",
        "Lists loops, cycles and tuning sessions, latest change first, and the projects.",
        tool_inputs.ListRunsInput, (RunListing,), LOOKS, _beside(handlers.list_runs),
    ),
    ToolRow(
        "status", "Show a run's status",
        "Returns the status of a loop, cycle or tuning session: what fails, what it needs, how it ended, what is next.",
        tool_inputs.RunInput, REPORTS, LOOKS, _beside(handlers.read_status),
    ),
    ToolRow(
        "wait", "Wait for a run",
        "Waits until a loop, cycle or tuning session ends, pauses or needs a person, at most that many seconds, and"
        " returns its status.",
        tool_inputs.WaitInput, (tool_outputs.LoopWaitResult, CycleWaitResult, TuningWaitResult), LOOKS, wait_for_rest,
    ),
    ToolRow(
        "resume", "Resume a run",
        "Continues a paused or interrupted run, or starts a created one, in the background.",
        tool_inputs.ResumeInput, REPORTS, WORKS, _beside(handlers.resume_run),
    ),
    ToolRow(
        "add_task", "Add a task", "Adds a task to a loop, after the last one.",
        tool_inputs.AddTaskInput, (tool_outputs.AddedTaskOutput,), NOTES, _beside(handlers.add_task),
    ),
    ToolRow(
        "extend", "Extend a run",
        "Raises the limits of a loop or cycle, or adds to a cycle's task; an ended one is reopened.",
        tool_inputs.ExtendInput, REPORTS, WORKS, _beside(handlers.extend_run),
    ),
    ToolRow(
        "answer", "Answer a question", "Answers the question a loop or cycle is waiting on, and continues it.",
        tool_inputs.AnswerInput, REPORTS, WORKS, _beside(handlers.answer_run),
    ),
    ToolRow(
        "decide", "Make a cycle's decision", "Makes a decision that a cycle is waiting for, and continues it.",
        tool_inputs.DecideInput, (CycleReport,), WORKS, _beside(handlers.make_decision),
    ),
    ToolRow(
        "documents", "Read a cycle's documents",
        "Lists what a cycle's roles have written (requirements, plan, results, …), or shows one, in any version.",
        tool_inputs.DocumentsInput, (DocumentsOutput,), LOOKS, _beside(handlers.read_documents),
    ),
    ToolRow(
        "diagnose", "Diagnose a skill",
        "Finds what is wrong with an agent skill (context, memory, data flow, agents and tools): each finding with its"
        " place, why it matters and what to do; a score and a quality gate. Read-only; returns at once.",
        tool_inputs.DiagnoseInput, (FindingsOutput,), LOOKS, _beside(handlers.diagnose_folder),
    ),
    ToolRow(
        "start_tuning", "Tune a skill",
        "Starts a session that diagnoses an agent skill and fixes it, as far as `fix` and `agent` allow: every fix is a"
        " diff, verified by diagnosing the whole skill again, and rolled back if it does not hold. Returns at once;"
        " then call `wait`.",
        tool_inputs.StartTuningInput, (TuningReport,), WORKS, _beside(handlers.start_tuning),
    ),
    ToolRow(
        "findings", "Read a tuning session's findings", "What its last diagnosis found, page by page.",
        tool_inputs.FindingsInput, (FindingsOutput,), LOOKS, _beside(handlers.read_findings),
    ),
    ToolRow(
        "fixes", "Read a tuning session's fixes",
        "Lists its fixes with their outcomes, or shows one with its diff.",
        tool_inputs.FixesInput, (FixesOutput,), LOOKS, _beside(handlers.read_fixes),
    ),
    ToolRow(
        "run_failing_tests", "Run failing tests again", debugging.RUN_WORDS,
        tool_inputs.RerunInput, (RerunResults,), LOOKS, _debugging("run_failing_tests"),
    ),
    ToolRow(
        "spectrum", "Rank suspicious statements", debugging.SPECTRUM_WORDS,
        tool_inputs.RankInput, (Spectrum,), LOOKS, _debugging("spectrum"),
    ),
    ToolRow(
        "probe", "Show values at a line", debugging.PROBE_WORDS,
        tool_inputs.ProbeInput, (ProbeResult,), LOOKS, _debugging("probe"),
    ),
    ToolRow(
        "propose_fix", "Search for a small fix", debugging.FIX_WORDS,
        tool_inputs.SearchFixInput, (FixProposal,), LOOKS, _debugging("propose_fix"),
    ),
    ToolRow(
        "diff", "Show the changes",
        "Returns a unified diff of what a loop, cycle or tuning session, one checkpoint, or one iteration of a cycle"
        " has changed.",
        tool_inputs.DiffInput, (DiffOutput,), LOOKS, _beside(handlers.read_diff),
    ),
)  # fmt: skip

EFFECT_HINTS: dict[Effect, types.ToolAnnotations] = {"notes": NOTES, "holds": HOLDS, "ends": ENDS, "works": WORKS}


def list_tools(rows: Iterable[CommandRow] = COMMANDS) -> dict[str, ToolRow]:
    """By name: what is written by hand, and what follows from the table of commands."""
    return {tool.name: tool for tool in (*HAND_WRITTEN, *(_derive_tool(row) for row in rows if "mcp" in row.surfaces))}


def _derive_tool(row: CommandRow) -> ToolRow:
    called = ", ".join(CALLED[kind] for kind in row.kinds)
    kinds = " or ".join(called.rsplit(", ", 1))

    def call(resolver: RunResolver, asked: RunInput) -> ToolOutput:
        found = resolver.driven(asked)
        if found.kind.name not in row.kinds:
            raise Invalid(f"{found.id} is a {found.kind.called}; only {kinds}s have that")
        if row.effect == "works":
            found.kind.load_prompts(found.place.engine)
        row.handle(found.service, found.id, **{field.name: getattr(asked, field.name) for field in row.fields})
        answer: ToolOutput = found.told()
        return answer

    return ToolRow(
        row.tool_name,
        row.tool_name.replace("_", " ").capitalize(),
        f"{row.help_for(kinds)} {row.details_for(kinds)}".strip(),
        derive_input(row),
        tuple(REPORT_OF_KIND[kind] for kind in row.kinds),
        EFFECT_HINTS[row.effect],
        _beside(call),
    )


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


def control_server(projects: Projects, rows: Iterable[CommandRow] = COMMANDS) -> Server[dict[str, object]]:
    """Drives the loops of these projects. `rows`: the table of commands."""
    resolver, known = RunResolver(projects), list_tools(rows)
    tools = [tool.described for tool in known.values()]

    async def listed(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def called(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = known.get(params.name)
            if tool is None:
                raise Invalid(f"there is no tool {params.name!r} (available: {', '.join(known)})")
            arguments = read_input(tool.takes, params.arguments)
            return _answer(await tool.call(resolver, arguments, context.session.report_progress))
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

    def __init__(self, projects: Projects, rows: Iterable[CommandRow] = COMMANDS) -> None:
        self._manager = StreamableHTTPSessionManager(control_server(projects, rows), stateless=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Once, for as long as it answers: in the lifespan of the server around it."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def _answer(told: ToolOutput) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=render_page(told))],
        structured_content=told.model_dump(mode="json"),
    )


def _refusal(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=True)
