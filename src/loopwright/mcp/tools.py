"""The tools that drive loops, cycles and tuning sessions: one row for each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from loopwright.domain import debug_calls
from loopwright.domain.looking import Probed, Proposal, RanTests, Spectrum
from loopwright.engine.threads import in_thread
from loopwright.mcp import asked, cycling, debug_asked, driving, told, tuning
from loopwright.mcp.asked import Arguments
from loopwright.mcp.cycle_told import CycleReport, CycleWaited, Documents
from loopwright.mcp.desk import Desk
from loopwright.mcp.listed import Changed, Listed
from loopwright.mcp.looking import look_for
from loopwright.mcp.pages import Answered
from loopwright.mcp.schemas import input_schema, output_schema
from loopwright.mcp.tuning_told import Findings, Fixes, TuningReport, TuningWaited
from loopwright.mcp.waiting import Tell, wait

LOOKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
NOTES = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)  # fmt: skip
HOLDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ENDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
WORKS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)
"""An agent works on the project's files from then on, and may reach whatever its permissions let it."""


REPORTS = (told.Report, CycleReport, TuningReport)

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

    async def call(desk: Desk, arguments: debug_asked.Debugging, tell: Tell) -> Answered:
        return await look_for(desk, arguments, tell, tool)

    return call


_ALL = (
    Tool(
        "start_loop", "Start a loop",
        "Starts a coding loop on a project in the background: an agent works on the task and tests run, again and"
        " again, until the tests prove it or a limit is reached. Comes back at once; then call `wait`.",
        asked.StartLoop, (told.Report,), WORKS, _beside(driving.start_loop),
    ),
    Tool(
        "start_cycle", "Start a cycle",
        "Starts a cycle on a project in the background, for larger tasks: one role writes the requirements, one"
        " explores and plans, one develops and one validates, in iterations, until the tests prove it or a limit is"
        " reached. Comes back at once; then call `wait`.",
        asked.StartCycle, (CycleReport,), WORKS, _beside(cycling.start_cycle),
    ),
    Tool(
        "list", "List what there is",
        "Lists loops, cycles and tuning sessions, latest change first, and the projects there are.",
        asked.ListRuns, (Listed,), LOOKS, _beside(driving.list_runs),
    ),
    Tool(
        "status", "Look at one",
        "Tells how a loop, cycle or tuning session stands: what fails, what it needs, how it ended, what to do next.",
        asked.OneRun, REPORTS, LOOKS, _beside(driving.status),
    ),
    Tool(
        "wait", "Wait for one",
        "Waits until a loop, cycle or tuning session rests or needs a person, at most that many seconds, and tells how"
        " it stands then.",
        asked.Wait, (told.Waited, CycleWaited, TuningWaited), LOOKS, wait,
    ),
    Tool(
        "pause", "Pause one", "Pauses a running loop or cycle before its next step; nothing is lost.",
        asked.Pause, REPORTS, HOLDS, _beside(driving.pause),
    ),
    Tool(
        "resume", "Resume one",
        "Lets what is paused, interrupted or merely created run on in the background.",
        asked.Resume, REPORTS, WORKS, _beside(driving.resume),
    ),
    Tool(
        "stop", "Stop one",
        "Ends it, with everything it started. What a loop or cycle has changed stays in the project, and `extend` could"
        " reopen it; of a tuning session only fixes that hold stay in the skill.",
        asked.OneRun, REPORTS, ENDS, _beside(driving.stop),
    ),
    Tool(
        "add_task", "Add a task", "Adds a task to a loop, after the last one.",
        asked.AddTask, (told.Added,), NOTES, _beside(driving.add_task),
    ),
    Tool(
        "extend", "Extend one",
        "Raises the limits of a loop or cycle, or adds to a cycle's task; one that has ended is reopened and runs on.",
        asked.Extend, REPORTS, WORKS, _beside(driving.extend),
    ),
    Tool(
        "answer", "Answer a question", "Answers the question a loop or cycle waits with, and lets it go on.",
        asked.Answer, REPORTS, WORKS, _beside(driving.answer),
    ),
    Tool(
        "decide", "Make a cycle's decision", "Makes a decision that a cycle waits for, and lets it go on.",
        asked.Decide, (CycleReport,), WORKS, _beside(cycling.decide),
    ),
    Tool(
        "resolve", "Resolve a cycle's blocker", "Tells a cycle what was done about a blocker; what it held goes on.",
        asked.Resolve, (CycleReport,), NOTES, _beside(cycling.resolve),
    ),
    Tool(
        "documents", "Read a cycle's documents",
        "Lists what a cycle's roles have written (requirements, plan, results, …), or shows one, in any version.",
        asked.ReadDocuments, (Documents,), LOOKS, _beside(cycling.documents),
    ),
    Tool(
        "diagnose", "Diagnose a skill",
        "Finds what is wrong with an agent skill (context, memory, data flow, agents and tools): each finding with its"
        " place, why it matters and what to do; a score and a quality gate. Reads only, and answers at once.",
        asked.Diagnose, (Findings,), LOOKS, _beside(tuning.diagnose),
    ),
    Tool(
        "start_tuning", "Tune a skill",
        "Starts a session that diagnoses an agent skill and mends it, as far as `fix` and `agent` allow: every fix is a"
        " diff, verified by diagnosing the whole skill again, and rolled back if it does not hold. Comes back at once;"
        " then call `wait`.",
        asked.StartTuning, (TuningReport,), WORKS, _beside(tuning.start_tuning),
    ),
    Tool(
        "findings", "Read a tuning session's findings", "What its last diagnosis has found, part by part.",
        asked.ReadFindings, (Findings,), LOOKS, _beside(tuning.findings),
    ),
    Tool(
        "fixes", "Read a tuning session's fixes",
        "Lists its fixes and what became of each, or shows one with its diff.",
        asked.ReadFixes, (Fixes,), LOOKS, _beside(tuning.fixes),
    ),
    Tool(
        "choose", "Choose a tuning session's fixes", "Takes fixes that it offers, and no others; it goes on with them.",
        asked.Choose, (TuningReport,), WORKS, _beside(tuning.choose),
    ),
    Tool(
        "roll_back", "Roll a fix back", "Makes the files that a fix has changed byte for byte what they were before.",
        asked.RollBack, (TuningReport,), ENDS, _beside(tuning.roll_back),
    ),
    Tool(
        "run_failing_tests", "Run failing tests again", debug_calls.RUN_WORDS,
        debug_asked.RunTests, (RanTests,), LOOKS, _debugging("run_failing_tests"),
    ),
    Tool(
        "spectrum", "Rank suspicious statements", debug_calls.SPECTRUM_WORDS,
        debug_asked.Rank, (Spectrum,), LOOKS, _debugging("spectrum"),
    ),
    Tool(
        "probe", "See what is there at a line", debug_calls.PROBE_WORDS,
        debug_asked.Watch, (Probed,), LOOKS, _debugging("probe"),
    ),
    Tool(
        "propose_fix", "Search for a small fix", debug_calls.FIX_WORDS,
        debug_asked.SearchFix, (Proposal,), LOOKS, _debugging("propose_fix"),
    ),
    Tool(
        "diff", "See what was changed",
        "Gives a unified diff of what a loop, cycle or tuning session, one checkpoint, or one iteration of a cycle has"
        " changed.",
        asked.Diff, (Changed,), LOOKS, _beside(driving.diff),
    ),
)  # fmt: skip

TOOLS = {tool.name: tool for tool in _ALL}
"""By name."""
