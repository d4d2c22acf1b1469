"""The tools that drive loops: one row for each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from loopwright.engine.threads import in_thread
from loopwright.mcp import asked, driving, told
from loopwright.mcp.asked import Arguments
from loopwright.mcp.desk import Desk
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


Call = Callable[[Desk, Any, Tell], Awaitable[Answered]]  # Any: what the tool's own `takes` names


@dataclass(frozen=True)
class Tool:
    """`takes` and `gives` are the models of what `call` is given and answers."""

    name: str
    title: str
    words: str
    takes: type[Arguments]
    gives: type[Answered]
    hints: types.ToolAnnotations
    call: Call

    @property
    def described(self) -> types.Tool:
        return types.Tool(
            name=self.name, title=self.title, description=self.words, annotations=self.hints,
            input_schema=input_schema(self.takes), output_schema=output_schema(self.gives),
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
        asked.StartLoop, told.Report, WORKS, _beside(driving.start_loop),
    ),
    Tool(
        "list", "List loops", "Lists loops, latest change first, and the projects there are.",
        asked.ListLoops, told.Listed, LOOKS, _beside(driving.list_loops),
    ),
    Tool(
        "status", "Look at a loop",
        "Tells how a loop stands: what fails, what it needs, how it ended, and what to do next.",
        asked.OneLoop, told.Report, LOOKS, _beside(driving.status),
    ),
    Tool(
        "wait", "Wait for a loop",
        "Waits until a loop rests or needs a person, at most that many seconds, and tells how it stands then.",
        asked.Wait, told.Waited, LOOKS, wait,
    ),
    Tool(
        "pause", "Pause a loop", "Pauses a running loop before its next step; nothing is lost.",
        asked.Pause, told.Report, HOLDS, _beside(driving.pause),
    ),
    Tool(
        "resume", "Resume a loop", "Lets a paused, interrupted or merely created loop run on in the background.",
        asked.OneLoop, told.Report, WORKS, _beside(driving.resume),
    ),
    Tool(
        "stop", "Stop a loop",
        "Ends a loop, with everything it started. Its changes stay in the project; `extend` could reopen it.",
        asked.OneLoop, told.Report, ENDS, _beside(driving.stop),
    ),
    Tool(
        "add_task", "Add a task", "Adds a task to a loop, after the last one.",
        asked.AddTask, told.Added, NOTES, _beside(driving.add_task),
    ),
    Tool(
        "extend", "Extend a loop",
        "Raises a loop's limits; one that has ended is reopened and runs on.",
        asked.Extend, told.Report, WORKS, _beside(driving.extend),
    ),
    Tool(
        "answer", "Answer a loop's question", "Answers the question a loop waits with, and lets it go on.",
        asked.Answer, told.Report, WORKS, _beside(driving.answer),
    ),
    Tool(
        "diff", "See what a loop changed", "Gives a unified diff of what a loop, or one checkpoint of it, has changed.",
        asked.Diff, told.Changed, LOOKS, _beside(driving.diff),
    ),
)  # fmt: skip

TOOLS = {tool.name: tool for tool in _ALL}
"""By name."""
