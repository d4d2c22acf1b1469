"""The fleet's database: connections, and its tables."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files

import psycopg

from loopwright.core.errors import Invalid, NewerSchema, StoreError

VERSION = 1
"""Of the tables in schema.sql."""

CONNECT_SECONDS = 5


class Unreachable(StoreError):
    """The database did not answer: what was asked may have been done or not."""


def connect(url: str) -> psycopg.Connection:
    """A connection on which each statement is a transaction of its own, unless one is begun. Invalid, Unreachable."""
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="loopwright")
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
        raise StoreError("the fleet's database has no tables yet; run: loopwright fleet init")
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
        self._connection: psycopg.Connection | None = None

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection]:
        """All or nothing; Unreachable where nobody knows which."""
        with self._turn, told_errors():
            connection = self._connection
            if connection is None or connection.closed:
                connection = self._connection = connect(self.url)
            with connection.transaction():
                yield connection

    def close(self) -> None:
        with self._turn:
            if self._connection:
                self._connection.close()
