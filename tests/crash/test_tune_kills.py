"""kill -9 of a tuning session's process at random moments: the skill is never torn, the session comes to its end."""

import random

from bench.soaks import tune_kills
from tests.chance import SEED

KILLS = 5


def test_kills_at_random_moments() -> None:
    counts = tune_kills.run(random.Random(SEED), KILLS / tune_kills.KILLS)
    assert counts["kills"] == KILLS
