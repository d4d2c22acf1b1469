"""The tools that drive loops and cycles: one row for each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from loopwright.engine.threads import in_thread
from loopwright.mcp import asked, cycling, driving, told
from loopwright.mcp.asked import Arguments
from loopwright.mcp.cycle_told import CycleReport, CycleWaited, Documents
from loopwright.mcp.desk import Desk
from loopwright.mcp.listed import Changed, Listed
from loopwright.mcp.pages import Answered
from loopwright.mcp.schemas import input_schema, output_schema
from loopwright.mcp.waiting import Tell, wait

LOOKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
NOTES = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)  # fmt: skip
HOLDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ENDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
WORKS = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)
"""An agent works on the project's files from then on, and may reach whatever its permissions let it."""


REPORTS = (told.Report, CycleReport)

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
        "list", "List loops and cycles", "Lists loops and cycles, latest change first, and the projects there are.",
        asked.ListRuns, (Listed,), LOOKS, _beside(driving.list_runs),
    ),
    Tool(
        "status", "Look at one",
        "Tells how a loop or cycle stands: what fails, what it needs, how it ended, and what to do next.",
        asked.OneRun, REPORTS, LOOKS, _beside(driving.status),
    ),
    Tool(
        "wait", "Wait for one",
        "Waits until a loop or cycle rests or needs a person, at most that many seconds, and tells how it stands then.",
        asked.Wait, (told.Waited, CycleWaited), LOOKS, wait,
    ),
    Tool(
        "pause", "Pause one", "Pauses a running loop or cycle before its next step; nothing is lost.",
        asked.Pause, REPORTS, HOLDS, _beside(driving.pause),
    ),
    Tool(
        "resume", "Resume one",
        "Lets a paused, interrupted or merely created loop or cycle run on in the background.",
        asked.OneRun, REPORTS, WORKS, _beside(driving.resume),
    ),
    Tool(
        "stop", "Stop one",
        "Ends a loop or cycle, with everything it started. Its changes stay in the project; `extend` could reopen it.",
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
        "diff", "See what was changed",
        "Gives a unified diff of what a loop or cycle, one checkpoint, or one iteration of a cycle has changed.",
        asked.Diff, (Changed,), LOOKS, _beside(driving.diff),
    ),
)  # fmt: skip

TOOLS = {tool.name: tool for tool in _ALL}
"""By name."""
