"""One conversation in four dialects: the script sees the same, and the reply means the same."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, IncompleteRead
from typing import Any

import pytest

from tests.model.script import Delivery, Fault, Reply, Script, ShellCall, Usage, by_text, first, steps
from tests.model.server import Exchange, Model, serving

Wire = dict[str, Any]
"""Foreign JSON, as a client builds and takes it apart."""


@dataclass(frozen=True)
class Heard:
    text: str
    calls: tuple[tuple[str, Wire], ...]
    tokens: tuple[int, int]


@dataclass(frozen=True)
class Client:
    """How a client of this provider asks, with the result of a tool call when there is one, and how it listens."""

    path: str
    whole_path: str
    ask: Callable[[str, str | None], Wire]
    hear: Callable[[Sequence[Wire]], Heard]
    whole: Callable[[Wire], Heard]


def _ask_chat(text: str, result: str | None) -> Wire:
    messages: list[Wire] = [{"role": "system", "content": "Be good."}, {"role": "user", "content": text}]
    if result is not None:
        call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "c", "content": result})
    return {"model": "m", "messages": messages, "tools": [{"type": "function", "function": {"name": "bash"}}]}


def _hear_chat(events: Sequence[Wire]) -> Heard:
    deltas = [choice["delta"] for event in events for choice in event["choices"]]
    calls = [call["function"] for delta in deltas for call in delta.get("tool_calls", [])]
    usage = events[-1]["usage"]
    return Heard(
        "".join(delta.get("content", "") for delta in deltas),
        tuple((call["name"], json.loads(call["arguments"])) for call in calls),
        (usage["prompt_tokens"], usage["completion_tokens"]),
    )


def _whole_chat(answer: Wire) -> Heard:
    message = answer["choices"][0]["message"]
    delta = {"content": message["content"], "tool_calls": message["tool_calls"]}
    return _hear_chat([{"choices": [{"delta": delta}]}, {"choices": [], "usage": answer["usage"]}])


def _ask_responses(text: str, result: str | None) -> Wire:
    items: list[Wire] = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
    if result is not None:
        items.append({"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"})
        items.append({"type": "function_call_output", "call_id": "c", "output": result})
    return {"model": "m", "instructions": "Be good.", "input": items, "tools": [{"type": "function", "name": "bash"}]}


def _hear_responses(events: Sequence[Wire]) -> Heard:
    deltas = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    items = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    heard = _whole_responses({**events[-1]["response"], "output": items})
    assert heard.text == deltas
    return heard


def _whole_responses(answer: Wire) -> Heard:
    calls = [item for item in answer["output"] if item["type"] == "function_call"]
    return Heard(
        "".join(part["text"] for item in answer["output"] for part in item.get("content", [])),
        tuple((call["name"], json.loads(call["arguments"])) for call in calls),
        (answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]),
    )


def _ask_anthropic(text: str, result: str | None) -> Wire:
    messages: list[Wire] = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    if result is not None:
        messages.append(
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "bash", "input": {}}]}
        )
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": result}]})
    return {"model": "m", "system": "Be good.", "messages": messages, "tools": [{"name": "bash"}]}


def _hear_anthropic(events: Sequence[Wire]) -> Heard:
    named = {event["index"]: event["content_block"] for event in events if event["type"] == "content_block_start"}
    deltas = [(event["index"], event["delta"]) for event in events if event["type"] == "content_block_delta"]
    begun = next(event["message"]["usage"] for event in events if event["type"] == "message_start")
    ended = next(event["usage"] for event in events if event["type"] == "message_delta")
    return Heard(
        "".join(delta.get("text", "") for _, delta in deltas),
        tuple((named[at]["name"], json.loads(d["partial_json"])) for at, d in deltas if "partial_json" in d),
        (begun["input_tokens"] + begun["cache_read_input_tokens"], ended["output_tokens"]),
    )


def _whole_anthropic(answer: Wire) -> Heard:
    usage = answer["usage"]
    return Heard(
        "".join(block.get("text", "") for block in answer["content"]),
        tuple((block["name"], block["input"]) for block in answer["content"] if block["type"] == "tool_use"),
        (usage["input_tokens"] + usage["cache_read_input_tokens"], usage["output_tokens"]),
    )


def _ask_gemini(text: str, result: str | None) -> Wire:
    contents: list[Wire] = [{"role": "user", "parts": [{"text": text}]}]
    if result is not None:
        contents.append({"role": "model", "parts": [{"functionCall": {"name": "bash", "args": {}}}]})
        response = {"name": "bash", "response": {"output": result}}
        contents.append({"role": "user", "parts": [{"functionResponse": response}]})
    tools = [{"functionDeclarations": [{"name": "bash"}]}]
    return {"systemInstruction": {"parts": [{"text": "Be good."}]}, "contents": contents, "tools": tools}


def _hear_gemini(events: Sequence[Wire]) -> Heard:
    parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
    usage = events[-1]["usageMetadata"]
    return Heard(
        "".join(part.get("text", "") for part in parts),
        tuple((part["functionCall"]["name"], part["functionCall"]["args"]) for part in parts if "functionCall" in part),
        (usage["promptTokenCount"], usage["candidatesTokenCount"] + usage["thoughtsTokenCount"]),
    )


CLIENTS: Mapping[str, Client] = {
    "openai-chat": Client("/v1/chat/completions", "/v1/chat/completions", _ask_chat, _hear_chat, _whole_chat),
    "openai-responses": Client("/v1/responses", "/v1/responses", _ask_responses, _hear_responses, _whole_responses),
    "anthropic": Client("/v1/messages", "/v1/messages?beta=1", _ask_anthropic, _hear_anthropic, _whole_anthropic),
    "gemini": Client(
        "/v1beta/models/m:streamGenerateContent?alt=sse", "/v1beta/models/m:generateContent",
        _ask_gemini, _hear_gemini, lambda answer: _hear_gemini([answer]),
    ),
}  # fmt: skip
USAGE = Usage(input=70, cached=20, output=9, reasoning=4)
RUN = Reply(text="Let me see.", calls=(ShellCall("ls"), ShellCall("pwd")), usage=USAGE)
COUNTS = {"anthropic": "/v1/messages/count_tokens", "gemini": "/v1beta/models/m:countTokens"}
each_client = pytest.mark.parametrize("name", CLIENTS)


def _post(model: Model, path: str, body: Wire, timeout: float = 10.0) -> tuple[int, bytes]:
    with closing(HTTPConnection("127.0.0.1", model.port, timeout=timeout)) as connection:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()


def _events(answer: bytes) -> Iterator[Wire]:
    for line in answer.decode().splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            yield json.loads(line.removeprefix("data: "))


def _exchange(name: str, script: Script, text: str, result: str | None = None) -> tuple[bytes, Exchange]:
    client = CLIENTS[name]
    with serving(script) as model:
        _, answer = _post(model, client.path, {**client.ask(text, result), "stream": True})
        return answer, model.exchanges[-1]


@each_client
def test_the_script_sees_the_same_and_the_reply_means_the_same(name: str) -> None:
    answer, exchange = _exchange(name, steps(RUN, Reply(text="Done.", usage=USAGE)), "Look around.")
    heard = CLIENTS[name].hear(list(_events(answer)))
    assert (heard.text, heard.tokens) == ("Let me see.", (70, 9))
    assert [(called, words["command"]) for called, words in heard.calls] == [("bash", "ls"), ("bash", "pwd")]
    assert exchange.dialect == name
    assert exchange.usage == USAGE
    seen = exchange.conversation
    assert seen is not None
    assert (seen.model, seen.system, seen.tools, seen.user) == ("m", "Be good.", ("bash",), "Look around.")
    assert seen.results == ()


@each_client
def test_the_result_of_a_tool_leads_to_the_next_step(name: str) -> None:
    script = steps(Reply(calls=(ShellCall("ls"),)), Reply(text="Done.", usage=USAGE))
    answer, exchange = _exchange(name, script, "Look around.", result="here")
    assert CLIENTS[name].hear(list(_events(answer))) == Heard("Done.", (), (70, 9))
    assert exchange.conversation is not None
    assert exchange.conversation.user == "Look around."
    [result] = exchange.conversation.results
    assert "here" in result


@each_client
def test_the_reply_in_one_piece_means_the_same(name: str) -> None:
    client = CLIENTS[name]
    with serving(steps(RUN)) as model:
        status, answer = _post(model, client.whole_path, client.ask("Look around.", None))
    heard = client.whole(json.loads(answer))
    assert (status, heard.text, heard.tokens, len(heard.calls)) == (200, "Let me see.", (70, 9), 2)


@each_client
@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.HANG])
def test_trouble_has_a_status_and_a_body_and_ends(name: str, fault: Fault) -> None:
    client = CLIENTS[name]
    body = {**client.ask("Hello?", None), "stream": True}
    with serving(first(1, fault, steps(Reply(text="Here.")))) as model:
        status, refused = _post(model, client.path, body)
        assert status >= 400
        assert (status == 429) == (fault in (Fault.RATE_LIMITED, Fault.USAGE_LIMIT))
        assert json.loads(refused)["error"]["message"]
        status, answer = _post(model, client.path, body)
        assert (status, client.hear(list(_events(answer))).text) == (200, "Here.")
        assert [each.answer is fault for each in model.turns] == [True, False]


@each_client
def test_too_fast_and_used_up_differ_in_the_body(name: str) -> None:
    too_fast, used_up = (
        _exchange(name, first(1, fault, steps()), "Hello?")[0] for fault in (Fault.RATE_LIMITED, Fault.USAGE_LIMIT)
    )
    assert too_fast != used_up


@each_client
def test_deliveries(name: str) -> None:
    """A slow reply arrives whole, a cut one breaks off, a garbled one holds an event that is no JSON."""
    slow, _ = _exchange(name, steps(Reply(text="Here.", delivery=Delivery.SLOW)), "Hello?")
    assert CLIENTS[name].hear(list(_events(slow))).text == "Here."
    with pytest.raises(IncompleteRead):
        _exchange(name, steps(Reply(text="Here.", delivery=Delivery.CUT)), "Hello?")
    garbled, _ = _exchange(name, steps(Reply(text="Here.", delivery=Delivery.GARBLED)), "Hello?")
    with pytest.raises(json.JSONDecodeError):
        list(_events(garbled))


@each_client
def test_a_model_that_hangs_is_let_go_at_the_end(name: str) -> None:
    client = CLIENTS[name]
    with serving(lambda _conversation: Fault.HANG) as model:
        with pytest.raises(TimeoutError):
            _post(model, client.path, client.ask("Hello?", None), timeout=0.2)
        model.wait_for(lambda seen: seen.turns[-1].answer is Fault.HANG)


@pytest.mark.parametrize("name", COUNTS)
def test_tokens_are_counted(name: str) -> None:
    with serving(steps(Reply(text="unused"))) as model:
        _, answer = _post(model, COUNTS[name], CLIENTS[name].ask("Hello?", None))
        assert list(json.loads(answer).values()) == [1000]
        assert model.turns == ()


def test_a_request_without_tools_does_not_reach_the_script() -> None:
    with serving(by_text({})) as model:
        body = {**_ask_chat("Give me a title.", None), "tools": []}
        assert b"A short title" in _post(model, "/v1/chat/completions", body)[1]
        assert model.turns == ()


def test_a_mistake_in_the_script_is_told_to_the_test() -> None:
    with pytest.raises(ExceptionGroup, match="the scripted model") as raised:
        _exchange("openai-chat", by_text({"good morning": steps(Reply())}), "good night")
    assert raised.group_contains(LookupError, match="no course for: 'good night'")
