"""The fleet's queue: that of DBOS on PostgreSQL, with a queue for each account and a partition for each user.

DBOS hands out jobs and holds the limits. Who drives a run is decided by its claim alone.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from loopwright.core.errors import Conflict, Fenced, Invalid, NotFound, StoreError
from loopwright.core.fleet import Claim, FleetRun, Job, Release, Source, Submission
from loopwright.fleet.database import Database, Unreachable, connect, create_tables

APPLICATION = "loopwright"
PROTOCOL = "1"
"""Of jobs: workers of one protocol take each other's. DBOS calls it the application's version."""

WORKFLOW = "drive"
QUEUE = "account:"
"""What the name of an account's queue begins with."""

CONTROL, CONTROLS = "control", 2
"""The queue, and the workflow, of runs that commands wait for; and how many a worker takes at a time, slots or not."""

DEAD_SECONDS = 10.0
"""Without a beat, after which others take a worker for dead."""

POLL_SECONDS, POLL_SHARE, LONGEST_POLL = 0.2, 0.02, 5.0
"""Between two looks of a worker at a queue: so many seconds for each worker that lives, within these bounds."""

POOL = 3
"""Connections that DBOS may have at a time."""

INSERT_LOOP = """
INSERT INTO fleet_loop (id, kind, title, account, owner, priority, remote, base, start, author, journal_end)
VALUES (%(id)s, %(kind)s, %(title)s, %(account)s, %(user)s, %(priority)s,
    %(remote)s, %(base)s, %(start)s, %(author)s, %(size)s)
ON CONFLICT DO NOTHING RETURNING id
"""
INSERT_JOURNAL = "INSERT INTO fleet_journal (id, at, data, token) VALUES (%s, 0, %s, 0)"
WITHOUT_JOB = """
SELECT id FROM fleet_loop AS run JOIN dbos.workflow_status AS job ON workflow_uuid = id || '/' || jobs
WHERE run.status IN ('queued', 'running') AND job.status NOT IN ('ENQUEUED', 'DELAYED', 'PENDING')
AND NOT EXISTS (SELECT FROM fleet_worker WHERE executor = holder) AND changed < now() - interval '10 seconds'
FOR UPDATE OF run SKIP LOCKED
"""
ENQUEUE = f"""
UPDATE fleet_loop SET status = 'queued', jobs = jobs + 1, changed = now() WHERE id = %(id)s
RETURNING dbos.enqueue_workflow(
    '{WORKFLOW}', '{QUEUE}' || account, ARRAY[to_json(id), to_json(jobs)], workflow_id => id || '/' || jobs,
    priority => priority, queue_partition_key => owner, application_name => '{APPLICATION}',
    app_version => '{PROTOCOL}', delay_until_epoch_ms => (extract(epoch FROM %(at)s::timestamptz) * 1000)::bigint
)
"""
CLAIMED = """
RETURNING id, kind, token, account, owner AS "user", remote, base, start, author, result, failures, status,
(SELECT string_agg(data, '' ORDER BY at) FROM fleet_journal WHERE fleet_journal.id = fleet_loop.id) AS journal
"""
OPEN = "SELECT FROM fleet_signal WHERE fleet_signal.id = fleet_loop.id AND done IS NULL"
CLAIM = f"""
UPDATE fleet_loop SET status = 'running', token = token + 1, holder = %(executor)s, changed = now()
WHERE id = %(id)s AND jobs = %(n)s AND status IN ('queued', 'running')
AND NOT EXISTS (SELECT FROM fleet_worker WHERE executor = holder)
AND EXISTS (SELECT FROM fleet_worker WHERE executor = %(executor)s)
{CLAIMED}
"""
BUSY = "SELECT FROM fleet_loop WHERE id = %(id)s AND jobs = %(n)s AND status = 'queued'"
"""What could not be claimed, though nobody drives it: it is held for a command, or was until just now."""

CLAIM_CONTROL = f"""
UPDATE fleet_loop SET status = CASE status WHEN 'running' THEN 'queued' ELSE status END,
token = token + 1, holder = %(executor)s
WHERE id = %(id)s AND (holder IS NOT NULL OR EXISTS ({OPEN}))
AND NOT EXISTS (SELECT FROM fleet_worker WHERE executor = holder)
AND EXISTS (SELECT FROM fleet_worker WHERE executor = %(executor)s)
{CLAIMED}
"""
"""One that a dead machine was driving waits for its job, which comes again; one that a dead machine applied commands to
may have to become what its state says."""

