"""The fleet's tables."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from loopwright.core.errors import Invalid, NewerSchema, StoreError
from loopwright.fleet import workers
from loopwright.fleet.database import Database, Unreachable, check_tables, connect, create_tables, told_errors
from loopwright.fleet.queue import SET_PACE, DbosDispatcher
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


def test_who_stands_still_is_noticed_and_the_next_question_is_answered(postgres: Server, fleet_url: str) -> None:
    database = Database(fleet_url)
    with database.transaction() as connection:
        connection.execute("SELECT 1")
    postgres.freeze()
    try:
        with pytest.raises(Unreachable, match="does not answer in time"), database.transaction(0.1) as connection:
            connection.execute("SELECT 1")
    finally:
        postgres.thaw()
    with database.transaction() as connection:
        assert connection.execute("SELECT 2").fetchone() == (2,)
    with pytest.raises(Unreachable), database.transaction(0.1) as connection:
        connection.execute("SELECT pg_sleep(1)")
    database.close()


def test_who_waits_for_others_does_not_wait_for_ever(fleet_url: str) -> None:
    database = Database(fleet_url)
    with database.transaction(), ThreadPoolExecutor() as pool, pytest.raises(Unreachable, match="takes too long"):
        pool.submit(database.transaction(0.05).__enter__).result()
    database.close()


FIFTY = "SELECT n, 'host', 1, '' FROM generate_series(1, 50) AS n"


def test_many_workers_ask_about_each_queue_no_more_often_than_ten(fleet_url: str) -> None:
    def pace() -> set[float]:
        with connect(fleet_url) as connection:
            connection.execute(SET_PACE)
            return {row[0] for row in connection.execute("SELECT polling_interval_sec FROM dbos.queues")}

    DbosDispatcher(Database(fleet_url)).make_tables()
    assert pace() == {0.2}
    with connect(fleet_url) as connection:
        connection.execute(f"INSERT INTO fleet_worker (executor, host, slots, version) {FIFTY}")
    assert pace() == {1.0}
    with connect(fleet_url) as connection:
        connection.execute("DELETE FROM fleet_worker")
    assert pace() == {0.2}


def test_who_waits_for_news_costs_nothing(fleet_url: str) -> None:
    with connect(fleet_url) as connection:
        connection.execute("LISTEN news")
        used = time.thread_time()
        assert not list(connection.notifies(timeout=0.4))
        assert time.thread_time() - used < 0.1


def test_a_worker_hears_of_a_database_that_stands_still(
    postgres: Server, fleet_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("BEAT_SECONDS", 0.05), ("BEAT_LIMIT", 0.1), ("SURE_SECONDS", 0.1)):
        monkeypatch.setattr(workers, name, seconds)
    database, lost = Database(fleet_url), threading.Event()
    with workers.Membership(database, "worker-1", 1, lost.set):
        assert not lost.wait(0.3)
        postgres.freeze()
        try:
            assert lost.wait(5)
        finally:
            postgres.thaw()
    database.close()


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
