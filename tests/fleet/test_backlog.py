"""Machines that die, freeze and lose their connections, and a backlog that is worked off all the same."""

import random
import time
from contextlib import closing
from pathlib import Path

from loopwright.fleet.database import Database
from loopwright.fleet.queue import DbosDispatcher
from tests.chance import SEED
from tests.fleet.backlog import Machines, faults, make_backlog, over_limits, statuses

RUNS, SLOTS, OF_USER = 60, 4, 3


def test_nothing_is_lost_stuck_or_done_twice(fleet_url: str, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with closing(Database(fleet_url)) as database:
        dispatcher = DbosDispatcher(database)
        dispatcher.make_tables()
        for account in ("one", "two"):
            dispatcher.set_account(account, SLOTS, OF_USER)
    make_backlog(fleet_url, RUNS, ("one", "two"), ("ada", "bob"), chance)
    machines = Machines(fleet_url, tmp_path, 3, 3, 0.6)
    machines.start()
    hurt, deadline = 0, time.monotonic() + 90
    try:
        while statuses(fleet_url) != {"finished": RUNS} and time.monotonic() < deadline:
            machines.tend()
            if hurt < 8 and len(machines.notes()) > 10 * (hurt + 1):
                machines.hurt(chance)
                hurt += 1
            assert over_limits(fleet_url, SLOTS, OF_USER) == 0
            time.sleep(0.2)
        time.sleep(1)  # in which the queue hears of the last
    finally:
        machines.end()
    assert statuses(fleet_url) == {"finished": RUNS}, machines.deeds
    assert faults(fleet_url) == {"broken lines": 0, "wrong journals": 0, "stuck jobs": 0}
