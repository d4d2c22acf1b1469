"""Runs' logs in PostgreSQL, and what has grown of these and of journals, for whoever looks on from another machine."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from loopwright.core.errors import Fenced
from loopwright.core.fleet import FleetRun
from loopwright.fleet.database import ANSWER_SECONDS, Database
from loopwright.fleet.queue import FLEET_RUN

JOURNAL = ""
"""Among the names of a run's logs."""

APPEND = """
WITH held AS (
    UPDATE fleet_loop SET logs = logs || %(ends)s WHERE id = %(id)s AND token = %(token)s RETURNING id
)
INSERT INTO fleet_log (id, name, at, data)
SELECT held.id, new.name, new.at, new.data
FROM held, unnest(%(names)s::text[], %(starts)s::bigint[], %(data)s::bytea[]) AS new (name, at, data)
ON CONFLICT (id, name, at) DO UPDATE SET data = excluded.data
"""
"""What is written again from the same byte on has all that was there, and more."""

READ = "SELECT id, name, at, data FROM fleet_log WHERE id = %s ORDER BY name, at"

LOOK = f"""
SELECT {FLEET_RUN}, edition, journal_end, logs FROM fleet_loop AS run WHERE id = ANY(%(ids)s)
"""
STRETCH = """
SELECT at, data FROM {table} WHERE {which} AND {table}.id = mine.id AND at >= mine.start ORDER BY at LIMIT 500
"""
BRING = f"""
SELECT mine.id, mine.name, stretch.at, stretch.data
FROM unnest(%(ids)s::text[], %(names)s::text[], %(starts)s::bigint[]) AS mine (id, name, start), LATERAL (
    ({STRETCH.format(table="fleet_journal", which=f"mine.name = '{JOURNAL}'")})
    UNION ALL ({STRETCH.format(table="fleet_log", which="fleet_log.name = mine.name")})
) AS stretch ORDER BY mine.id, mine.name, stretch.at
"""


class LogPart(NamedTuple):
    """Bytes of a log of a run, or of its JOURNAL, from the byte `at` on."""

    id: str
    name: str
    at: int
    data: bytes


class RunGrowth(NamedTuple):
    """How far a run's journal and logs have come. Another `edition`: the journal was rewritten."""

    run: FleetRun
    edition: int
    journal_end: int
    logs: Mapping[str, int]


class LogStart(NamedTuple):
    """From where on a log is wanted."""

    id: str
    name: str
    start: int


class PostgresLogs:
    """Calls block. StoreError where it cannot be reached; whatever it was can be asked again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, id: str, token: int, parts: Sequence[LogPart]) -> None:
        """One part at most of each log. Fenced where another machine has claimed the run."""
        given = {
            "id": id,
            "token": token,
            "ends": Jsonb({part.name: part.at + len(part.data) for part in parts}),
            "names": [part.name for part in parts],
            "starts": [part.at for part in parts],
            "data": [part.data for part in parts],
        }
        with self._database.connection() as connection:
            if connection.execute(APPEND, given).rowcount == 0:
                raise Fenced(f"another machine has claimed {id}, or the fleet does not know it")

    def read(self, id: str) -> Sequence[LogPart]:
        """All there is, log by log."""
        with self._database.connection() as connection:
            return connection.cursor(row_factory=class_row(LogPart)).execute(READ, (id,)).fetchall()

    def look(self, ids: Iterable[str], seconds: float = ANSWER_SECONDS) -> Mapping[str, RunGrowth]:
        """Of those that the fleet knows, by id."""
        with self._database.connection(seconds) as connection:
            found = connection.cursor(row_factory=dict_row).execute(LOOK, {"ids": list(ids)}).fetchall()
        return {
            row["id"]: RunGrowth(
                run=FleetRun(**{name: row[name] for name in FleetRun._fields}),
                edition=row["edition"],
                journal_end=row["journal_end"],
                logs=row["logs"],
            )
            for row in found
        }

    def bring(self, wanted: Iterable[LogStart], seconds: float = ANSWER_SECONDS) -> Sequence[LogPart]:
        """What follows there, and perhaps not all of it. Nothing, or parts further on, where no part begins there."""
        ids, names, starts = map(list, zip(*wanted, strict=True))
        with self._database.connection(seconds) as connection:
            rows = connection.cursor(row_factory=class_row(LogPart))
            return rows.execute(BRING, {"ids": ids, "names": names, "starts": starts}).fetchall()
