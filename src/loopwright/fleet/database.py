"""The fleet's database: connections, and its tables."""

import select
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from math import inf
from select import POLLIN, POLLOUT

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg.waiting import Ready, Wait

from loopwright.core.errors import Invalid, NewerSchema, StoreError

VERSION = 1
"""Of the tables in schema.sql."""

NO_TABLES = "the fleet's database has no tables yet; run: loopwright fleet init"

CONNECT_SECONDS = 5
ANSWER_SECONDS = 30
"""For what is asked at a time."""

SILENT_SECONDS = 5
"""After which a server that is gone from the network counts as such."""


class Unreachable(StoreError):
    """The database did not answer: what was asked may have been done or not."""


class TimedConnection(psycopg.Connection[TupleRow]):
    """Breaks where no answer comes by `deadline`, a monotonic time: nothing else ends the wait for a server that stands
    still, for which the network goes on answering."""

    deadline = inf

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """As that of psycopg."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            wanted = next(gen)
            while True:
                wanted = gen.send(self._ready(wanted))
        except StopIteration as end:
            found: RV = end.value
            return found

    def _ready(self, wanted: Wait) -> Ready:
        poll = select.poll()
        poll.register(self.fileno(), POLLIN * bool(wanted & Wait.R) | POLLOUT * bool(wanted & Wait.W))
        left = self.deadline - time.monotonic()
        try:
            found = poll.poll(None if left == inf else max(0, left) * 1000)
        except BaseException:
            self.pgconn.finish()  # what is under way can not be told from what comes next
            raise
        if not found:
            self.pgconn.finish()
            raise psycopg.OperationalError("it does not answer in time")
        ((_, event),) = found
        return Ready((Ready.W if event & POLLOUT else 0) | (Ready.R if event & ~POLLOUT else 0))


def connect(url: str, seconds: float = CONNECT_SECONDS) -> TimedConnection:
    """A connection on which each statement is a transaction of its own, unless one is begun. Invalid, Unreachable.

    It waits for `seconds`, and for 2 at least.
    """
    try:
        options = f"{conninfo_to_dict(url).get('options') or ''} -c statement_timeout={ANSWER_SECONDS}s"
        return TimedConnection.connect(
            url,
            autocommit=True,
            connect_timeout=int(seconds) or 1,
            keepalives_idle=2,
            keepalives_interval=1,
            keepalives_count=SILENT_SECONDS - 2,
            tcp_user_timeout=SILENT_SECONDS * 1000,
            application_name="loopwright",
            options=options,
        )
    except psycopg.OperationalError as error:
        raise unreachable(error) from error
    except psycopg.ProgrammingError as error:
        raise Invalid(f"the fleet's address is no PostgreSQL URL: {error}; write postgresql://HOST/DATABASE") from error


def unreachable(error: psycopg.Error) -> Unreachable:
    return Unreachable(f"the fleet's database cannot be reached: {' '.join(str(error).split())}")


@contextmanager
def told_errors() -> Iterator[None]:
    """What the database refuses is told as StoreError, and Unreachable where there is none."""
    try:
        yield
    except psycopg.OperationalError as error:
        raise unreachable(error) from error
    except psycopg.errors.UndefinedTable as error:
        raise StoreError(NO_TABLES) from error
    except psycopg.Error as error:
        raise StoreError(f"the fleet's database refused it: {' '.join(str(error).split())}") from error


def create_tables(connection: psycopg.Connection) -> None:
    """Makes what is missing. NewerSchema where a newer loopwright has made them."""
    with told_errors(), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('loopwright fleet tables'))")
        connection.execute(files("loopwright.fleet").joinpath("schema.sql").read_text())
        if _version(connection) is None:
            connection.execute("INSERT INTO fleet_version VALUES (%s)", (VERSION,))
        check_tables(connection)


def check_tables(connection: psycopg.Connection) -> None:
    """StoreError where `fleet init` has still to make them, NewerSchema where a newer loopwright did."""
    with told_errors():
        there = connection.execute("SELECT to_regclass('fleet_version')").fetchone()
        version = _version(connection) if there and there[0] else None
    if version is None:
        raise StoreError(NO_TABLES)
    if version > VERSION:
        raise NewerSchema(f"the fleet's tables have version {version}; this loopwright knows up to {VERSION}")


def _version(connection: psycopg.Connection) -> int | None:
    row = connection.execute("SELECT max(version) FROM fleet_version").fetchone()
    return row[0] if row else None


class Database:
    """One connection, made when it is first needed and again once it broke; for one thread at a time."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._turn = threading.RLock()
        self._connection: TimedConnection | None = None

    @contextmanager
    def transaction(self, seconds: float = ANSWER_SECONDS) -> Iterator[psycopg.Connection]:
        """All or nothing; Unreachable where nobody knows which, after `seconds` at the latest."""
        with self.connection(seconds) as connection, connection.transaction():
            yield connection

    @contextmanager
    def connection(self, seconds: float = ANSWER_SECONDS) -> Iterator[psycopg.Connection]:
        """As `transaction`, but each statement is one of its own."""
        if not self._turn.acquire(timeout=seconds):
            raise Unreachable("the fleet's database cannot be reached: what else is asked of it takes too long")
        try:
            if self._connection is None or self._connection.closed:
                self._connection = connect(self.url, min(seconds, CONNECT_SECONDS))
            self._connection.deadline = time.monotonic() + seconds
            with told_errors():
                yield self._connection
        finally:
            self._turn.release()

    def close(self) -> None:
        with self._turn:
            if self._connection:
                self._connection.close()
