"""The fleet's tables."""

import pytest

from loopwright.core.errors import Invalid, NewerSchema, StoreError
from loopwright.fleet.database import check_tables, connect, create_tables, told_errors
from tests.fleet.postgres import Server


def test_made_twice_they_are_there_once(fleet_url: str) -> None:
    with connect(fleet_url) as connection:
        create_tables(connection)
        check_tables(connection)
        assert connection.execute("SELECT count(*) FROM fleet_version").fetchone() == (1,)


def test_those_of_a_newer_one_are_left_alone(fleet_url: str) -> None:
    with connect(fleet_url) as connection:
        connection.execute("UPDATE fleet_version SET version = 99")
        with pytest.raises(NewerSchema, match="version 99"):
            create_tables(connection)
        with pytest.raises(NewerSchema, match="version 99"):
            check_tables(connection)


def test_a_database_without_them_says_what_to_do(postgres: Server) -> None:
    with connect(f"{postgres.url}postgres") as connection, pytest.raises(StoreError, match="loopwright fleet init"):
        check_tables(connection)


@pytest.mark.parametrize(
    ("url", "error", "words"),
    [
        ("postgresql://127.0.0.1:1/nowhere", StoreError, "cannot be reached"),
        ("http://127.0.0.1/fleet", Invalid, "no PostgreSQL URL"),
    ],
)
def test_an_address_that_is_none_is_told(url: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        connect(url)


def test_what_the_database_refuses_is_told(fleet_url: str) -> None:
    with connect(fleet_url) as connection, pytest.raises(StoreError, match="refused"), told_errors():
        connection.execute("SELECT nothing FROM fleet_version")


def test_commands_on_a_database_without_tables_say_what_to_do(postgres: Server) -> None:
    with connect(f"{postgres.url}postgres") as connection, pytest.raises(StoreError, match="fleet init"), told_errors():
        connection.execute("SELECT 1 FROM fleet_loop")