ASK_FOR_CONTROL = f"""
SELECT dbos.enqueue_workflow(
    '{CONTROL}', '{CONTROL}', ARRAY[to_json(id), to_json(name)], workflow_id => name,
    application_name => '{APPLICATION}', app_version => '{PROTOCOL}'
) FROM (SELECT id, '{CONTROL}/' || id || '/' || gen_random_uuid() AS name FROM fleet_loop WHERE id = %s) AS job
"""
HAS_JOB = """
SELECT FROM fleet_loop JOIN dbos.workflow_status AS job ON workflow_uuid = id || '/' || jobs
WHERE id = %(id)s AND (job.status IN ('ENQUEUED', 'PENDING') OR job.status = 'DELAYED' AND %(at)s::timestamptz > now())
"""
NOTE_RESULT = "UPDATE fleet_loop SET branch = %s, result = %s WHERE id = %s AND token = %s RETURNING id"
RELEASE = """
UPDATE fleet_loop
SET status = %(status)s, trouble = %(trouble)s, failures = %(failures)s, holder = NULL, changed = now()
WHERE id = %(id)s AND token = %(token)s AND holder = %(executor)s RETURNING id
"""
UNHEARD = "SELECT FROM fleet_signal WHERE id = %s AND done IS NULL"
"""Asked once the run is let go of: who sends one later sees that."""

WAITING = f"""
SELECT count(*) FROM fleet_loop WHERE (account = ANY(%(of)s) OR %(of)s = '{{}}')
AND (status = 'queued' OR holder IS NULL AND EXISTS ({OPEN}) OR status = 'running' AND NOT EXISTS (
    SELECT FROM fleet_worker WHERE executor = holder AND beat > now() - interval '3 seconds'
))
"""
SET_ACCOUNT = """
INSERT INTO fleet_account (name, slots, user_slots) VALUES (%s, %s, %s)
ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, user_slots = excluded.user_slots
"""
CLOSE_ACCOUNT = "UPDATE fleet_account SET closed_until = %s, closed_why = %s WHERE name = %s RETURNING name"

CLOSED = "SELECT name FROM fleet_account WHERE closed_until > now()"

SET_PACE = f"""
UPDATE dbos.queues SET polling_interval_sec = pace FROM (
    SELECT least(greatest({POLL_SECONDS}, {POLL_SHARE} * count(*)), {LONGEST_POLL}) AS pace FROM fleet_worker
) AS workers WHERE polling_interval_sec <> pace
"""
"""All workers together ask the database about a queue as often as ten of them do, however many there are."""

FLEET_RUN = """
id, kind, status, account, owner AS "user", holder, branch, trouble, CASE WHEN status = 'queued' THEN (
    SELECT count(*) FROM fleet_loop AS other WHERE other.status = 'queued' AND other.account = run.account
    AND (other.priority, other.submitted, other.id) < (run.priority, run.submitted, run.id)
) ELSE 0 END AS before
"""
"""What a FleetRun is made of, of the row `run`."""

FIND = f"SELECT {FLEET_RUN} FROM fleet_loop AS run WHERE id = %(id)s"
ACCOUNTS = """
WITH share AS (
    SELECT account, owner, count(*) FILTER (WHERE status = 'running') AS running,
    count(*) FILTER (WHERE status = 'queued') AS queued
    FROM fleet_loop WHERE status IN ('running', 'queued') GROUP BY account, owner
)
SELECT name, slots, user_slots, to_json(CASE WHEN closed_until > now() THEN closed_until END) AS closed_until,
CASE WHEN closed_until > now() THEN closed_why END AS closed_why,
coalesce(sum(running), 0)::int AS running, coalesce(sum(queued), 0)::int AS queued, coalesce(json_agg(
    json_build_object('user', owner, 'running', running, 'queued', queued) ORDER BY owner
) FILTER (WHERE owner IS NOT NULL), '[]') AS users
FROM fleet_account LEFT JOIN share ON account = name GROUP BY name ORDER BY name
"""
WORKERS = f"""
SELECT executor, host, slots, version, to_json(started) AS started, extract(epoch FROM now() - beat)::float AS age,
count(id) AS running, coalesce(json_agg(
    json_build_object('id', id, 'kind', kind, 'title', title, 'account', account, 'user', owner, 'since', changed)
    ORDER BY changed, id
) FILTER (WHERE id IS NOT NULL), '[]') AS runs
FROM fleet_worker LEFT JOIN fleet_loop ON holder = executor AND status = 'running'
WHERE beat > now() - interval '{DEAD_SECONDS} seconds' GROUP BY executor ORDER BY host, executor
"""
QUEUED = """
SELECT * FROM (
    SELECT id, kind, title, account, owner AS "user", to_json(changed) AS since, priority, trouble,
    row_number() OVER (PARTITION BY account ORDER BY priority, submitted, id) - 1 AS before
    FROM fleet_loop WHERE status = 'queued'
) AS waiting WHERE before < %s ORDER BY account, before
"""
SHOWN = 100
"""Of the runs that wait for an account."""

