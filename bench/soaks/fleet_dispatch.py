"""How long a free slot waits for its next run while 10,000 others are queued, limits are on and nothing is hurt.

The runs take 8 seconds: with shorter ones on a small machine, the time that is measured is that of busy processors.
"""

import random
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bench.soaks.fleet_backlog import ACCOUNTS, MACHINES, RUNS, SLOTS, USERS, queue
from tests.fleet.backlog import Machines, make_backlog

SECONDS, MINUTES = 8.0, 3.0


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """How many runs began in a slot that another had left, and how long that slot waited, in ms."""
    with queue() as url, tempfile.TemporaryDirectory(prefix="loopwright-dispatch-") as place:
        make_backlog(url, RUNS, ACCOUNTS, USERS, chance)
        machines = Machines(url, Path(place), MACHINES, SLOTS, SECONDS)
        machines.start()
        try:
            time.sleep(max(25, 60 * MINUTES * scale))
        finally:
            machines.end()
        waits = machines.waits()
        return {
            "starts": len(waits),
            **{f"ms (p{p})": round(1000 * waits[len(waits) * p // 100]) for p in (50, 95, 99)},
        }
