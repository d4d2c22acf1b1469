"""Fleets to hold to the contracts of their ports: one in PostgreSQL, one in memory."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import NamedTuple

import pytest

from loopwright.core.fleet import Dispatcher, Job, Signals, Source, Submission
from loopwright.fleet.database import Database, connect
from loopwright.fleet.queue import DbosDispatcher
from loopwright.fleet.signals import PostgresSignals
from tests.fleet.memory_dispatcher import MemoryDispatcher, MemoryFleet, MemorySignals

RUN = Submission(
    id="loop-1",
    kind="loop_id",
    title="Mend it",
    account="team",
    user="ada",
    source=Source(remote="/srv/it.git", base="a" * 40, start="b" * 40, author="Ada <ada@example.org>"),
    journal=b'{"seq":1}\n',
)
JOB = Job(RUN.id, 1)


class Fleet(NamedTuple):
    """`machine` makes one that lives, `bury` takes one for dead; `signals` are those of a machine, or of none."""

    machine: Callable[[str], Dispatcher]
    signals: Callable[[str], Signals]
    bury: Callable[[str], None]


def memory_fleet() -> Fleet:
    known = MemoryFleet()
    MemoryDispatcher(known).set_account("team", 4, 2)

    def machine(name: str) -> Dispatcher:
        known.living.add(name)
        return MemoryDispatcher(known, name)

    return Fleet(machine, lambda name: MemorySignals(known, name), known.living.discard)


def postgres_fleet(url: str, kept: ExitStack) -> Fleet:
    def opened() -> Database:
        return kept.enter_context(closing(Database(url)))

    def run(statement: str, name: str) -> None:
        with connect(url) as connection:
            connection.execute(statement, {"name": name})

    def machine(name: str) -> Dispatcher:
        run("INSERT INTO fleet_worker VALUES (%(name)s, 'here', 2, '0') ON CONFLICT DO NOTHING", name)
        return DbosDispatcher(opened(), name)

    def signals(name: str) -> Signals:
        return kept.enter_context(closing(PostgresSignals(opened(), name)))

    return Fleet(machine, signals, lambda name: run("DELETE FROM fleet_worker WHERE executor = %(name)s", name))


@contextmanager
def open_fleet(request: pytest.FixtureRequest) -> Iterator[Fleet]:
    """The one that a fixture's parameter names, with an account `team` and a machine `one`."""
    with ExitStack() as kept:
        memory = request.param == "memory"
        made = memory_fleet() if memory else postgres_fleet(request.getfixturevalue("queue_url"), kept)
        made.machine("one")
        yield made
