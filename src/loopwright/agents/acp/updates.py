"""One turn of an agent, folded from its updates. Pure."""

import posixpath
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple

from acp import schema

from loopwright.core.protocol import Usage
from loopwright.core.text import clip_text
from loopwright.core.transcript import AgentEvent, AgentPlan, AgentText, AgentThought, ToolStatus, ToolUse

OUTPUT_KEPT = 4_000
"""Characters of a tool's output that are told: the end of it."""

WORDS_TOLD = 2_000
"""Characters of a title, a command or a path that are told."""

PATHS_TOLD = 50

COMMAND_KEPT = 50_000
PATHS_KEPT = 500
"""What reaches one of these may be more than is known here; see policy/permissions.py."""

PATH_MAX = 4096
"""Longer ones, once they are in their shortest form, name no file."""

WRITING = frozenset({"edit", "delete", "move"})
ENDED = frozenset({"completed", "failed"})

Update = schema.ToolCallStart | schema.ToolCallProgress | schema.ToolCallUpdate


@dataclass(frozen=True)
class AgentToolCall:
    """`paths` are its locations, `changed` the files of its diffs; all as the agent wrote them.

    `server`: the MCP server whose tool it is, where the agent's program (not its model) says so.
    """

    id: str
    title: str = ""
    kind: str = "other"
    status: ToolStatus = "pending"
    paths: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    command: str | None = None
    output: str = ""
    server: str | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """Every place that it names, in any way."""
        return tuple(dict.fromkeys((*self.paths, *self.changed, *self.named)))

    @property
    def wrote(self) -> tuple[str, ...]:
        """What it has written, or may have."""
        if self.status in ("pending", "failed"):
            return ()
        return tuple(dict.fromkeys((*self.changed, *self.paths))) if self.kind in WRITING else self.changed

    def told(self) -> ToolUse:
        return ToolUse(
            id=clip_text(self.id, WORDS_TOLD),
            title=clip_text(self.title, WORDS_TOLD),
            tool=self.kind,
            status=self.status,
            paths=tuple(clip_text(path, WORDS_TOLD) for path in self.places[:PATHS_TOLD]),
            command=None if self.command is None else clip_text(self.command, WORDS_TOLD),
            output=self.output,
        )


def update_call(call: AgentToolCall, update: Update) -> AgentToolCall:
    """The call after an update; what the update leaves out stays."""
    raw = update.raw_input if isinstance(update.raw_input, Mapping) else None
    meta = update.field_meta or {}
    kind = update.kind or call.kind
    title = call.title if update.title is None else update.title[:COMMAND_KEPT]
    values = (value for key, value in (raw or {}).items() if key.lower().endswith(_PATH_KEYS))
    places = (one for value in values for one in (value if isinstance(value, list) else [value]))
    # gemini tells of a command only in the title
    is_title = kind == "execute" and title and raw is None and call.server is None
    return replace(
        call,
        title=title,
        kind=kind,
        status=update.status or call.status,
        paths=call.paths if update.locations is None else _paths(place.path for place in update.locations),
        changed=call.changed if update.content is None else _changed(call, update),
        named=_paths(one for one in places if isinstance(one, str) and one) or call.named,
        command=_command(raw or {}) or call.command or (title if is_title else None),
        output=_output(call, update, meta),
        server=_server(update.tool_call_id, kind, title, raw or {}, meta) or call.server,
    )


