"""What passes between the engine and an agent: a message out, a report back."""

from enum import Enum
from typing import Any, Literal

from pydantic import Field

from loopwright.domain.debugging import DebugRequest, Findings
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.loop import ActionName, DevelopTask
from loopwright.domain.record import Items, Record

ReportStatus = Literal["success", "failed", "needs_input"]


class Control(Enum):
    """What a runner has to do before its next action."""

    CONTINUE = "continue"
    PAUSE_EXIT = "pause_exit"
    STOP_EXIT = "stop_exit"


class Message(Record):
    """One message to an agent. Agents that read prose take `text`; embedded ones take the typed order beside it.

    `seconds` for the whole turn, `silence` between two signs of life (0: no limit).
    """

    action: ActionName
    text: str
    task: DevelopTask | None = None
    definition: LoopTask | None = None
    debug: DebugRequest | None = None
    seconds: float = 600
    silence: float = 0


class ActionReport(Record):
    """The agent's ACTION_RESULT. A claim, never a measurement."""

    action: str
    status: ReportStatus
    message: str = ""
    state_updates: dict[str, Any] = Field(default_factory=dict)  # Any: agents write what they like; checked later
    files_updated: dict[str, str] = Field(default_factory=dict)
    next_action_needed: str | None = None
    options: Items[str] = ()


class Usage(Record):
    """What a turn cost. None: not known, which is not zero."""

    tokens: int | None = None
    cost: float | None = None


class AgentOutput(Record):
    """The state of one agent after `wait`. `text` is partial while `running`.

    `wrote`: project-relative files that the agent's own tool calls wrote, where that is known.
    `truncated`: it said more than is kept.
    `findings` come only from an agent that measures by itself (`Capabilities.measures`).
    """

    agent_id: str
    running: bool
    text: str = ""
    report: ActionReport | None = None
    findings: Findings | None = None
    exit_code: int | None = None
    wrote: Items[str] = ()
    truncated: bool = False
    usage: Usage = Usage()


class Capabilities(Record):
    """What an agent can be asked for."""

    plans: bool = False
    writes_code: bool = False
    writes_tests: bool = False
    debugs: bool = False
    measures: bool = False
