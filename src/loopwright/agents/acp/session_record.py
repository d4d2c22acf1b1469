"""The tokens of each request, as an agent's program keeps them in its own record of a session, while a turn goes on."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import reduce
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import orjson

from loopwright.agents.acp.updates import UpdateFields, add_usage, count_usage
from loopwright.core.agent_names import AgentCommand
from loopwright.core.protocol import Usage
from loopwright.processes.environment import program_environment

Requests = Mapping[str, Usage]
"""By the id of the answer what its request took, where that is known."""


class RecordReader(Protocol):
    def read(self) -> Requests | None:
        """All requests of the session until now; None where the record is not there, or not as we know it."""


class SessionRecord:
    """What the turn under way took by the agent's own record; unknown wherever that cannot be read."""

    def __init__(self, reader: RecordReader | None, *, is_new: bool) -> None:
        self._reader = reader
        self._seen: Requests | None = {} if is_new else None  # what came before us has to be known to be left out
        self._before: Requests | None = None

    def begin(self) -> None:
        """A turn begins."""
        self._look()
        self._before = self._seen

    def used(self) -> Usage | None:
        """By the requests since then that have ended."""
        self._look()
        if self._before is None or self._seen is None:
            return None
        return reduce(add_usage, (one for id, one in self._seen.items() if id not in self._before), None)

    def _look(self) -> None:
        found = self._reader.read() if self._reader else None
        if found is not None:
            self._seen = dict(found)


class GeminiChat:
    """`~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`: a line for each answer; the same id may come again."""

    def __init__(self, environment: Mapping[str, str], session: str) -> None:
        self._folder = Path(environment.get("GEMINI_CLI_HOME") or environment.get("HOME") or "/", ".gemini", "tmp")
        self._pattern = f"*/chats/session-*-{session[:8]}.jsonl" if session[:8].isalnum() else ""
        self._file: Path | None = None
        self._read = 0
        self._requests: dict[str, Usage] = {}

    def read(self) -> Requests | None:
        try:
            if self._file is None and self._pattern:
                self._file = next(iter(self._folder.glob(self._pattern)), None)
            if self._file is None:
                return None
            with self._file.open("rb") as file:
                file.seek(self._read)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read += len(line)
                    if b'"tokens"' in line:
                        self._take(line)
        except OSError:
            return None
        return self._requests

    def _take(self, line: bytes) -> None:
        with suppress(ValueError):  # a broken line tells of nothing
            answer = _fields(orjson.loads(line))
            tokens = _fields(answer.get("tokens"))
            self._requests |= _known(str(answer.get("id")), tokens, cachedReadTokens="cached", thoughtTokens="thoughts")


class OpencodeDatabase:
    """`message` in `opencode.db`: a row for each answer, also of the sessions of its subagents."""

    QUERY = """
        WITH RECURSIVE mine(id) AS (SELECT ? UNION SELECT s.id FROM session s JOIN mine ON s.parent_id = mine.id)
        SELECT m.id, json_extract(m.data, '$.tokens') FROM message m JOIN mine ON m.session_id = mine.id
    """

    def __init__(self, environment: Mapping[str, str], session: str) -> None:
        data = environment.get("XDG_DATA_HOME") or Path(environment.get("HOME") or "/", ".local", "share")
        path = Path(data, "opencode", environment.get("OPENCODE_DB") or "opencode.db")
        self._address, self._session = f"file:{quote(str(path))}?mode=ro", session

    def read(self) -> Requests | None:
        try:
            with closing(sqlite3.connect(self._address, uri=True, timeout=0)) as database:
                rows = database.execute(self.QUERY, (self._session,)).fetchall()
                found = {str(id): _fields(orjson.loads(tokens)) for id, tokens in rows if isinstance(tokens, str)}
        except (sqlite3.Error, ValueError):
            return None
        requests: dict[str, Usage] = {}
        for id, tokens in found.items():
            cache = {f"cache_{name}": count for name, count in _fields(tokens.get("cache")).items()}
            requests |= _known(
                id,
                {**tokens, **cache},
                cachedReadTokens="cache_read",
                cachedWriteTokens="cache_write",
                thoughtTokens="reasoning",
            )
        return requests


def _known(id: str, tokens: UpdateFields, **names: str) -> Requests:
    """Of one request; nothing where its tokens are not told. `names`: what the protocol calls them, and the record."""
    names = {"inputTokens": "input", "outputTokens": "output", "totalTokens": "total", **names}
    usage = count_usage({name: tokens.get(theirs) for name, theirs in names.items()})
    return {id: usage} if usage.tokens is not None else {}


def _fields(value: object) -> UpdateFields:
    return value if isinstance(value, dict) else {}


RECORDS: Mapping[str, Callable[[Mapping[str, str], str], RecordReader]] = {
    "gemini": GeminiChat,
    "opencode": OpencodeDatabase,
}
"""By agent its record, from its environment and the name of the session: of those that tell of a turn's tokens only at
its end, gemini without what it thought, opencode of the last request alone."""


def open_record(command: AgentCommand, session: str, *, is_new: bool) -> SessionRecord:
    """`is_new`: the session was begun just now, by us."""
    if (reader := RECORDS.get(command.name)) is None:
        return SessionRecord(None, is_new=is_new)
    ours = {n: value for n, value in program_environment(command.passed).items() if n not in command.without}
    return SessionRecord(reader({**ours, **command.environment}, session), is_new=is_new)