def paths_inside(paths: Iterable[str], roots: tuple[str, ...], beside: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Those that lie below one of the roots (names of one folder), relative to it; absolute where they lie `beside`.

    `beside` are names of one folder too: the first of them names what is found.
    """
    found: dict[str, None] = {}
    for path in paths:
        whole = posixpath.normpath(posixpath.join(roots[0], path))
        if (below := _below(whole, roots)) is not None:
            found[below] = None
        elif (below := _below(whole, beside)) is not None:
            found[posixpath.join(beside[0], below)] = None
    return tuple(found)


def _below(whole: str, roots: tuple[str, ...]) -> str | None:
    """What comes after the first root that it lies below."""
    bare = (root.rstrip("/") for root in roots)
    return next((whole[len(root) + 1 :] for root in bare if whole.startswith(f"{root}/")), None)


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    # a long one is cut only in its shortest form: what is cut away may lead elsewhere
    short = (path if len(path) <= PATH_MAX else posixpath.normpath(path)[: PATH_MAX + 1] for path in paths)
    return tuple(dict.fromkeys(short))[:PATHS_KEPT]


def _changed(call: AgentToolCall, update: Update) -> tuple[str, ...]:
    """Once told, a diff counts, though a later update may tell of a result instead."""
    diffs = (part for part in update.content or () if isinstance(part, schema.FileEditToolCallContent))
    return _paths((*call.changed, *(diff.path for diff in diffs)))


_PATH_KEYS = ("path", "paths", "file", "files", "filename", "dir", "directory", "folder", "source", "destination")
"""How the keys end under which agents and their tools name places: file_path, filePath, parentDir, new_path …"""


def _command(raw: Mapping[str, object]) -> str | None:
    command = raw.get("command", raw.get("cmd"))
    if isinstance(command, str):
        return command[:COMMAND_KEPT] or None
    if isinstance(command, list) and command and all(isinstance(part, str) for part in command):
        return shlex.join(command)[:COMMAND_KEPT]
    return None


def _output(call: AgentToolCall, update: Update, meta: Mapping[str, object]) -> str:
    delta = meta.get("terminal_output_delta")
    if isinstance(delta, Mapping) and isinstance(more := delta.get("data"), str):  # codex
        return (call.output + more)[-OUTPUT_KEPT:]
    if update.content is not None:
        texts = [
            part.content.text
            for part in update.content
            if isinstance(part, schema.ContentToolCallContent) and isinstance(part.content, schema.TextContentBlock)
        ]
        if texts:
            return "\n".join(texts)[-OUTPUT_KEPT:]
    return call.output


def _server(id: str, kind: str, title: str, raw: Mapping[str, object], meta: Mapping[str, object]) -> str | None:
    """The MCP server, each agent in its own way; never from words that a model can choose freely."""
    if meta.get("is_mcp_tool_call") is True and isinstance(server := raw.get("server"), str):  # codex
        return server
    claude = meta.get("claudeCode")
    names = (meta.get("toolName"), claude.get("toolName") if isinstance(claude, Mapping) else None)  # qwen, claude
    for name in names:
        if isinstance(name, str) and name.startswith("mcp__") and "__" in name[5:]:
            return name[5:].split("__", 1)[0]
    if kind == "other" and title.endswith(" MCP Server)") and " (" in title:  # gemini
        server = title[title.rindex(" (") + 2 : -len(" MCP Server)")]
        return server if id.startswith(f"mcp_{server}_") else None
    return None


UpdateFields = Mapping[str, object]


def sum_turn_usage(
    response: schema.PromptResponse | None, metered: Usage | None, cost: float | None, recorded: Usage | None = None
) -> Usage:
    """Of the whole turn. `metered`: told along with the text; `cost` of this turn in US dollars; `recorded`: by the
    agent's own record, which counts where it knows of more."""
    quota = _mapping((response.field_meta or {}).get("quota")) if response is not None else {}
    if response is not None and response.usage is not None:
        usage = count_usage(response.usage.model_dump(by_alias=True))
    elif quota:
        usage = count_usage(_mapping(quota.get("token_count")))
    else:
        usage = metered or Usage()
    if recorded and (recorded.tokens or 0) > (usage.tokens or 0):
        usage = recorded
    # where several were used, none of them tells the price of all
    by_model = quota.get("model_usage")
    names = {_mapping(one).get("model") for one in by_model} if isinstance(by_model, list) else set()
    name = names.pop() if len(names) == 1 else None
    return usage.evolve(cost=cost, model=name if isinstance(name, str) else None)


def add_usage(metered: Usage | None, more: Usage) -> Usage:
    """With one more request to the model; what one of them does not tell is not known of all."""
    if metered is None:
        return more
    return Usage(
        tokens=_plus(metered.tokens, more.tokens),
        input=_plus(metered.input, more.input),
        cached=_plus(metered.cached, more.cached),
        output=_plus(metered.output, more.output),
    )


def compute_turn_cost(before: schema.Cost | None, now: schema.Cost | None) -> float | None:
    """Of a turn, where the session's is told: in US dollars, or not at all. The very same: nothing was told since."""
    if now is None or now is before or now.currency.upper() != "USD":
        return None
    spent = now.amount - (before.amount if before is not None else 0.0)
    return spent if spent >= 0 else now.amount  # it began to count anew


def count_usage(told: UpdateFields) -> Usage:
    """Input with what was cached, output with what was thought; which of them an agent leaves out, its total tells."""
    input, output = _number(told, "inputTokens", "input_tokens"), _number(told, "outputTokens", "output_tokens")
    if input is None or output is None or not input + output:  # opencode counts nothing of a turn that was cancelled
        return Usage()
    read = _number(told, "cachedReadTokens", "cachedInputTokens")
    cached = (read or 0) + (_number(told, "cachedWriteTokens", "cacheWriteInputTokens") or 0)
    thought = _number(told, "thoughtTokens", "reasoningOutputTokens") or 0
    total = _number(told, "totalTokens", "total_tokens")
    for left_in, left_out in product((0, cached), (0, thought)):
        if total == input + left_in + output + left_out:
            input, output = input + left_in, output + left_out
            break
    return Usage(tokens=total or input + output, input=input, cached=read, output=output)


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _mapping(value: object) -> UpdateFields:
    return value if isinstance(value, Mapping) else {}


def _number(told: UpdateFields, *names: str) -> int | None:
    """The first that is a count. A number of a type or size that no count has is none."""
    for name in names:
        value = told.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15:
            return value
    return None


TEXT_KEPT = 200_000
"""Characters of an answer that are kept: the end of it, where a report stands."""

CALLS_KEPT = 200
"""Tool calls that are known by their id; of older ones only the files are kept."""

FILES_KEPT = 10_000

PLAN_KEPT = 100

SessionUpdate = (
    schema.UserMessageChunk
    | schema.AgentMessageChunk
    | schema.AgentThoughtChunk
    | schema.ToolCallStart
    | schema.ToolCallProgress
    | schema.AgentPlanUpdate
    | schema.AgentPlanContentUpdate
    | schema.AgentPlanRemovedUpdate
    | schema.AvailableCommandsUpdate
    | schema.CurrentModeUpdate
    | schema.ConfigOptionUpdate
    | schema.SessionInfoUpdate
    | schema.UsageUpdate
)


@dataclass(frozen=True)
class TurnState:
    """What has been heard since the prompt.

    `unnamed`: the part of the text that belongs to no message; codex tells of its troubles so. `is_broken`: codex says
    that the thread has failed. `metered`: the tokens that were told along with the text. `context`: those that the
    latest request took, where the agent tells how full its context is; `earlier`: those of the requests before it. A
    request is the next one (`is_next`) once a tool call has ended, or another message has begun.
    """

    text: str = ""
    cut: bool = False
    unnamed: str = ""
    is_broken: bool = False
    metered: Usage | None = None
    context: int = 0
    earlier: int = 0
    is_next: bool = False
    calls: Mapping[str, AgentToolCall] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    message: str | None = None
    is_parted: bool = False

    @property
    def heard_usage(self) -> Usage | None:
        """What was told of tokens before the turn has ended; None: nothing."""
        return self.metered or (Usage(tokens=self.earlier + self.context) if self.context else None)

    @property
    def wrote(self) -> tuple[str, ...]:
        """What its tool calls have written, or may have, as the agent named it."""
        paths = (path for call in self.calls.values() for path in call.wrote)
        return tuple(dict.fromkeys((*self.written, *paths)))[:FILES_KEPT]


class TurnUpdate(NamedTuple):
    """The turn after an update, and what is to be told of it."""

    turn: TurnState
    event: AgentEvent | None = None


def reduce_update(turn: TurnState, update: SessionUpdate) -> TurnUpdate:
    """The turn after this update."""
    match update:
        case schema.AgentMessageChunk():
            return _said(turn, update)
        case schema.AgentThoughtChunk():
            text = _text(update)
            return TurnUpdate(turn, AgentThought(text=text) if text else None)
        case schema.ToolCallStart() | schema.ToolCallProgress():
            return reduce_tool_call(turn, update)
        case schema.AgentPlanUpdate():
            entries = tuple((entry.content, entry.status) for entry in update.entries[:PLAN_KEPT])
            return TurnUpdate(turn, AgentPlan(entries=entries))
        case schema.UsageUpdate():
            earlier = turn.earlier + turn.context if turn.is_next else turn.earlier
            context = update.used if turn.is_next else max(update.used, turn.context)
            return TurnUpdate(replace(turn, context=context, earlier=earlier, is_next=False))
        case schema.SessionInfoUpdate():
            return TurnUpdate(replace(turn, is_broken=turn.is_broken or _tells_of_failure(update)))
        case _:
            return TurnUpdate(turn)


def reduce_tool_call(turn: TurnState, update: Update) -> TurnUpdate:
    """The turn after news of a tool call; also a request for permission brings such."""
    before = turn.calls.get(update.tool_call_id)
    call = update_call(before or AgentToolCall(update.tool_call_id), update)
    if call == before:
        return TurnUpdate(turn)
    calls = {**turn.calls, call.id: call}
    written = turn.written
    if len(calls) > CALLS_KEPT:
        oldest = calls.pop(next(iter(calls)))
        written = tuple(dict.fromkeys((*written, *oldest.wrote)))[:FILES_KEPT]
    is_next = turn.is_next or (call.status in ENDED and (before is None or before.status not in ENDED))
    return TurnUpdate(replace(turn, calls=calls, written=written, is_parted=True, is_next=is_next), call.told())


def _said(turn: TurnState, chunk: schema.AgentMessageChunk) -> TurnUpdate:
    """Parts of one message belong together; between two messages, or around a tool call, is an empty line."""
    metered = (chunk.field_meta or {}).get("usage")
    if isinstance(metered, Mapping):
        turn = replace(turn, metered=add_usage(turn.metered, count_usage(metered)))
    text = _text(chunk)
    if not text:
        return TurnUpdate(turn)
    is_apart = turn.text != "" and (turn.is_parted or chunk.message_id != turn.message)
    is_other = bool(turn.message) and chunk.message_id not in (None, turn.message)
    more = f"\n\n{text}" if is_apart else text
    whole = turn.text + more
    unnamed = turn.unnamed if chunk.message_id else (turn.unnamed + text)[-TEXT_KEPT:]
    return TurnUpdate(
        replace(
            turn,
            text=whole[-TEXT_KEPT:],
            cut=turn.cut or len(whole) > TEXT_KEPT,
            unnamed=unnamed,
            message=chunk.message_id,
            is_parted=False,
            is_next=turn.is_next or is_other,
        ),
        AgentText(text=more),
    )


def _text(chunk: schema.AgentMessageChunk | schema.AgentThoughtChunk) -> str:
    return chunk.content.text if isinstance(chunk.content, schema.TextContentBlock) else ""


def _tells_of_failure(update: schema.SessionInfoUpdate) -> bool:
    codex = (update.field_meta or {}).get("codex")
    status = codex.get("threadStatus") if isinstance(codex, Mapping) else None
    return isinstance(status, Mapping) and status.get("type") == "systemError"
