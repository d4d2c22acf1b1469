"""One turn of an agent, folded from its updates. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from acp import schema

from loopwright.agents.acp.calls import Call, Update, updated
from loopwright.agents.acp.usage import added
from loopwright.domain.conversation import AgentEvent, Planned, Said, Thought
from loopwright.domain.protocol import Usage

TEXT_KEPT = 200_000
"""Characters of an answer that are kept: the end of it, where a report stands."""

CALLS_KEPT = 200
"""Tool calls that are known by their id; of older ones only the files are kept."""

FILES_KEPT = 10_000

PLAN_KEPT = 100

SessionUpdate = (
    schema.UserMessageChunk | schema.AgentMessageChunk | schema.AgentThoughtChunk | schema.ToolCallStart
    | schema.ToolCallProgress | schema.AgentPlanUpdate | schema.AgentPlanContentUpdate | schema.AgentPlanRemovedUpdate
    | schema.AvailableCommandsUpdate | schema.CurrentModeUpdate | schema.ConfigOptionUpdate | schema.SessionInfoUpdate
    | schema.UsageUpdate
)  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """What has been heard since the prompt.

    `unnamed`: the part of the text that belongs to no message; codex tells of its troubles so. `is_broken`: codex says
    that the thread has failed. `metered`: the tokens that were told along with the text.
    """

    text: str = ""
    cut: bool = False
    unnamed: str = ""
    is_broken: bool = False
    metered: Usage | None = None
    calls: Mapping[str, Call] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    message: str | None = None
    is_parted: bool = False

    @property
    def wrote(self) -> tuple[str, ...]:
        """What its tool calls have written, or may have, as the agent named it."""
        paths = (path for call in self.calls.values() for path in call.wrote)
        return tuple(dict.fromkeys((*self.written, *paths)))[:FILES_KEPT]


class Heard(NamedTuple):
    """The turn after an update, and what is to be told of it."""

    turn: Turn
    event: AgentEvent | None = None


def heard(turn: Turn, update: SessionUpdate) -> Heard:
    """The turn after this update."""
    match update:
        case schema.AgentMessageChunk():
            return _said(turn, update)
        case schema.AgentThoughtChunk():
            text = _text(update)
            return Heard(turn, Thought(text=text) if text else None)
        case schema.ToolCallStart() | schema.ToolCallProgress():
            return called(turn, update)
        case schema.AgentPlanUpdate():
            entries = tuple((entry.content, entry.status) for entry in update.entries[:PLAN_KEPT])
            return Heard(turn, Planned(entries=entries))
        case schema.SessionInfoUpdate():
            return Heard(replace(turn, is_broken=turn.is_broken or _tells_of_failure(update)))
        case _:
            return Heard(turn)


def called(turn: Turn, update: Update) -> Heard:
    """The turn after news of a tool call; also a request for permission brings such."""
    before = turn.calls.get(update.tool_call_id)
    call = updated(before or Call(update.tool_call_id), update)
    if call == before:
        return Heard(turn)
    calls = {**turn.calls, call.id: call}
    written = turn.written
    if len(calls) > CALLS_KEPT:
        oldest = calls.pop(next(iter(calls)))
        written = tuple(dict.fromkeys((*written, *oldest.wrote)))[:FILES_KEPT]
    return Heard(replace(turn, calls=calls, written=written, is_parted=True), call.told())


def _said(turn: Turn, chunk: schema.AgentMessageChunk) -> Heard:
    """Parts of one message belong together; between two messages, or around a tool call, is an empty line."""
    metered = (chunk.field_meta or {}).get("usage")
    if isinstance(metered, Mapping):
        turn = replace(turn, metered=added(turn.metered, metered))
    text = _text(chunk)
    if not text:
        return Heard(turn)
    is_next = turn.text != "" and (turn.is_parted or chunk.message_id != turn.message)
    more = f"\n\n{text}" if is_next else text
    whole = turn.text + more
    unnamed = turn.unnamed if chunk.message_id else (turn.unnamed + text)[-TEXT_KEPT:]
    return Heard(
        replace(
            turn, text=whole[-TEXT_KEPT:], cut=turn.cut or len(whole) > TEXT_KEPT, unnamed=unnamed,
            message=chunk.message_id, is_parted=False,
        ),
        Said(text=more),
    )  # fmt: skip


def _text(chunk: schema.AgentMessageChunk | schema.AgentThoughtChunk) -> str:
    return chunk.content.text if isinstance(chunk.content, schema.TextContentBlock) else ""


def _tells_of_failure(update: schema.SessionInfoUpdate) -> bool:
    codex = (update.field_meta or {}).get("codex")
    status = codex.get("threadStatus") if isinstance(codex, Mapping) else None
    return isinstance(status, Mapping) and status.get("type") == "systemError"
