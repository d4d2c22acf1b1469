"""The tools that drive loops, cycles and tuning sessions: one row for each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from loopwright.core.threads import in_thread
from loopwright.evidence.debugging import Probed, Proposal, RanTests, Spectrum
from loopwright.surfaces.mcp import debugging, handlers, tool_inputs, tool_outputs
from loopwright.surfaces.mcp.handlers import Tell, look_for, wait
from loopwright.surfaces.mcp.pages import Answered
from loopwright.surfaces.mcp.run_resolver import Desk
from loopwright.surfaces.mcp.schemas import input_schema, output_schema
from loopwright.surfaces.mcp.tool_inputs import Arguments
from loopwright.surfaces.mcp.tool_outputs import (
    Changed,
    CycleReport,
    CycleWaited,
    Documents,
    Findings,
    Fixes,
    Listed,
    TuningReport,
    TuningWaited,
)

LOOKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
NOTES = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)  # fmt: skip
HOLDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ENDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
WORKS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)
"""An agent works on the project's files from then on, and may reach whatever its permissions let it."""


REPORTS = (tool_outputs.Report, CycleReport, TuningReport)

Call = Callable[[Desk, Any, Tell], Awaitable[Answered]]  # Any: what the tool's own `takes` names


@dataclass(frozen=True)
class Tool:
    """`takes` is the model of what `call` is given, `gives` are those of what it answers: one of them."""

    name: str
    title: str
    words: str
    takes: type[Arguments]
    gives: tuple[type[Answered], ...]
    hints: types.ToolAnnotations
    call: Call

    @property
    def described(self) -> types.Tool:
        return types.Tool(
            name=self.name, title=self.title, description=self.words, annotations=self.hints,
            input_schema=input_schema(self.takes), output_schema=output_schema(*self.gives),
        )  # fmt: skip


def _beside(work: Callable[[Desk, Any], Answered]) -> Call:
    """What blocks, as a call that holds nobody else up. It has nothing to tell meanwhile."""

    async def call(desk: Desk, arguments: Arguments, tell: Tell) -> Answered:
        return await in_thread(work, desk, arguments)

    return call


def _debugging(tool: str) -> Call:
    """A question to the debugger."""

    async def call(desk: Desk, arguments: tool_inputs.Debugging, tell: Tell) -> Answered:
        return await look_for(desk, arguments, tell, tool)

    return call


