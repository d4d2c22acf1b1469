"""What is heard of an agent while it works: for people who watch, and for the transcript. Pure."""

from typing import Annotated, Literal, assert_never

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from loopwright.core.cycle_names import StepName
from loopwright.core.errors import AgentTrouble
from loopwright.core.names import ActionName, TuningStepName
from loopwright.core.protocol import AgentOutput, Capabilities, Usage
from loopwright.core.record import Items, Record, Timestamp, first_problem, is_absent
from loopwright.core.state import Policy

ToolStatus = Literal["pending", "in_progress", "completed", "failed"]


class SessionStart(Record):
    """A session is open. `loaded`: it is one of before; `version` of the agent's program, as it tells it.

    `model` and `effort` that it works with, where it tells them.
    """

    kind: Literal["session"] = "session"
    agent: str
    session: str | None = None
    loaded: bool = False
    version: str | None = None
    mode: str | None = None
    model: str | None = None
    effort: str | None = None


class AgentText(Record):
    """A part of the agent's answer."""

    kind: Literal["said"] = "said"
    text: str


class AgentThought(Record):
    kind: Literal["thought"] = "thought"
    text: str


class AgentPlan(Record):
    """The agent's own plan for the turn, as it stands now: (what, pending | in_progress | completed)."""

    kind: Literal["plan"] = "plan"
    entries: Items[tuple[str, str]] = ()


class ToolUse(Record):
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


class PermissionResult(Record):
    """What became of a request, and why; `by` is policy or person."""

    kind: Literal["permission"] = "permission"
    title: str
    tool: str = "other"
    allowed: bool
    reason: str
    by: Literal["policy", "person"] = "policy"


class AgentDiscovery(Record):
    """Something worth keeping that the agent reported through report_discovery.

    `type` and `data` where it is an entry for the board of a cycle (see cycle_board); `title` says it in a line.
    """

    kind: Literal["discovery"] = "discovery"
    title: str
    text: str = ""
    type: str | None = Field(default=None, exclude_if=is_absent)
    data: dict[str, JsonValue] | None = Field(default=None, exclude_if=is_absent)


class UsageUpdate(Record):
    kind: Literal["usage"] = "usage"
    usage: Usage


class TroubleNote(Record):
    """Something that went wrong and did not end the turn: a line that was no message, a try that is repeated."""

    kind: Literal["trouble"] = "trouble"
    text: str


AgentEvent = Annotated[
    SessionStart
    | AgentText
    | AgentThought
    | AgentPlan
    | ToolUse
    | PermissionResult
    | AgentDiscovery
    | UsageUpdate
    | TroubleNote,
    Field(discriminator="kind"),
]


TRANSCRIPT = "transcript.ndjson"
"""Its name among the progress files."""

FORM = 1
"""Version of a recorded turn; one of another version cannot be played again."""

MARKS = {"pending": "·", "in_progress": "▸", "completed": "✓", "failed": "✗"}
"""How a tool call stands."""


class AgentAbilities(Record):
    """What an agent of this name could be asked for, told once by each runner."""

    kind: Literal["able"] = "able"
    agent: str
    capabilities: Capabilities


class AgentMessage(Record):
    """A message to an agent, whole. `first`: it began a session; then `brief` went before it."""

    kind: Literal["message"] = "message"
    agent: str
    action: ActionName | StepName | TuningStepName
    policy: Policy
    text: str
    first: bool = False
    brief: str = ""


class TurnFailure(Record):
    """Why a turn gave no answer; `cancelled`: somebody has ended it."""

    kind: AgentTrouble | Literal["cancelled"]
    message: str = ""
    until: Timestamp | None = None


class TurnEnd(Record):
    """What an action got from its agent, once all trouble on the way was dealt with: enough to play it again.

    `digest` of the order, so that another order is noticed. The answer's text stands in the lines before it.
    """

    kind: Literal["turn"] = "turn"
    form: int = FORM
    agent: str
    action: ActionName | StepName | TuningStepName
    digest: str
    output: AgentOutput | None = None
    error: TurnFailure | None = None


TranscriptEvent = AgentEvent | AgentAbilities | AgentMessage | TurnEnd
"""All that a line of the transcript can be about, but for notes."""

_EVENT: TypeAdapter[TranscriptEvent] = TypeAdapter(Annotated[TranscriptEvent, Field(discriminator="kind")])
_TEXTUAL = frozenset({"said", "thought", "trouble", "discovery", "message"})
"""Kinds whose `text` is their own; the others are put in words."""


def fields_of(event: TranscriptEvent) -> dict[str, JsonValue]:
    """What stands in a line beside its time: kind, text, and what the event has of its own."""
    fields: dict[str, JsonValue] = event.model_dump(mode="json", exclude_none=True)
    return {"kind": event.kind, "text": describe_event(event), **fields}


def event_of(fields: dict[str, JsonValue]) -> TranscriptEvent:
    """The event of a line. ValueError for a kind that is none, or fields that do not fit."""
    own = {name: v for name, v in fields.items() if name != "text" or fields.get("kind") in _TEXTUAL}
    try:
        return _EVENT.validate_python(own, strict=False)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from error


def describe_event(event: TranscriptEvent) -> str:
    """The event in words for people."""
    match event:
        case AgentText() | AgentThought() | TroubleNote() | AgentMessage():
            return event.text
        case SessionStart():
            known = " ".join(part for part in (event.agent, event.version) if part)
            effort = f" at {event.effort}" if event.effort else ""
            chosen = f", {event.model}{effort}" if event.model else ""
            return f"{'went on with a session' if event.loaded else 'a session'} of {known}{chosen}"
        case AgentPlan():
            done = sum(status == "completed" for _, status in event.entries)
            now = next((f"; now: {what}" for what, status in event.entries if status == "in_progress"), "")
            return f"{done} of {len(event.entries)} done{now}"
        case ToolUse():
            about = event.command or ", ".join(event.paths)
            name = event.title or event.tool
            return f"{MARKS[event.status]} {name}{f': {about}' if about and about not in name else ''}"
        case PermissionResult():
            verb = "allowed" if event.allowed else "refused"
            return f"{verb} by {event.by}: {event.title}{f' ({event.reason})' if event.reason else ''}"
        case AgentDiscovery():
            return ": ".join(part for part in (event.title, event.text) if part)
        case UsageUpdate():
            return describe_usage(event.usage)
        case AgentAbilities():
            return f"{event.agent} takes part"
        case TurnEnd():
            return f"{event.agent} {event.action}: {_ended(event)}"
        case _:
            assert_never(event)


def describe_usage(usage: Usage) -> str:
    """`12,345 tokens, $0.0123`."""
    tokens = f"{usage.tokens:,} tokens" if usage.tokens is not None else "tokens not known"
    return f"{tokens}, ${usage.cost:.4f}" if usage.cost is not None else tokens


def _ended(event: TurnEnd) -> str:
    if event.error:
        return event.error.kind
    report = event.output.report if event.output else None
    return report.status if report else "answered"
