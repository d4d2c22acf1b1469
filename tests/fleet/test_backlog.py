"""Machines that die, freeze and lose their connections, and a backlog that is worked off all the same."""

import random
import time
from contextlib import closing
from pathlib import Path

from loopwright.fleet.database import Database
from loopwright.fleet.queue import DbosDispatcher, restore_jobs
from tests.chance import SEED
from tests.fleet.backlog import Machines, ask, faults, make_backlog, over_limits, statuses

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


def test_a_run_whose_job_was_lost_gets_another(fleet_url: str, tmp_path: Path) -> None:
    with closing(Database(fleet_url)) as database:
        dispatcher = DbosDispatcher(database)
        dispatcher.make_tables()
        dispatcher.set_account("one", SLOTS)
        make_backlog(fleet_url, 2, ("one",), ("ada",), random.Random(SEED))
        ask(fleet_url, "UPDATE dbos.workflow_status SET status = 'SUCCESS' WHERE workflow_uuid = 'loop-00000/1'")
        with database.transaction() as connection:
            restore_jobs(connection)
        assert ask(fleet_url, "SELECT max(jobs) FROM fleet_loop") == [(1,)], "it may still be on its way"
        ask(fleet_url, "UPDATE fleet_loop SET changed = now() - interval '11 seconds'")
        with database.transaction() as connection:
            restore_jobs(connection)
        assert ask(fleet_url, "SELECT jobs FROM fleet_loop ORDER BY id") == [(2,), (1,)]
