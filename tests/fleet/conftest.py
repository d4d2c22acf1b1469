"""One PostgreSQL for all tests of a process, a database for each."""

from collections.abc import Iterator
from itertools import count

import psycopg
import pytest

from loopwright.fleet.database import connect, create_tables
from tests.fleet.postgres import Server, serve

NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def fleet_url(postgres: Server) -> str:
    """An empty fleet."""
    name = f"fleet_{next(NUMBERS)}"
    with psycopg.connect(f"{postgres.url}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with connect(f"{postgres.url}{name}") as connection:
        create_tables(connection)
    return f"{postgres.url}{name}"
