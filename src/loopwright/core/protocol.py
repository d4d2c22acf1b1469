"""What passes between the engine and an agent: a message out, a report back."""

from enum import Enum
from typing import Any, Literal

from pydantic import Field

from loopwright.core.cycle_names import StepName
from loopwright.core.names import ActionName, TuningStepName
from loopwright.core.record import Items, Record, is_empty
from loopwright.core.state import DevelopTask, LoopTask, ModelUsage, Policy
from loopwright.evidence.debugging import DebugRequest, SearchFindings
from loopwright.reports.block import PhaseStatus
from loopwright.reports.block import ReportStatus as ReportStatus


class Control(Enum):
    """What a runner has to do before its next action."""

    CONTINUE = "continue"
    PAUSE_EXIT = "pause_exit"
    STOP_EXIT = "stop_exit"


class Message(Record):
    """One message to an agent. Agents that read prose take `text`; embedded ones take the typed order beside it.

    `seconds` for the whole turn, `silence` between two signs of life (0: no limit).

    `session` is the agent's own name of an earlier session of this loop, to be gone on with where it can be loaded.
    `brief` goes before `text` in a session that knows nothing of the work so far; empty at the loop's first message.
    `short` takes the place of `text` where its process has been told the whole of it before; empty: nothing does.
    `by_text` says how to report without tools, to a session that has none of ours. `told`: what a person says to it.

    `folder`: absolute path of what is the agent's own: it may write below it whatever the policy, and in a cycle it is
    writable though it lies below `.workflow`. Empty: there is none.
    """

    action: ActionName | StepName | TuningStepName
    text: str
    task: DevelopTask | None = None
    definition: LoopTask | None = None
    debug: DebugRequest | None = None
    seconds: float = 600
    silence: float = 0
    policy: Policy = "workspace"
    session: str | None = None
    brief: str = ""
    short: str = ""
    by_text: str = ""
    told: str = ""
    folder: str = ""


class ActionReport(Record):
    """The agent's ACTION_RESULT, or PHASE_RESULT. A claim, never a measurement.

    `action`: what it says it was ordered to do; the step's own name where that is meant. `unread`: the part of it that
    could not be read. Status `none`: it gave no report, also when it was asked for one; only what was measured counts.
    """

    action: str
    status: ReportStatus | PhaseStatus | Literal["none"]
    message: str = ""
    state_updates: dict[str, Any] = Field(default_factory=dict)  # Any: agents write what they like; checked later
    files_updated: dict[str, str] = Field(default_factory=dict)
    next_action_needed: str | None = None
    options: Items[str] = ()
    unread: str = ""


class Usage(Record):
    """What a turn cost, in tokens and US dollars. None: not known, which is not zero.

    `tokens` are all of them; `cached` is a part of `input`, and reasoning a part of `output`. `model` as the agent
    names it, where it does. `by_model`: the parts of a sum, where models are known.
    """

    tokens: int | None = None
    cost: float | None = None
    input: int | None = None
    cached: int | None = None
    output: int | None = None
    model: str | None = None
    by_model: Items[ModelUsage] = Field(default=(), exclude_if=is_empty)


class AgentOutput(Record):
    """The state of one agent after `wait`. `text` is partial while `running`.

    `wrote`: files that the agent's own tool calls wrote, where that is known; relative to the folder it works in, and
    that is also how its own folder and those beside it (see `Message.folder`) are named where they lie below that;
    absolute where they lie elsewhere, as for who works in another tree. What is written through a link is named twice:
    so, and by where it leads. Any other place is not named, nor what shell commands wrote.
    `truncated`: it said more than is kept. `session`: its own name of the session, to be loaded later; None where it
    has none. `signs` grows with every sign of life. `asking`: it waits for a person's permission, so its time stands.
    `received`: the turn's message has reached it. `steers`: it can be told something within this turn.
    `findings` come only from an agent that measures by itself (`Capabilities.measures`).
    """

    agent_id: str
    running: bool
    text: str = ""
    report: ActionReport | None = None
    findings: SearchFindings | None = None
    exit_code: int | None = None
    wrote: Items[str] = ()
    truncated: bool = False
    usage: Usage = Usage()
    session: str | None = None
    signs: int = 0
    asking: bool = False
    received: bool = True
    steers: bool = False


class Capabilities(Record):
    """What an agent can be asked for."""

    plans: bool = False
    writes_code: bool = False
    writes_tests: bool = False
    debugs: bool = False
    measures: bool = False
