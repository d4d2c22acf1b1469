"""Skills made up of what breaks readers: each is diagnosed twice, alike, within its bounds, and without a failure."""

import random
from collections import Counter
from collections.abc import Mapping

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.tune.fuzzing import held, skills

EXAMPLES = 8_000


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Skills, and what was found in them."""
    counts: Counter[str] = Counter()

    def diagnose(files: dict[str, bytes]) -> None:
        counts["skills"] += 1
        counts["findings"] += len(held(files).findings)

    limited = settings(
        max_examples=max(20, round(EXAMPLES * scale)), database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    seed(chance.randrange(2**32))(limited(given(files=skills)(diagnose)))()
    return counts
