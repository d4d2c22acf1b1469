"""kill -9 of a cycle's runner at random moments: it comes to its right end, nothing is done twice, nothing is lost."""

import random

from bench.soaks import cycle_kills
from tests.chance import SEED

KILLS = 4


def test_kills_at_random_moments() -> None:
    """Three of them hit scripted roles, one the embedded debugger at work; `make soak` kills a hundred times."""
    counts = cycle_kills.run(random.Random(SEED), KILLS / cycle_kills.KILLS)
    assert counts["kills"] == KILLS
