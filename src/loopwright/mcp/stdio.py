"""The Model Context Protocol over stdin and stdout, as much of it as a server of tools needs.

The mcp package would do, and takes 0.6 s of processor time to load; some agents begin their first turn without the
tools of a server that is not there by then. It is what the tests talk to this with.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from loopwright.domain.errors import Invalid
from loopwright.domain.words import whole

Json = dict[str, Any]  # Any: JSON as it comes
Caller = Callable[[str, Json], str]
"""A tool's name and arguments → what is told. Invalid says why it was not done."""

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, newest first. What differs between them is none of a plain tool's business."""

LONGEST = 16_000_000
"""Bytes of a message."""

UNREADABLE, NO_REQUEST, NO_METHOD, WRONG_PARAMETERS = -32700, -32600, -32601, -32602


class Server:
    """Answers one message after the other."""

    def __init__(self, about: Mapping[str, object], tools: Callable[[], Sequence[Json]], call: Caller) -> None:
        """`about`: what stands in the answer to `initialize` beside version and capabilities."""
        self._about, self._tools, self._call = about, tools, call

    def serve(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        """Until the input ends. BrokenPipeError when nobody reads the output."""
        for line in _lines(incoming):
            answer = self.answer(line)
            if answer is not None:
                outgoing.write(json.dumps({"jsonrpc": "2.0", **answer}).encode() + b"\n")
                outgoing.flush()

    def answer(self, line: bytes) -> Json | None:
        """The answer to a message; None for one that wants none."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return {"id": None, **_error(UNREADABLE, "not JSON")}
        if not isinstance(message, dict):
            return {"id": None, **_error(NO_REQUEST, "not a request")}
        id, method = message.get("id"), message.get("method")
        if id is None or not isinstance(method, str):
            return None
        parameters = message.get("params")
        return {"id": id, **self._result(method, parameters if isinstance(parameters, dict) else {})}

    def _result(self, method: str, parameters: Json) -> Json:
        match method:
            case "initialize":
                wanted = parameters.get("protocolVersion")
                version = wanted if wanted in VERSIONS else VERSIONS[0]
                return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, **self._about}}
            case "ping":
                return {"result": {}}
            case "tools/list":
                return {"result": {"tools": self._tools()}}
            case "tools/call":
                return self._called(parameters.get("name"), parameters.get("arguments") or {})
            case _:
                return _error(NO_METHOD, f"no method is named {method!r}")

    def _called(self, tool: object, arguments: object) -> Json:
        if not isinstance(tool, str) or not isinstance(arguments, dict):
            return _error(WRONG_PARAMETERS, "a call needs a name, and an object of arguments")
        try:
            told, is_error = self._call(tool, json.loads(whole(json.dumps(arguments, ensure_ascii=False)))), False
        except Invalid as refused:
            told, is_error = str(refused), True
        return {"result": {"content": [{"type": "text", "text": told}], "isError": is_error}}


def _error(code: int, words: str) -> Json:
    return {"error": {"code": code, "message": words}}


def _lines(incoming: BinaryIO) -> Iterator[bytes]:
    """Without empty ones; of one that is too long, the beginning, which nobody can read."""
    while line := incoming.readline(LONGEST):
        end = line
        while len(end) == LONGEST and not end.endswith(b"\n"):
            end = incoming.readline(LONGEST)
        if line.strip():
            yield line
