"""Google's generateContent: gemini."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from tests.model.dialect import Asked, Dialect, Form, Json, Refused, Said, data
from tests.model.script import Conversation, Fault, Message, Usage


class _Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class _Part(_Camel):
    text: str = ""
    function_response: dict[str, object] | None = None


class _Content(_Camel):
    role: Literal["user", "model"] = "user"
    parts: list[_Part] = []


class _Declaration(_Camel):
    name: str


class _Tool(_Camel):
    function_declarations: list[_Declaration] = []


class _Request(_Camel):
    contents: list[_Content] = []
    system_instruction: _Content | None = None
    tools: list[_Tool] = []


_FORMS = {"streamGenerateContent": Form.STREAM, "generateContent": Form.WHOLE, "countTokens": Form.COUNT}


def _read(path: str, body: bytes) -> Asked:
    model, _, verb = path.rpartition("/")[2].partition(":")
    request = _Request.model_validate_json(body)
    conversation = Conversation(
        model=model,
        system=_text(request.system_instruction.parts) if request.system_instruction else "",
        tools=tuple(each.name for tool in request.tools for each in tool.function_declarations),
        history=tuple(message for content in request.contents for message in _messages(content)),
    )
    return Asked(_FORMS[verb], conversation)


def _messages(content: _Content) -> Sequence[Message]:
    results = [Message("tool", str(p.function_response)) for p in content.parts if p.function_response is not None]
    text = _text([part for part in content.parts if part.function_response is None])
    return [*results, Message(content.role, text)] if text or not results else results


def _text(parts: Sequence[_Part]) -> str:
    return "\n".join(part.text for part in parts)


def _events(said: Said) -> Sequence[bytes]:
    parts: list[list[Json]] = [[{"text": said.thought, "thought": True}]] if said.thought else []
    parts += [[{"text": piece}] for piece in said.halves]
    parts += [[_call(said, at)] for at in range(len(said.calls))]
    last = _candidate(said, [], finishReason="STOP") | {"usageMetadata": _usage(said.usage)}
    return [*(data(_candidate(said, each)) for each in parts), data(last)]


def _whole(said: Said) -> Json:
    parts: list[Json] = [{"text": said.text}] if said.text else []
    parts += [_call(said, at) for at in range(len(said.calls))]
    return _candidate(said, parts, finishReason="STOP") | {"usageMetadata": _usage(said.usage)}


def _call(said: Said, at: int) -> Json:
    call = said.calls[at]
    return {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}


def _candidate(said: Said, parts: Sequence[Json], **more: object) -> dict[str, object]:
    candidate = {"index": 0, "content": {"role": "model", "parts": list(parts)}, **more}
    return {"responseId": said.id, "modelVersion": said.model, "candidates": [candidate]}


def _usage(usage: Usage) -> Json:
    """Here reasoning is no part of `candidatesTokenCount`."""
    return {
        "promptTokenCount": usage.input,
        "cachedContentTokenCount": usage.cached,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.input + usage.output,
    }


def _refuse(fault: Fault) -> Refused:
    code, status, message = {
        Fault.UNAUTHORIZED: (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        Fault.RATE_LIMITED: (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 2s."),
        Fault.USAGE_LIMIT: (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan."),
        Fault.OVERLOADED: (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    }.get(fault, (500, "INTERNAL", "An internal error has occurred."))
    error = {"code": code, "message": message, "status": status, "details": _details(fault)}
    return Refused(code, {"error": error})


def _details(fault: Fault) -> list[Json]:
    if fault is Fault.UNAUTHORIZED:
        return [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    period = {Fault.RATE_LIMITED: (429, "Minute", "2s"), Fault.USAGE_LIMIT: (429, "Day", "3600s")}.get(fault)
    if period is None:
        return []
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        "quotaId": f"GenerateRequestsPer{period[0]}PerProjectPerModel-FreeTier",
        "quotaValue": "20",
    }
    return [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": period[1]},
    ]


GEMINI = Dialect(
    name="gemini",
    knows=lambda path: path.rpartition(":")[2] in _FORMS,
    read=_read,
    events=_events,
    whole=_whole,
    count=lambda usage: {"totalTokens": usage.input},
    refuse=_refuse,
)
