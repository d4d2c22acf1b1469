"""The transport on whatever bytes come: messages are taken, the rest is told, and nothing breaks it."""

import json
from typing import Any

import orjson
from acp import schema
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.peer import UPDATE, Message, WireTransport
from loopwright.agents.acp.updates import SessionUpdate
from tests.agents.acp.updates import UPDATES, chunk


class Fed:
    """In place of the program: its lines are given, what it is told is kept."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines, self.told = list(lines), list[bytes]()

    async def read_up(self, most: int) -> None:
        pass

    async def line(self) -> bytes | None:
        return self.lines.pop(0) if self.lines else None

    def say(self, data: bytes) -> None:
        self.told.append(data)


class Taken:
    def __init__(self, *lines: bytes) -> None:
        self.program = Fed(list(lines))
        self.updates: list[SessionUpdate] = []
        self.strange: list[str] = []
        self.beside: list[object] = []
        self.wire = WireTransport(
            self.program,  # type: ignore[arg-type]  # as much of a program as is used
            lambda _, update: self.updates.append(update),
            self.beside.append,
            self.strange.append,
        )

    async def all(self) -> list[Message]:
        found = []
        while (message := await self.wire.receive()) is not None:
            found.append(message)
        return found


def update(told: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": UPDATE, "params": {"sessionId": "s", "update": told}}).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "method", "params", "result", "error", "code", "message", "update", "_meta"]),
        inner, max_size=5,
    ),
    max_leaves=15,
)  # fmt: skip
METHODS = st.sampled_from([UPDATE, "session/request_permission", "fs/write_text_file", "x/y", "_x", ""])
MESSAGES = st.fixed_dictionaries({}, optional={"id": JSON, "method": METHODS | JSON, "params": JSON, "error": JSON})
LINES = st.binary(max_size=40).filter(lambda line: b"\n" not in line) | (JSON | MESSAGES).map(
    lambda m: json.dumps(m).encode()
)


@given(st.lists(LINES, max_size=8))
async def test_whatever_comes_is_taken_told_or_answered(lines: list[bytes]) -> None:
    taken = Taken(*lines, update(chunk("still here")))
    for message in await taken.all():
        assert isinstance(message.get("id"), (int, str, type(None)))
        assert isinstance(message.get("method"), (str, type(None)))
        assert isinstance(message.get("error"), (dict, type(None)))
        assert "method" in message or "id" in message
    assert isinstance(taken.updates[-1], schema.AgentMessageChunk)
    assert all(len(words) < 600 for words in taken.strange)
    for answer in taken.program.told:
        assert orjson.loads(answer)["error"]["code"] == -32601


@given(st.lists(UPDATES, max_size=20))
async def test_updates_are_taken_in_their_order(told: list[dict[str, Any]]) -> None:
    taken = Taken(*(update(each) for each in told))
    assert await taken.all() == []
    assert [each.session_update for each in taken.updates] == [each["sessionUpdate"] for each in told]
    assert taken.wire.lines == len(told)
    assert taken.strange == []


@given(st.text())
async def test_every_text_arrives_as_it_was_or_with_its_half_characters_replaced(text: str) -> None:
    taken = Taken(update(chunk(text)), update(chunk(text + "\ud83d")))
    await taken.all()
    texts = [
        each.content.text
        for each in taken.updates
        if isinstance(each, schema.AgentMessageChunk) and isinstance(each.content, schema.TextContentBlock)
    ]
    assert texts == [text, text + "\ufffd"]


async def test_bytes_that_are_no_text_are_replaced() -> None:
    taken = Taken(update(chunk("a")).replace(b'"a"', b'"\xff"'))
    await taken.all()
    (each,) = taken.updates
    assert isinstance(each, schema.AgentMessageChunk)
    assert isinstance(each.content, schema.TextContentBlock)
    assert each.content.text == "\ufffd"
