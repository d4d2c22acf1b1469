"""The fleet in figures, for whoever watches it."""

from dataclasses import dataclass

from psycopg.rows import dict_row

from loopwright.fleet.database import Database
from loopwright.fleet.queue import DEAD_SECONDS

FIGURES = """
WITH worker AS (SELECT slots, beat > now() - make_interval(secs => %s) AS lives, beat FROM fleet_worker),
run AS (
    SELECT account, status, count(*) AS n, count(*) FILTER (WHERE failures > 0) AS troubled,
    extract(epoch FROM now() - min(changed))::float AS age FROM fleet_loop GROUP BY account, status
)
SELECT (SELECT count(*) FROM worker WHERE lives) AS workers,
(SELECT coalesce(sum(slots), 0) FROM worker WHERE lives) AS slots,
(SELECT extract(epoch FROM now() - min(beat))::float FROM worker) AS oldest_beat,
(SELECT coalesce(json_object_agg(name, closed_until > now() IS TRUE), '{}') FROM fleet_account) AS closed,
(SELECT coalesce(json_agg(json_build_array(account, status, n)), '[]') FROM run) AS runs,
(SELECT coalesce(json_object_agg(account, age), '{}') FROM run WHERE status = 'queued') AS oldest_queued,
(SELECT coalesce(json_object_agg(account, troubled), '{}') FROM run WHERE status = 'queued') AS troubled
"""


@dataclass(frozen=True, kw_only=True)
class FleetFigures:
    """Of living workers the number and their slots; of all runs `(account, status, number)`; the rest by account.

    Ages in seconds: `oldest_beat` of any worker that is known, None where there is none; `oldest_queued` since a run
    was queued last. `troubled`: how many of the queued ones could not be driven when they were tried.
    """

    workers: int
    slots: int
    oldest_beat: float | None
    closed: dict[str, bool]
    runs: list[tuple[str, str, int]]
    oldest_queued: dict[str, float]
    troubled: dict[str, int]


def read_figures(database: Database, seconds: float) -> FleetFigures:
    """By one query. StoreError, after that many seconds at the latest."""
    with database.transaction(seconds) as connection:
        found = connection.cursor(row_factory=dict_row).execute(FIGURES, (DEAD_SECONDS,)).fetchone()
    assert found
    return FleetFigures(**{**found, "runs": [tuple(row) for row in found["runs"]]})
