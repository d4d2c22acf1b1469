"""A backlog of stub runs, worked off by machines that are killed, frozen and cut off from their database."""

import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from loopwright.fleet.database import Database
from loopwright.fleet.queue import DbosDispatcher
from tests.fleet.backlog import Machines, ask, faults, make_backlog, over_limits, statuses
from tests.fleet.postgres import serve

RUNS, MINUTES = 10_000, 5.0
MACHINES, SLOTS, SECONDS = 10, 5, 1.0
ACCOUNTS, OF_ACCOUNT, OF_USER = ("one", "two", "three"), 20, 12
USERS = [f"user-{n}" for n in range(8)]
EVERY = 3.0
"""Seconds between two deeds, on average."""

PATIENCE = 120.0
"""Seconds without any progress after which something is stuck."""


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Runs, how fast they were submitted, and deeds."""
    runs = max(100, round(RUNS * scale))
    with queue() as url, tempfile.TemporaryDirectory(prefix="loopwright-backlog-") as place:
        rate = make_backlog(url, runs, ACCOUNTS, USERS, chance)
        machines = Machines(url, Path(place), MACHINES, SLOTS, SECONDS)
        machines.start()
        try:
            _work_off(machines, runs, 60 * MINUTES * scale, chance)
        finally:
            machines.end()
        found = faults(url)
        assert not any(found.values()), f"{found} after {machines.deeds}"
        return {"runs": runs, "submitted a second": round(rate), **machines.deeds._asdict()}


@contextmanager
def queue() -> Iterator[str]:
    """The URL of a database with the accounts, on a server of its own."""
    with serve() as server:
        ask(f"{server.url}postgres", "CREATE DATABASE backlog")
        url = f"{server.url}backlog"
        with closing(Database(url)) as database:
            dispatcher = DbosDispatcher(database)
            dispatcher.make_tables()
            for account in ACCOUNTS:
                dispatcher.set_account(account, OF_ACCOUNT, OF_USER)
        yield url


def _work_off(machines: Machines, runs: int, seconds: float, chance: random.Random) -> None:
    """Until all runs have finished; the machines are hurt for the first `seconds`."""
    begun = last = time.monotonic()
    next_deed, finished = begun + 10, 0
    while finished < runs:
        machines.tend()
        now = time.monotonic()
        if now > next_deed and now < begun + seconds:
            machines.hurt(chance)
            next_deed = now + chance.expovariate(1 / EVERY)
        assert over_limits(machines.url, OF_ACCOUNT, OF_USER) == 0, "more runs of an account or user than it may have"
        found = statuses(machines.url).get("finished", 0)
        last, finished = (now if found > finished else last), found
        assert now - last < PATIENCE, f"stuck: {statuses(machines.url)}"
        time.sleep(0.3)
    time.sleep(3)  # in which the queue hears of the last ones