_ALL = (
    Tool(
        "start_loop", "Start a loop",
        "Starts a coding loop on a project in the background: an agent works on the task and tests run, repeatedly,"
        " until the tests prove it or a limit is reached. Returns at once; then call `wait`.",
        tool_inputs.StartLoop, (tool_outputs.Report,), WORKS, _beside(handlers.start_loop),
    ),
    Tool(
        "start_cycle", "Start a cycle",
        "Starts a cycle on a project in the background, for larger tasks: one role writes the requirements, one"
        " explores and plans, one develops and one validates, in iterations, until the tests prove it or a limit is"
        " reached. Returns at once; then call `wait`.",
        tool_inputs.StartCycle, (CycleReport,), WORKS, _beside(handlers.start_cycle),
    ),
    Tool(
        "list", "List runs",
        "Lists loops, cycles and tuning sessions, latest change first, and the projects.",
        tool_inputs.ListRuns, (Listed,), LOOKS, _beside(handlers.list_runs),
    ),
    Tool(
        "status", "Show a run's status",
        "Returns the status of a loop, cycle or tuning session: what fails, what it needs, how it ended, what is next.",
        tool_inputs.OneRun, REPORTS, LOOKS, _beside(handlers.status),
    ),
    Tool(
        "wait", "Wait for a run",
        "Waits until a loop, cycle or tuning session ends, pauses or needs a person, at most that many seconds, and"
        " returns its status.",
        tool_inputs.Wait, (tool_outputs.Waited, CycleWaited, TuningWaited), LOOKS, wait,
    ),
    Tool(
        "pause", "Pause a run", "Pauses a running loop or cycle before its next step; nothing is lost.",
        tool_inputs.Pause, REPORTS, HOLDS, _beside(handlers.pause),
    ),
    Tool(
        "resume", "Resume a run",
        "Continues a paused or interrupted run, or starts a created one, in the background.",
        tool_inputs.Resume, REPORTS, WORKS, _beside(handlers.resume),
    ),
    Tool(
        "stop", "Stop a run",
        "Ends it, with everything it started. Changes by a loop or cycle stay in the project, and `extend` can reopen"
        " it; of a tuning session only verified fixes stay in the skill.",
        tool_inputs.OneRun, REPORTS, ENDS, _beside(handlers.stop),
    ),
    Tool(
        "add_task", "Add a task", "Adds a task to a loop, after the last one.",
        tool_inputs.AddTask, (tool_outputs.Added,), NOTES, _beside(handlers.add_task),
    ),
    Tool(
        "extend", "Extend a run",
        "Raises the limits of a loop or cycle, or adds to a cycle's task; an ended one is reopened.",
        tool_inputs.Extend, REPORTS, WORKS, _beside(handlers.extend),
    ),
    Tool(
        "answer", "Answer a question", "Answers the question a loop or cycle is waiting on, and continues it.",
        tool_inputs.Answer, REPORTS, WORKS, _beside(handlers.answer),
    ),
    Tool(
        "decide", "Make a cycle's decision", "Makes a decision that a cycle is waiting for, and continues it.",
        tool_inputs.Decide, (CycleReport,), WORKS, _beside(handlers.decide),
    ),
    Tool(
        "resolve", "Resolve a cycle's blocker", "Tells a cycle how a blocker was resolved; the blocked work continues.",
        tool_inputs.Resolve, (CycleReport,), NOTES, _beside(handlers.resolve),
    ),
    Tool(
        "documents", "Read a cycle's documents",
        "Lists what a cycle's roles have written (requirements, plan, results, …), or shows one, in any version.",
        tool_inputs.ReadDocuments, (Documents,), LOOKS, _beside(handlers.documents),
    ),
    Tool(
        "diagnose", "Diagnose a skill",
        "Finds what is wrong with an agent skill (context, memory, data flow, agents and tools): each finding with its"
        " place, why it matters and what to do; a score and a quality gate. Read-only; returns at once.",
        tool_inputs.Diagnose, (Findings,), LOOKS, _beside(handlers.diagnose),
    ),
    Tool(
        "start_tuning", "Tune a skill",
        "Starts a session that diagnoses an agent skill and fixes it, as far as `fix` and `agent` allow: every fix is a"
        " diff, verified by diagnosing the whole skill again, and rolled back if it does not hold. Returns at once;"
        " then call `wait`.",
        tool_inputs.StartTuning, (TuningReport,), WORKS, _beside(handlers.start_tuning),
    ),
    Tool(
        "findings", "Read a tuning session's findings", "What its last diagnosis found, page by page.",
        tool_inputs.ReadFindings, (Findings,), LOOKS, _beside(handlers.findings),
    ),
    Tool(
        "fixes", "Read a tuning session's fixes",
        "Lists its fixes with their outcomes, or shows one with its diff.",
        tool_inputs.ReadFixes, (Fixes,), LOOKS, _beside(handlers.fixes),
    ),
    Tool(
        "choose", "Choose a tuning session's fixes", "Applies these of the offered fixes, and no others.",
        tool_inputs.Choose, (TuningReport,), WORKS, _beside(handlers.choose),
    ),
    Tool(
        "roll_back", "Roll a fix back", "Restores the files that a fix changed, byte for byte.",
        tool_inputs.RollBack, (TuningReport,), ENDS, _beside(handlers.roll_back),
    ),
    Tool(
        "run_failing_tests", "Run failing tests again", debugging.RUN_WORDS,
        tool_inputs.RunTests, (RanTests,), LOOKS, _debugging("run_failing_tests"),
    ),
    Tool(
        "spectrum", "Rank suspicious statements", debugging.SPECTRUM_WORDS,
        tool_inputs.Rank, (Spectrum,), LOOKS, _debugging("spectrum"),
    ),
    Tool(
        "probe", "Show values at a line", debugging.PROBE_WORDS,
        tool_inputs.Watch, (Probed,), LOOKS, _debugging("probe"),
    ),
    Tool(
        "propose_fix", "Search for a small fix", debugging.FIX_WORDS,
        tool_inputs.SearchFix, (Proposal,), LOOKS, _debugging("propose_fix"),
    ),
    Tool(
        "diff", "Show the changes",
        "Returns a unified diff of what a loop, cycle or tuning session, one checkpoint, or one iteration of a cycle"
        " has changed.",
        tool_inputs.Diff, (Changed,), LOOKS, _beside(handlers.diff),
    ),
)  # fmt: skip

TOOLS = {tool.name: tool for tool in _ALL}
"""By name."""
