"""OpenAI chat completions: qwen, opencode, and most compatible servers."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from tests.model.dialect import Asked, Dialect, Form, Json, Refused, Said, data
from tests.model.script import Conversation, Fault, Message, Usage


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    role: str
    content: str | list[_Part] | None = None

    @property
    def text(self) -> str:
        parts = self.content or ""
        return parts if isinstance(parts, str) else "\n".join(part.text for part in parts)


class _Function(BaseModel):
    name: str


class _Tool(BaseModel):
    function: _Function


class _Request(BaseModel):
    model: str
    messages: list[_Message]
    tools: list[_Tool] = []
    stream: bool = False


def _read(_path: str, body: bytes) -> Asked:
    request = _Request.model_validate_json(body)
    roles: dict[str, Literal["user", "model", "tool"]] = {"user": "user", "assistant": "model", "tool": "tool"}
    conversation = Conversation(
        model=request.model,
        system="\n".join(message.text for message in request.messages if message.role in ("system", "developer")),
        tools=tuple(tool.function.name for tool in request.tools),
        history=tuple(
            Message(roles[message.role], message.text) for message in request.messages if message.role in roles
        ),
    )
    return Asked(Form.STREAM if request.stream else Form.WHOLE, conversation)


def _events(said: Said) -> Sequence[bytes]:
    deltas: list[Json] = [{"role": "assistant", "reasoning_content": said.thought}] if said.thought else []
    deltas += [{"role": "assistant", "content": piece} for piece in said.halves]
    deltas += [{"role": "assistant", "tool_calls": [{"index": at, **call}]} for at, call in enumerate(_calls(said))]
    frames = [_chunk(said, [{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    frames.append(_chunk(said, [{"index": 0, "delta": {}, "finish_reason": _reason(said)}]))
    frames.append(_chunk(said, [], usage=_usage(said.usage)))
    return [*frames, b"data: [DONE]\n\n"]


def _chunk(said: Said, choices: list[Json], **more: object) -> bytes:
    return data({**_head(said, "chat.completion.chunk"), "choices": choices, **more})


def _whole(said: Said) -> Json:
    message: dict[str, object] = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = list(_calls(said))
    choice = {"index": 0, "message": message, "finish_reason": _reason(said)}
    return {**_head(said, "chat.completion"), "choices": [choice], "usage": _usage(said.usage)}


def _head(said: Said, kind: str) -> Json:
    return {"id": f"chatcmpl-{said.id}", "object": kind, "created": 0, "model": said.model}


def _reason(said: Said) -> str:
    return "tool_calls" if said.calls else "stop"


def _calls(said: Said) -> Sequence[Json]:
    return [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
        for call in said.calls
    ]


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def refuse(fault: Fault) -> Refused:
    """Trouble in OpenAI's words; its responses dialect shares all but the usage limit."""
    status, message, kind, code, headers = {
        Fault.UNAUTHORIZED: (
            401, "Incorrect API key provided: sk-****dead.", "invalid_request_error", "invalid_api_key", {},
        ),
        Fault.RATE_LIMITED: (
            429, "Rate limit reached for requests per min (RPM): Limit 3, Used 3. Please try again in 2s.",
            "requests", "rate_limit_exceeded", {"retry-after": "2", "retry-after-ms": "2000"},
        ),
        Fault.USAGE_LIMIT: (
            429, "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota", "insufficient_quota", {},
        ),
        Fault.OVERLOADED: (503, "The server is overloaded or not ready yet.", "service_unavailable_error", None, {}),
    }.get(fault, (500, "The server had an error while processing your request.", "server_error", None, {}))  # fmt: skip
    return Refused(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, headers)


CHAT = Dialect(
    name="openai-chat",
    knows=lambda path: path.endswith("/chat/completions"),
    read=_read,
    events=_events,
    whole=_whole,
    count=_usage,
    refuse=refuse,
)