COUNTS = "SELECT status, count(*) AS n FROM fleet_loop GROUP BY status ORDER BY status"
LATEST = """
SELECT id, title, status, account, owner AS "user", holder, branch, trouble, changed::text
FROM fleet_loop ORDER BY changed DESC LIMIT 50
"""

Work = Callable[[Job], None]
Claiming = Callable[..., tuple[list[str], str | None]]
"""DBOS's own: the ids of the jobs that a worker has got from a queue, and which limit left it none."""


def job_name(id: str, n: int) -> str:
    return f"{id}/{n}"


class DbosDispatcher:
    """See ports: core.fleet.Dispatcher. `executor` names this worker; whoever only submits has none."""

    def __init__(self, database: Database, executor: str = "") -> None:
        self._database, self._executor = database, executor

    def close(self) -> None:
        """Ends its connection."""
        self._database.close()

    def make_tables(self) -> None:
        """What is missing of the fleet's tables, and of those of its queue. NewerSchema."""
        from dbos import DBOS

        with connect(self._database.url) as connection:
            create_tables(connection)
        DBOS.migrate(self._database.url)
        self._register_queue(CONTROL, worker_concurrency=CONTROLS)

    def submit(self, runs: Sequence[Submission]) -> None:
        with self._database.transaction() as connection:
            accounts = _accounts(connection)
            for run in runs:
                if run.account not in accounts:
                    raise Invalid(f"the fleet has no account {run.account}; it has: {', '.join(accounts) or 'none'}")
                given = {**vars(run), **vars(run.source), "size": len(run.journal)}
                if connection.execute(INSERT_LOOP, given).fetchone() is None:
                    raise Conflict(f"the fleet has a run {run.id} already")
                connection.execute(INSERT_JOURNAL, (run.id, run.journal))
                _enqueue(connection, run.id)

    def claim(self, job: Job) -> Claim | None:
        """See ports. Fenced where this worker was taken for dead: it must end, and leave the job as it is."""
        with self._database.transaction() as connection:
            rows = connection.cursor(row_factory=dict_row).execute(CLAIM, {**job._asdict(), "executor": self._executor})
            found = _claim(rows.fetchone())
            if found is None:
                self._require_alive(connection)
                if connection.execute(BUSY, job._asdict()).fetchone() is not None:
                    raise Conflict(f"commands are being applied to {job.id}; claim it again")
            return found

    def claim_control(self, id: str) -> Claim | None:
        """See ports. Fenced as for `claim`."""
        with self._database.transaction() as connection:
            rows = connection.cursor(row_factory=dict_row).execute(
                CLAIM_CONTROL, {"id": id, "executor": self._executor}
            )
            found = _claim(rows.fetchone())
            if found is None:
                self._require_alive(connection)
            return found

    def note_result(self, claim: Claim, branch: str, commit: str) -> None:
        with self._database.transaction() as connection:
            if connection.execute(NOTE_RESULT, (branch, commit, claim.id, claim.token)).fetchone() is None:
                raise Fenced(f"another machine has claimed {claim.id}")

    def release(self, claim: Claim, release: Release) -> bool:
        ends = {
            "status": release.status,
            "trouble": release.trouble,
            "failures": claim.failures + 1 if release.failed else 0,
        }
        given = {"id": claim.id, "token": claim.token, "executor": self._executor, "at": release.at}
        with self._database.transaction() as connection:
            if connection.execute(RELEASE, {**ends, **given}).fetchone() is None:
                return False
            keeps = claim.status == "queued" and connection.execute(HAS_JOB, given).fetchone() is not None
            if release.status == "queued" and not keeps:
                _enqueue(connection, claim.id, release.at)
            if connection.execute(UNHEARD, (claim.id,)).fetchone() is not None:
                ask_for_control(connection, claim.id)
            return True

    def find(self, id: str) -> FleetRun:
        with self._database.transaction() as connection:
            found = connection.cursor(row_factory=dict_row).execute(FIND, {"id": id}).fetchone()
        if found is None:
            raise NotFound(f"the fleet has no run {id}")
        return FleetRun(**found)

    def enqueue(self, id: str) -> None:
        with self._database.transaction() as connection:
            found = connection.execute("SELECT status FROM fleet_loop WHERE id = %s FOR UPDATE", (id,)).fetchone()
            if found is None:
                raise NotFound(f"the fleet has no run {id}")
            if found[0] != "resting":
                raise Conflict(f"{id} is {found[0]} in the fleet; only one that rests can be queued again")
            _enqueue(connection, id)

    def waiting(self, accounts: Sequence[str]) -> int:
        with self._database.transaction() as connection:
            (found,) = connection.execute(WAITING, {"of": list(accounts)}).fetchone() or (0,)
            return int(found)

    def closed(self) -> frozenset[str]:
        with self._database.transaction() as connection:
            return frozenset(name for (name,) in connection.execute(CLOSED))

    def accounts(self) -> list[dict[str, Any]]:  # Any: rows, as JSON has them
        """Each with its limits, and how many of its runs are driven and wait, in all and by user."""
        return self._rows(ACCOUNTS)

    def status(self) -> dict[str, Any]:  # Any: as above
        """The workers, how many runs there are by status, and those that changed last."""
        return {
            "workers": self._rows(WORKERS),
            "runs": {row["status"]: row["n"] for row in self._rows(COUNTS)},
            "latest": self._rows(LATEST),
        }

    def overview(self, seconds: float) -> dict[str, Any]:  # Any: as above
        """The workers with what they drive, the accounts, the first that wait for each, and how many runs there are.

        All as of one moment. Unreachable, after that many seconds at the latest.
        """
        with self._database.transaction(seconds) as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            rows = connection.cursor(row_factory=dict_row)
            return {
                "workers": rows.execute(WORKERS).fetchall(),
                "accounts": rows.execute(ACCOUNTS).fetchall(),
                "queue": rows.execute(QUEUED, (SHOWN,)).fetchall(),
                "runs": {row["status"]: row["n"] for row in rows.execute(COUNTS)},
            }

    def _rows(self, query: str) -> list[dict[str, Any]]:  # Any: as above
        with self._database.transaction() as connection:
            return connection.cursor(row_factory=dict_row).execute(query).fetchall()

    def set_account(self, name: str, slots: int, user_slots: int | None = None) -> None:
        if slots < 1 or (user_slots is not None and not 1 <= user_slots <= slots):
            raise Invalid(f"slots: an account has at least one, and a user of it no more than all; not {slots}")
        self._register_queue(QUEUE + name, global_concurrency=slots, partition_concurrency=user_slots or slots)
        with self._database.transaction() as connection:
            connection.execute(SET_ACCOUNT, (name, slots, user_slots))

    def _register_queue(self, name: str, **limits: Any) -> None:  # Any: numbers, as DBOS takes them
        from dbos import DBOSClient  # slow to load, and most who submit never do this
        from sqlalchemy.exc import SQLAlchemyError

        try:
            client = DBOSClient(system_database_url=self._database.url)
            try:
                client.register_queue(name, polling_interval_sec=POLL_SECONDS, **limits)
            finally:
                client.destroy()
        except SQLAlchemyError as error:
            raise StoreError(f"the fleet's queue refused it: {' '.join(str(error).split())}") from error

    def close_account(self, name: str, until: datetime, why: str) -> None:
        with self._database.transaction() as connection:
            if connection.execute(CLOSE_ACCOUNT, (until, why, name)).fetchone() is None:
                raise NotFound(f"the fleet has no account {name}; it has: {', '.join(_accounts(connection)) or 'none'}")

    @contextmanager
    def serving(
        self, slots: int, work: Work, may_take: Callable[[str], bool], control: Callable[[str], None]
    ) -> Iterator["TakenJobs"]:
        """See ports. Once in a process."""
        from dbos import DBOS

        taken = TakenJobs(slots, may_take)

        def drive(id: str, n: int) -> None:
            try:
                work(Job(id, n))
            finally:
                taken.finish(job_name(id, n))

        def apply(id: str, name: str) -> None:
            try:
                control(id)
            finally:
                taken.finish(name)

        logging.getLogger("dbos").setLevel(logging.CRITICAL)  # what it retries, and what ends it, is told here
        DBOS(
            config={
                "name": APPLICATION,
                "application_version": PROTOCOL,
                "executor_id": self._executor,
                "system_database_url": self._database.url,
                "sys_db_pool_size": POOL,
                "db_engine_kwargs": {"max_overflow": 0},
                "max_executor_threads": slots + CONTROLS + 2,
                "run_migrations": False,
                "log_level": "CRITICAL",
            }
        )
        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(drive)
        DBOS.workflow(name=CONTROL, max_recovery_attempts=None)(apply)
        with taken.counted():
            DBOS.launch()
            try:
                yield taken
            finally:
                DBOS.destroy(destroy_registry=True)

    def _require_alive(self, connection: psycopg.Connection) -> None:
        if not connection.execute("SELECT 1 FROM fleet_worker WHERE executor = %s", (self._executor,)).fetchone():
            raise Fenced("this worker was taken for dead; its runs go on elsewhere")


