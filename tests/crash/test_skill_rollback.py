"""kill -9 at random system calls of changing a skill and of rolling it back."""

import random

from bench.soaks import skill_kills
from tests.chance import SEED

KILLS = 20


def test_kills_at_random_calls() -> None:
    counts = skill_kills.run(random.Random(SEED), KILLS / skill_kills.KILLS)
    assert counts["kills"] >= KILLS
