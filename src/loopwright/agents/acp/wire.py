"""Messages over a program's stdin and stdout: what is no message is told and left out, updates are taken in at once."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson
from acp import schema
from pydantic import ValidationError

from loopwright.agents.acp.transcript import SessionUpdate
from loopwright.domain.errors import Invalid
from loopwright.workspace.conversing import Program

Message = dict[str, Any]  # Any: JSON, as the library takes it

UPDATE = "session/update"
ANSWERED = frozenset({"session/request_permission", "fs/write_text_file"})
"""Requests that we answer (see client.py); opencode calls the second though we do not offer it."""

NOT_FOUND = -32601
UNREAD = 4_000_000
"""Bytes of our own answers that a program may leave unread before we stop reading its requests."""

BREATH = 64
"""Lines after which others get their turn, in a flood."""


class Wire:
    """The transport under the library's connection.

    Updates do not go through the library, which would start a task for each: they are given to `update`, in order and
    before anything that follows them. `strange` gets words on whatever can not be understood. `lines` counts what came.
    """

    def __init__(
        self, program: Program, update: Callable[[str, SessionUpdate], None], strange: Callable[[str], None]
    ) -> None:
        self._program, self._update, self._strange = program, update, strange
        self.lines = 0
        self._has_answered = False
        self.failure: str | None = None

    async def send(self, message: Message) -> None:
        try:
            self._say(message)
        except ConnectionError:
            if "method" in message:  # nobody waits for what became of an answer
                raise

    async def receive(self) -> Message | None:
        if self._has_answered:
            await asyncio.sleep(0)  # whoever waited for the answer goes on before anything that follows it
        while True:
            await self._program.read_up(UNREAD)
            try:
                line = await self._program.line()
            except Invalid as error:
                self.failure = f"it sent {error}"
                return None
            if line is None:
                return None
            self.lines += 1
            if not self.lines % BREATH:
                await asyncio.sleep(0)
            if line.strip() and (message := self._taken(line)) is not None:
                self._has_answered = "method" not in message
                return message

    async def close(self) -> None:
        """The program is ended by whoever started it."""

    def _say(self, message: Message) -> None:
        self._program.say(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _taken(self, line: bytes) -> Message | None:
        """A request or an answer; None for what is dealt with here."""
        message = _parsed(line)
        if not isinstance(message, dict) or not _is_whole(message):
            self._strange(f"a line that is no message: {_sample(line)}")
            return None
        method = message.get("method")
        if method is None:
            return message
        if "id" in message:
            return self._asked(message, method)
        if method == UPDATE:
            self._updated(message.get("params"))
        elif not method.startswith("_"):
            self._strange(f"an unknown notification: {_sample(method.encode(errors='replace'))}")
        return None

    def _asked(self, message: Message, method: str) -> Message | None:
        if method not in ANSWERED:
            error = {"code": NOT_FOUND, "message": "Method not found", "data": {"method": method}}
            with suppress(ConnectionError):
                self._say({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return None
        params = message.get("params")
        if isinstance(params, dict):  # the library would take its parts for arguments of their names
            params.pop("_meta", None)
        return message

    def _updated(self, params: object) -> None:
        try:
            told = schema.SessionNotification.model_validate(params)
        except ValidationError:
            self._strange(f"an update that can not be understood: {_kind_of(params)}")
            return
        self._update(told.session_id, told.update)


def _parsed(line: bytes) -> object:
    """None for what is no JSON. Half characters, which JavaScript can send, are replaced."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass
    try:
        return _mended(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def _mended(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(part) for part in value]
    if isinstance(value, dict):
        return {_mended(name): _mended(part) for name, part in value.items()}
    return value


def _is_whole(message: Message) -> bool:
    """Whether the library can take it: it looks at no type itself."""
    id, method, error = message.get("id"), message.get("method"), message.get("error")
    if method is None and "id" not in message:
        return False
    if not (method is None or isinstance(method, str)) or not (id is None or isinstance(id, (int, str))):
        return False
    if error is None:
        return True
    if not isinstance(error, dict):
        return False
    return isinstance(error.get("code", 0), int) and isinstance(error.get("message", ""), str)


def _kind_of(params: object) -> str:
    update = params.get("update") if isinstance(params, dict) else None
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return _sample(str(kind).encode(errors="replace"))


def _sample(line: bytes) -> str:
    return repr(line[:80].decode("utf-8", "replace"))
