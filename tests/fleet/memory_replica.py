"""The replica's fake: the same promises, kept in memory; and what a test does to a fleet of either kind."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, Protocol

from loopwright.core.errors import Fenced, NotFound
from loopwright.core.fleet import Replica
from loopwright.fleet.database import connect, create_tables
from loopwright.fleet.replica import PostgresReplica


class Row(NamedTuple):
    at: int
    data: bytes
    token: int


@dataclass
class MemoryRun:
    """A journal, and which claim may write it."""

    token: int = 0
    rows: list[Row] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        return b"".join(row.data for row in self.rows)


class FleetSide(Protocol):
    """What happens to runs beside the replica."""

    def add(self, id: str, journal: bytes = b"") -> None:
        """A run that nobody has claimed."""

    def claim(self, id: str) -> int:
        """The new token."""
        ...

    def replica(self, tokens: Mapping[str, int]) -> Replica: ...

    def close(self) -> None: ...


def given(replica: Replica) -> Callable[[str], Replica]:
    """For every run."""
    return lambda id: replica


class MemoryFleet:
    """What several replicas share."""

    def __init__(self) -> None:
        self.mutex = threading.Lock()
        self.runs: dict[str, MemoryRun] = {}

    def add(self, id: str, journal: bytes = b"") -> None:
        self.runs[id] = MemoryRun(rows=[Row(0, journal, 0)] if journal else [])

    def claim(self, id: str) -> int:
        with self.mutex:
            self.runs[id].token += 1
            return self.runs[id].token

    def replica(self, tokens: Mapping[str, int]) -> "MemoryReplica":
        return MemoryReplica(self, tokens)

    def close(self) -> None:
        """Nothing is open."""


def token_of(tokens: Mapping[str, int], id: str) -> int:
    if id not in tokens:
        raise Fenced(f"this process has not claimed {id}")
    return tokens[id]


class MemoryReplica:
    """See core.fleet.Replica."""

    def __init__(self, fleet: MemoryFleet, tokens: Mapping[str, int]) -> None:
        self._fleet, self._tokens = fleet, tokens

    def append(self, id: str, at: int, data: bytes) -> None:
        with self._fleet.mutex:
            run, token = self._claimed(id)
            end, holds = len(run.data), run.token == token
            if not (holds and at == end):
                lines = (row for row in run.rows if (holds or row.token == token) and at <= row.at < at + len(data))
                found = b"".join(row.data for row in lines)
                if found == data:
                    return
                if not holds or not found or not data.startswith(found) or end != at + len(found):
                    raise Fenced(f"{id} ends at byte {end}" if holds else f"another machine has claimed {id}")
                data = data[len(found) :]
            run.rows.append(Row(end, data, token))

    def rewrite(self, id: str, data: bytes) -> None:
        with self._fleet.mutex:
            run, token = self._claimed(id)
            if run.token == token:
                run.rows[:] = [Row(0, data, token)]
            elif b"".join(row.data for row in run.rows if row.token == token and row.at < len(data)) != data:
                raise Fenced(f"another machine has claimed {id}")

    def read(self, id: str, start: int = 0) -> bytes:
        with self._fleet.mutex:
            if id not in self._fleet.runs:
                raise NotFound(f"the fleet does not know {id}")
            return self._fleet.runs[id].data[start:]

    def _claimed(self, id: str) -> tuple[MemoryRun, int]:
        token = token_of(self._tokens, id)
        if id not in self._fleet.runs:
            raise Fenced(f"the fleet does not know {id}")
        return self._fleet.runs[id], token


ADD = """
INSERT INTO fleet_loop (id, kind, title, account, owner, remote, base, author, journal_end)
VALUES (%s, 'loop_id', 'A title', 'claude', 'ada', 'file:///srv/shop.git', 'abc', '', %s)
"""


@cache
def _replica_database(server: str) -> str:
    """One for all fleets below, for a new one takes a fifth of a second."""
    with connect(f"{server}postgres") as connection:
        connection.execute("CREATE DATABASE replica")
    with connect(f"{server}replica") as connection:
        create_tables(connection)
        connection.execute("INSERT INTO fleet_account (name, slots) VALUES ('claude', 1)")
    return f"{server}replica"


class PostgresFleet:
    """Empty, and of the last call alone; `server` is its URL. `patience`: that of its replicas."""

    def __init__(self, server: str, patience: float = 7) -> None:
        self.url, self.patience = _replica_database(server), patience
        self._replicas: list[PostgresReplica] = []
        with connect(self.url) as connection:
            connection.execute("DELETE FROM fleet_loop")

    def add(self, id: str, journal: bytes = b"") -> None:
        with connect(self.url) as connection, connection.transaction():
            connection.execute(ADD, (id, len(journal)))
            if journal:
                connection.execute("INSERT INTO fleet_journal VALUES (%s, 0, %s, 0)", (id, journal))

    def claim(self, id: str) -> int:
        with connect(self.url) as connection:
            row = connection.execute(
                "UPDATE fleet_loop SET token = token + 1 WHERE id = %s RETURNING token", (id,)
            ).fetchone()
        assert row
        return int(row[0])

    def replica(self, tokens: Mapping[str, int], url: str | None = None) -> PostgresReplica:
        """`url`: another way to it."""
        self._replicas.append(PostgresReplica(url or self.url, lambda id: token_of(tokens, id), self.patience))
        return self._replicas[-1]

    def close(self) -> None:
        for replica in self._replicas:
            replica.close()
