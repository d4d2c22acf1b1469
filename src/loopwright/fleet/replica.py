"""The journals' authoritative copies in PostgreSQL, which only the last to claim a run may add to."""

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import psycopg

from loopwright.core.errors import Fenced, NotFound, StoreError, UncertainCommit
from loopwright.fleet.database import Database, Unreachable

T = TypeVar("T")

PATIENCE = 7.0
"""Seconds; a worker that has not reached the database for longer ends all that it drives."""

TRIES = 3
"""Within the patience, at a server that does not answer."""

PAUSE = 0.1
"""Seconds before what has failed is tried again."""

APPEND = """
WITH held AS (
    UPDATE fleet_loop SET journal_end = journal_end + octet_length(%(data)s)
    WHERE id = %(id)s AND token = %(token)s AND journal_end = %(at)s RETURNING id
)
INSERT INTO fleet_journal (id, at, data, token) SELECT id, %(at)s, %(data)s, %(token)s FROM held
"""
RESET = """
UPDATE fleet_loop SET journal_end = octet_length(%(data)s), edition = edition + 1
WHERE id = %(id)s AND token = %(token)s
"""
CLEAR = "DELETE FROM fleet_journal WHERE id = %(id)s"
INSERT = "INSERT INTO fleet_journal (id, at, data, token) VALUES (%(id)s, 0, %(data)s, %(token)s)"
LOOK = """
SELECT token, journal_end, (
    SELECT coalesce(string_agg(data, '' ORDER BY at), '') FROM fleet_journal
    WHERE id = %(id)s AND at >= %(at)s AND at < %(at)s + octet_length(%(data)s)
    AND %(token)s IN (fleet_journal.token, fleet_loop.token)
) FROM fleet_loop WHERE id = %(id)s
"""
"""What stands there; where another has claimed the run meanwhile, only what was written under this token."""

READ = """
SELECT journal_end, at, data FROM fleet_loop LEFT JOIN fleet_journal
ON fleet_journal.id = fleet_loop.id
AND at >= (SELECT coalesce(max(at), 0) FROM fleet_journal WHERE id = %(id)s AND at <= %(start)s)
WHERE fleet_loop.id = %(id)s ORDER BY at
"""


class Lines(NamedTuple):
    """Lines of a run's journal that are to stand at `at`, under a token."""

    id: str
    at: int
    data: bytes
    token: int


class PostgresReplica:
    """As core.fleet.Replica promises. `token_of`: that of the claim under which a run is driven here; else Fenced.

    What the database does not answer is asked again for as many seconds as `patience` says.
    """

    def __init__(self, url: str, token_of: Callable[[str], int], patience: float = PATIENCE) -> None:
        self._database, self._token_of, self._patience = Database(url), token_of, patience

    def close(self) -> None:
        """Nothing is under way any more; used again, it connects again."""
        self._database.close()

    def append(self, id: str, at: int, data: bytes) -> None:
        self._commit(_append, Lines(id, at, data, self._token_of(id)))

    def rewrite(self, id: str, data: bytes) -> None:
        self._commit(_rewrite, Lines(id, 0, data, self._token_of(id)))

    def read(self, id: str, start: int = 0) -> bytes:
        rows = self._ask(lambda connection: connection.execute(READ, {"id": id, "start": start}).fetchall())
        if not rows:
            raise NotFound(f"the fleet does not know {id}")
        end, first, _ = rows[0]
        lines = [(at, data) for _, at, data in rows if data is not None]
        reached = first if lines and first <= start else 0
        for at, data in lines:
            if at != reached:
                break
            reached += len(data)
        if reached != end:
            raise StoreError(f"the fleet's copy of the journal of {id} ends at byte {reached}, and should at {end}")
        return b"".join(data for _, data in lines)[start - first if lines else 0 :]

    def _commit(self, write: Callable[[psycopg.Connection, Lines], None], lines: Lines) -> None:
        try:
            self._ask(lambda connection: write(connection, lines))
        except StoreError as error:
            raise UncertainCommit(f"{lines.id}: {error}; the last update may or may not have been kept") from error

    def _ask(self, question: Callable[[psycopg.Connection], T]) -> T:
        """Asked again for as long as nobody knows what came of it. Unreachable; StoreError for what is refused."""
        deadline = time.monotonic() + self._patience
        while True:
            left = max(PAUSE, deadline - time.monotonic())
            try:
                with self._database.connection(min(left, self._patience / TRIES)) as connection:
                    return question(connection)
            except Unreachable:
                if deadline - time.monotonic() < 2 * PAUSE:
                    raise
            time.sleep(PAUSE)


def _append(connection: psycopg.Connection, lines: Lines) -> None:
    missing: Lines | None = lines
    while missing and connection.execute(APPEND, missing._asdict()).rowcount == 0:
        missing = _missing(connection, missing)


def _rewrite(connection: psycopg.Connection, lines: Lines) -> None:
    with connection.transaction():
        if connection.execute(RESET, lines._asdict()).rowcount:
            connection.execute(CLEAR, lines._asdict())
            connection.execute(INSERT, lines._asdict())
            return
    _missing(connection, lines)


def _missing(connection: psycopg.Connection, lines: Lines) -> Lines | None:
    """What of them was not kept when they were written before, and is still to be; None where all was. Fenced."""
    row = connection.execute(LOOK, lines._asdict()).fetchone()
    if row is None:
        raise Fenced(f"the fleet does not know {lines.id}: nothing of it is committed here")
    token, end, found = row
    if found == lines.data:
        return None
    if token != lines.token:
        raise Fenced(
            f"another machine has claimed {lines.id} (claim {token}, this one is {lines.token}): nothing more of it is "
            f"committed here"
        )
    if found and lines.data.startswith(found) and end == lines.at + len(found):
        return lines._replace(at=end, data=lines.data[len(found) :])
    raise Fenced(
        f"the journal of {lines.id} ends at byte {end} in the fleet, and at {lines.at} here: another process has "
        f"committed there"
    )