class TakenJobs:
    """The jobs that this process has: never more than its slots, whichever queues they come from.

    DBOS limits a worker queue by queue, and for all machines alike; so each of its claims is told here how many there
    may be, one claim after the other.
    """

    def __init__(self, slots: int, may_take: Callable[[str], bool]) -> None:
        self._slots, self._may_take = slots, may_take
        self._turn = threading.Lock()
        self._ids, self._controls = set[str](), set[str]()
        self._closed = False

    @property
    def taken(self) -> frozenset[str]:
        """By name, see `job_name`."""
        with self._turn:
            return frozenset(self._ids | self._controls)

    def return_job(self, name: str, executor: str) -> None:
        """Makes a job wait again, if that worker still has it."""
        from dbos._dbos import _get_dbos_instance
        from sqlalchemy.exc import SQLAlchemyError

        try:
            _get_dbos_instance()._sys_db.reenqueue_for_recovery(name, [executor], "")
        except SQLAlchemyError as error:
            raise Unreachable(f"the fleet's queue cannot be reached: {error}") from error

    def close(self) -> None:
        """See ports. What is being taken just now is taken when this returns."""
        with self._turn:
            self._closed = True

    @contextmanager
    def counted(self) -> Iterator[None]:
        """While this lasts, the claims of all queues of this process are made here."""
        from dbos._sys_db import SystemDatabase

        claim: Claiming = SystemDatabase.start_queued_workflows

        def claim_free(
            database: Any,
            queue: Any,
            executor: str,
            version: str,
            partition: str | None,
            running: int = 0,
            *more: Any,
            **named: Any,
        ) -> tuple[list[str], str | None]:
            with self._turn:
                if self._closed:
                    return [], "worker_concurrency"
                if not queue.name.startswith(QUEUE):
                    ids, why = claim(database, queue, executor, version, partition, running, *more, **named)
                    self._controls.update(ids)
                    return ids, why
                free = self._slots - len(self._ids)
                if free < 1 or not self._may_take(queue.name.removeprefix(QUEUE)):
                    return [], "worker_concurrency"
                queue._worker_concurrency, before = free, queue._worker_concurrency
                try:
                    ids, why = claim(database, queue, executor, version, partition, 0, *more, **named)
                finally:
                    queue._worker_concurrency = before
                self._ids.update(ids)
                return ids, why

        SystemDatabase.start_queued_workflows = claim_free  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            SystemDatabase.start_queued_workflows = claim  # type: ignore[assignment, method-assign]

    def finish(self, id: str) -> None:
        with self._turn:
            self._ids.discard(id)
            self._controls.discard(id)


def _enqueue(connection: psycopg.Connection, id: str, at: datetime | None = None) -> None:
    connection.execute(ENQUEUE, {"id": id, "at": at})


def restore_jobs(connection: psycopg.Connection) -> None:
    """Queues what shall run, is driven by nobody, and has no job any more: nothing should lead there."""
    for (id,) in connection.execute(WITHOUT_JOB).fetchall():
        _enqueue(connection, id)


def ask_for_control(connection: psycopg.Connection, id: str) -> None:
    """Some worker is asked to apply what commands wait for the run."""
    connection.execute(ASK_FOR_CONTROL, (id,))


def _claim(found: dict[str, Any] | None) -> Claim | None:  # Any: a row
    if found is None:
        return None
    source = Source(**{name: found.pop(name) for name in ("remote", "base", "start", "author")})
    return Claim(source=source, **found)


def _accounts(connection: psycopg.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM fleet_account ORDER BY name")]
