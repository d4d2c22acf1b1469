"""OpenAI responses: codex."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from tests.model import openai_chat
from tests.model.dialect import RESETS_AT, Asked, Dialect, Form, Json, Refused, Said, data
from tests.model.script import Conversation, Fault, Message, Usage


class _Part(BaseModel):
    text: str = ""


class _Item(BaseModel):
    type: str = "message"
    role: str = ""
    content: str | list[_Part] | None = None
    output: str | list[_Part] | None = None


class _Tool(BaseModel):
    """A namespace holds the tools of one MCP server; a built-in tool has a type and no name."""

    type: str
    name: str = ""
    tools: list["_Tool"] = []


class _Request(BaseModel):
    model: str
    input: str | list[_Item]
    instructions: str | None = None
    tools: list[_Tool] = []
    stream: bool = False


def _read(_path: str, body: bytes) -> Asked:
    request = _Request.model_validate_json(body)
    items = [_Item(role="user", content=request.input)] if isinstance(request.input, str) else request.input
    conversation = Conversation(
        model=request.model,
        system=request.instructions or "",
        tools=tuple(name for tool in request.tools for name in _names(tool)),
        history=tuple(message for item in items for message in _message(item)),
    )
    return Asked(Form.STREAM if request.stream else Form.WHOLE, conversation)


def _names(tool: _Tool) -> Sequence[str]:
    return [f"{tool.name}/{inner.name}" for inner in tool.tools] if tool.tools else [tool.name or tool.type]


def _message(item: _Item) -> Sequence[Message]:
    if item.type.endswith("_output"):
        return [Message("tool", _text(item.output))]
    roles: dict[str, Literal["user", "model"]] = {"user": "user", "assistant": "model"}
    return [Message(roles[item.role], _text(item.content))] if item.role in roles else []


def _text(parts: str | list[_Part] | None) -> str:
    return parts if isinstance(parts, str) else "\n".join(part.text for part in parts or [])


def _events(said: Said) -> Sequence[bytes]:
    frames = [_event("response.created", response={"id": said.id, "status": "in_progress", "output": []})]
    for at, item in enumerate(_output(said)):
        if item["type"] == "message":
            frames.append(_event("response.output_item.added", output_index=at, item={**item, "content": []}))
            frames += [
                _event("response.output_text.delta", output_index=at, content_index=0, item_id=item["id"], delta=piece)
                for piece in said.halves
            ]
        frames.append(_event("response.output_item.done", output_index=at, item=item))
    return [*frames, _event("response.completed", response=_whole(said))]


def _event(kind: str, **fields: object) -> bytes:
    return data({"type": kind, **fields}, kind)


def _whole(said: Said) -> Json:
    return {
        "id": f"resp_{said.id}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": said.model,
        "output": list(_output(said)),
        "usage": _usage(said.usage),
    }


def _output(said: Said) -> Sequence[dict[str, object]]:
    items: list[dict[str, object]] = []
    if said.thought:
        summary = [{"type": "summary_text", "text": said.thought}]
        items.append({"type": "reasoning", "id": f"rs_{said.id}", "summary": summary})
    if said.text:
        content = [{"type": "output_text", "text": said.text, "annotations": []}]
        items.append({"type": "message", "id": f"msg_{said.id}", "role": "assistant", "content": content})
    for call in said.calls:
        namespace, _, name = call.name.rpartition("/")
        item: dict[str, object] = {"id": f"fc_{call.id}", "call_id": call.id, "name": name}
        if isinstance(call.arguments, str):
            items.append({**item, "type": "custom_tool_call", "input": call.arguments})
        else:
            within = {"namespace": namespace} if namespace else {}
            items.append({**item, "type": "function_call", "arguments": call.text, **within})
    return items


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }


def _refuse(fault: Fault) -> Refused:
    if fault is not Fault.USAGE_LIMIT:
        return openai_chat.refuse(fault)
    limit = {"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus"}
    return Refused(429, {"error": {**limit, "resets_at": RESETS_AT}}, {"x-codex-primary-used-percent": "100"})


RESPONSES = Dialect(
    name="openai-responses",
    knows=lambda path: path.endswith("/responses"),
    read=_read,
    events=_events,
    whole=_whole,
    count=_usage,
    refuse=_refuse,
)
