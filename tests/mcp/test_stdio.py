"""The protocol itself, against whatever stands on a line."""

import io
import json

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from loopwright.domain.errors import Invalid
from loopwright.mcp.stdio import LONGEST, VERSIONS, Json, Server


def called(tool: str, arguments: Json) -> str:
    if tool == "refuse":
        raise Invalid("not so")
    return json.dumps(arguments, ensure_ascii=False)


SERVER = Server({"serverInfo": {"name": "test"}}, lambda: [{"name": "echo"}], called)


def ask(method: object, parameters: object = None, **more: object) -> Json:
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": parameters, **more}
    answer = SERVER.answer(json.dumps(request).encode())
    assert answer is not None
    assert answer.pop("id") == more.get("id", 7)
    return answer


def test_every_version_that_is_agreed_on_at_the_beginning_is_spoken() -> None:
    assert set(VERSIONS) == set(HANDSHAKE_PROTOCOL_VERSIONS)
    for version in VERSIONS:
        assert ask("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == version
    strange: object
    for strange in ("2099-01-01", None, 7, []):
        told = ask("initialize", {"protocolVersion": strange})["result"]
        assert told == {
            "protocolVersion": VERSIONS[0], "capabilities": {"tools": {}}, "serverInfo": {"name": "test"},
        }  # fmt: skip


def test_tools_are_listed_and_called() -> None:
    assert ask("tools/list") == {"result": {"tools": [{"name": "echo"}]}}
    assert ask("tools/call", {"name": "echo", "arguments": {"a": "ä"}}, id="x")["result"] == {
        "content": [{"type": "text", "text": '{"a": "ä"}'}], "isError": False,
    }  # fmt: skip
    assert ask("tools/call", {"name": "refuse"})["result"] == {
        "content": [{"type": "text", "text": "not so"}], "isError": True,
    }  # fmt: skip
    assert ask("ping") == {"result": {}}


def test_half_a_character_is_left_out() -> None:
    line = b'{"id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": "\\ud800"}}}'
    answer = SERVER.answer(line)
    assert answer is not None
    assert answer["result"]["content"][0]["text"] == '{"a": "?"}'


@pytest.mark.parametrize("parameters", [None, [], "x", {}, {"name": 7}, {"name": "echo", "arguments": [1]}])
def test_a_call_of_nothing(parameters: object) -> None:
    assert ask("tools/call", parameters)["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"x", -32700), (b"{", -32700), (b"\xff\xfe", -32700), (b"[" * 100_000, -32700), (b"1" * 10_000, -32700),
        (b"[]", -32600), (b"null", -32600), (b'"x"', -32600), (b"7", -32600),
        (b'{"id": 1, "method": "no/such"}', -32601), (b'{"id": 1, "method": "resources/list"}', -32601),
    ],
)  # fmt: skip
def test_what_is_no_request(line: bytes, code: int) -> None:
    answer = SERVER.answer(line)
    assert answer is not None
    assert answer["error"]["code"] == code


@pytest.mark.parametrize(
    "line",
    [
        b"{}", b'{"method": "notifications/initialized"}', b'{"id": null, "method": "ping"}',
        b'{"id": 1, "result": {}}', b'{"id": 1, "method": 7}',
    ],
)  # fmt: skip
def test_what_wants_no_answer(line: bytes) -> None:
    assert SERVER.answer(line) is None


def test_a_line_that_is_too_long_is_one_line() -> None:
    pings = b'{"id": 1, "method": "ping"}\n{"id": 2, "method": "ping"}'
    incoming = io.BytesIO(b'"' + b"x" * (2 * LONGEST) + b'"\n\n  \n' + pings)
    outgoing = io.BytesIO()
    SERVER.serve(incoming, outgoing)
    answers = [json.loads(line) for line in outgoing.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == [None, 1, 2]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
