"""What is heard of an agent while it works: for people who watch, and for the transcript. Pure."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from loopwright.domain.protocol import Usage
from loopwright.domain.record import Items, Record, absent

ToolStatus = Literal["pending", "in_progress", "completed", "failed"]


class SessionBegun(Record):
    """A session is open. `loaded`: it is one of before; `version` of the agent's program, as it tells it."""

    kind: Literal["session"] = "session"
    agent: str
    session: str | None = None
    loaded: bool = False
    version: str | None = None
    mode: str | None = None


class Said(Record):
    """A part of the agent's answer."""

    kind: Literal["said"] = "said"
    text: str


class Thought(Record):
    kind: Literal["thought"] = "thought"
    text: str


class Planned(Record):
    """The agent's own plan for the turn, as it stands now: (what, pending | in_progress | completed)."""

    kind: Literal["plan"] = "plan"
    entries: Items[tuple[str, str]] = ()


class ToolUsed(Record):
    """A tool call as it stands now; told again whenever it changes, under the same `id`.

    `tool` is its kind as ACP names it; `output` is a part of what it gave.
    """

    kind: Literal["tool"] = "tool"
    id: str
    title: str = ""
    tool: str = "other"
    status: ToolStatus = "pending"
    paths: Items[str] = ()
    command: str | None = None
    output: str = ""


class PermissionDecided(Record):
    """What became of a request, and why; `by` is policy or person."""

    kind: Literal["permission"] = "permission"
    title: str
    tool: str = "other"
    allowed: bool
    reason: str
    by: Literal["policy", "person"] = "policy"


class Discovered(Record):
    """Something worth keeping that the agent reported through report_discovery.

    `type` and `data` where it is an entry for the board of a cycle (see cycle_board); `title` says it in a line.
    """

    kind: Literal["discovery"] = "discovery"
    title: str
    text: str = ""
    type: str | None = Field(default=None, exclude_if=absent)
    data: dict[str, JsonValue] | None = Field(default=None, exclude_if=absent)


class UsageTold(Record):
    kind: Literal["usage"] = "usage"
    usage: Usage


class Trouble(Record):
    """Something that went wrong and did not end the turn: a line that was no message, a try that is repeated."""

    kind: Literal["trouble"] = "trouble"
    text: str


AgentEvent = Annotated[
    SessionBegun | Said | Thought | Planned | ToolUsed | PermissionDecided | Discovered | UsageTold | Trouble,
    Field(discriminator="kind"),
]
