"""Anthropic messages: claude."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from tests.model.dialect import RESETS_AT, Asked, Dialect, Form, Json, Refused, Said, data
from tests.model.script import Conversation, Fault, Message, Usage


class _Block(BaseModel):
    type: str
    text: str = ""
    content: "str | list[_Block] | None" = None


class _Message(BaseModel):
    role: Literal["user", "assistant", "system"]
    content: str | list[_Block]


class _Tool(BaseModel):
    name: str


class _Request(BaseModel):
    model: str
    messages: list[_Message]
    system: str | list[_Block] = ""
    tools: list[_Tool] = []
    stream: bool = False


def _read(path: str, body: bytes) -> Asked:
    request = _Request.model_validate_json(body)
    conversation = Conversation(
        model=request.model,
        system=_text(request.system),
        tools=tuple(tool.name for tool in request.tools),
        history=tuple(said for message in request.messages for said in _messages(message)),
    )
    if path.endswith("/count_tokens"):
        return Asked(Form.COUNT, conversation)
    return Asked(Form.STREAM if request.stream else Form.WHOLE, conversation)


def _messages(message: _Message) -> Sequence[Message]:
    blocks = [_Block(type="text", text=message.content)] if isinstance(message.content, str) else message.content
    if message.role == "system":  # reminders of claude itself
        return []
    who: Literal["user", "model"] = "user" if message.role == "user" else "model"
    results = [Message("tool", _text(block.content)) for block in blocks if block.type == "tool_result"]
    text = "\n".join(block.text for block in blocks if block.type == "text")
    return [*results, Message(who, text)] if text or not results else results


def _text(content: str | list[_Block] | None) -> str:
    return content if isinstance(content, str) else "\n".join(block.text for block in content or [])


def _events(said: Said) -> Sequence[bytes]:
    start = {**_head(said), "content": [], "stop_reason": None, "usage": _usage(said.usage) | {"output_tokens": 0}}
    frames = [_event("message_start", message=start)]
    if said.thought:
        thinking = [{"type": "thinking_delta", "thinking": said.thought}, {"type": "signature_delta", "signature": "s"}]
        frames += _block(0, {"type": "thinking", "thinking": ""}, thinking)
    at_text = 1 if said.thought else 0
    if said.text:
        text = [{"type": "text_delta", "text": piece} for piece in said.halves]
        frames += _block(at_text, {"type": "text", "text": ""}, text)
    for at, call in enumerate(said.calls, start=at_text + bool(said.text)):
        empty = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        frames += _block(at, empty, [{"type": "input_json_delta", "partial_json": call.text}])
    stopped = {"stop_reason": _reason(said), "stop_sequence": None}
    frames.append(_event("message_delta", delta=stopped, usage={"output_tokens": said.usage.output}))
    return [*frames, _event("message_stop")]


def _block(at: int, empty: Json, deltas: Sequence[Json]) -> Sequence[bytes]:
    return [
        _event("content_block_start", index=at, content_block=empty),
        *(_event("content_block_delta", index=at, delta=delta) for delta in deltas),
        _event("content_block_stop", index=at),
    ]


def _event(kind: str, **fields: object) -> bytes:
    return data({"type": kind, **fields}, kind)


def _whole(said: Said) -> Json:
    content: list[Json] = [{"type": "text", "text": said.text}] if said.text else []
    content += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in said.calls]
    stopped = {"stop_reason": _reason(said), "stop_sequence": None}
    return {**_head(said), "content": content, **stopped, "usage": _usage(said.usage)}


def _head(said: Said) -> dict[str, object]:
    return {"id": f"msg_{said.id}", "type": "message", "role": "assistant", "model": said.model}


def _reason(said: Said) -> str:
    return "tool_use" if said.calls else "end_turn"


def _usage(usage: Usage) -> dict[str, object]:
    """Here cached tokens are no part of `input_tokens`."""
    return {
        "input_tokens": usage.input - usage.cached,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.output,
    }


def _refuse(fault: Fault) -> Refused:
    status, kind, message, headers = {
        Fault.UNAUTHORIZED: (401, "authentication_error", "invalid x-api-key", {}),
        Fault.RATE_LIMITED: (
            429, "rate_limit_error", "This request would exceed your organization's rate limit.", {"retry-after": "2"},
        ),
        Fault.USAGE_LIMIT: (
            429, "rate_limit_error",
            "This request would exceed your account's rate limit. Please try again later.",
            {
                "retry-after": "3600",
                "anthropic-ratelimit-unified-status": "rejected",
                "anthropic-ratelimit-unified-representative-claim": "five_hour",
                "anthropic-ratelimit-unified-reset": str(RESETS_AT),
            },
        ),
        Fault.OVERLOADED: (529, "overloaded_error", "Overloaded", {}),
    }.get(fault, (500, "api_error", "Internal server error", {}))  # fmt: skip
    error = {"type": kind, "message": message}
    return Refused(status, {"type": "error", "error": error, "request_id": "req_1"}, headers)


MESSAGES = Dialect(
    name="anthropic",
    knows=lambda path: path.endswith(("/messages", "/messages/count_tokens")),
    read=_read,
    events=_events,
    whole=_whole,
    count=lambda usage: {"input_tokens": usage.input},
    refuse=_refuse,
)
