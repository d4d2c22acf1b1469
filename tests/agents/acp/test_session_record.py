"""What an agent's own record says of a turn's tokens, and that nothing it holds breaks or deceives us."""

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.session_record import GeminiChat, OpencodeDatabase, SessionRecord
from loopwright.core.protocol import Usage

ONE = Usage(tokens=1050, input=1000, cached=200, output=50)
SESSION = "0254209f-d706-47f6-9372-8402483ee675"
GEMINI = {"input": 1000, "output": 40, "cached": 200, "thoughts": 10, "tool": 0, "total": 1050}
OPENCODE = {"total": 1050, "input": 800, "output": 40, "reasoning": 10, "cache": {"read": 200, "write": 0}}


def plus(count: int) -> Usage:
    return Usage(tokens=1050 * count, input=1000 * count, cached=200 * count, output=50 * count)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / f".gemini/tmp/project/chats/session-2026-11-27T07-32-{SESSION[:8]}.jsonl"
    path.parent.mkdir(parents=True)
    return path


def gemini(home: Path) -> GeminiChat:
    return GeminiChat({"HOME": str(home)}, SESSION)


def line(id: str, **more: object) -> bytes:
    return json.dumps({"id": id, "type": "gemini", "tokens": GEMINI, **more}).encode() + b"\n"


class TestGemini:
    def test_an_answer_counts_once_though_its_line_comes_again(self, tmp_path: Path, chat: Path) -> None:
        record = SessionRecord(gemini(tmp_path), is_new=True)
        record.begin()
        assert record.used() is None
        user = json.dumps({"id": "u", "type": "user", "content": [{"text": '"tokens"'}]}).encode() + b"\n"
        chat.write_bytes(line("a") + user + line("a", content="more"))
        assert record.used() == ONE
        with chat.open("ab") as file:
            file.write(line("b")[:-9])
            file.flush()
            assert record.used() == ONE, "half a line is none"
            file.write(line("b")[-9:])
        assert record.used() == plus(2)
        record.begin()
        with chat.open("ab") as file:
            file.write(line("c"))
        assert record.used() == ONE

    def test_what_came_before_us_is_left_out_or_nothing_is_known(self, tmp_path: Path, chat: Path) -> None:
        loaded = SessionRecord(gemini(tmp_path), is_new=False)
        loaded.begin()
        chat.write_bytes(line("a") * 3)
        assert loaded.used() is None, "nobody knows which of them are of this turn"
        loaded.begin()
        with chat.open("ab") as file:
            file.write(line("b"))
        assert loaded.used() == ONE

    @given(st.lists(st.binary(max_size=30) | st.sampled_from([line("a"), b'{"id": 7, "tokens": {}}\n', b'"tokens"\n'])))
    def test_whatever_it_holds(self, parts: list[bytes]) -> None:
        with tempfile.TemporaryDirectory() as home:
            record = SessionRecord(gemini(Path(home)), is_new=True)
            record.begin()
            folder = Path(home, ".gemini/tmp/p/chats")
            folder.mkdir(parents=True)
            Path(folder, f"session-1-{SESSION[:8]}.jsonl").write_bytes(b"".join(parts))
            whole = b"".join(parts).split(b"\n")[:-1]
            assert record.used() == (ONE if line("a")[:-1] in whole else None)

    @pytest.mark.parametrize("session", ["", "../../..", "*", "[a-z]"])
    def test_a_name_leads_nowhere_else(self, tmp_path: Path, chat: Path, session: str) -> None:
        chat.write_bytes(line("a"))
        assert GeminiChat({"HOME": str(tmp_path)}, session).read() is None


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "opencode" / "opencode.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE session (id TEXT, parent_id TEXT)")
        made.execute("CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)")
        made.executemany("INSERT INTO session VALUES (?, ?)", [("s", None), ("child", "s"), ("other", None)])
        yield made


def opencode(home: Path) -> SessionRecord:
    return SessionRecord(OpencodeDatabase({"XDG_DATA_HOME": str(home)}, "s"), is_new=True)


def say(made: sqlite3.Connection, id: str, session: str, data: object) -> None:
    made.execute(
        "INSERT INTO message VALUES (?, ?, ?)", (id, session, data if isinstance(data, str) else json.dumps(data))
    )


class TestOpencode:
    def test_the_answers_of_the_session_and_of_its_subagents(
        self, tmp_path: Path, database: sqlite3.Connection
    ) -> None:
        say(database, "m0", "s", {"role": "assistant", "tokens": OPENCODE})
        record = opencode(tmp_path)
        record.begin()
        say(database, "m1", "s", {"role": "user"})
        nothing = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        say(database, "m2", "s", {"role": "assistant", "tokens": nothing})
        assert record.used() is None, "one that is under way is not known to be free"
        database.execute("UPDATE message SET data = ? WHERE id = 'm2'", (json.dumps({"tokens": OPENCODE}),))
        assert record.used() == ONE
        say(database, "m3", "child", {"role": "assistant", "tokens": OPENCODE})
        say(database, "m4", "other", {"role": "assistant", "tokens": OPENCODE})
        assert record.used() == plus(2)

    @pytest.mark.parametrize("data", ["", "no json", "[]", {"tokens": 7}, {"tokens": {"cache": "all", "input": "x"}}])
    def test_whatever_it_holds(self, tmp_path: Path, database: sqlite3.Connection, data: object) -> None:
        record = opencode(tmp_path)
        record.begin()
        say(database, "m1", "s", data)
        assert record.used() is None

    def test_a_database_that_cannot_be_read_is_no_news(self, tmp_path: Path, database: sqlite3.Connection) -> None:
        record = opencode(tmp_path)
        record.begin()
        say(database, "m1", "s", {"tokens": OPENCODE})
        assert record.used() == ONE
        database.execute("ALTER TABLE message RENAME TO messages")
        assert record.used() == ONE
        (tmp_path / "opencode" / "opencode.db").write_bytes(b"no database" * 1000)
        assert record.used() == ONE

    def test_there_is_none(self, tmp_path: Path) -> None:
        record = opencode(tmp_path)
        record.begin()
        assert record.used() is None
        assert not any(tmp_path.iterdir())
