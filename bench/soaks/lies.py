"""Agents that do anything, to the tests, the product, the state: success is only said where the first tests pass.

Real stores, real pytest; every claimed success is measured once more by a pytest of its own, in a folder of its own.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.trials import trial

TRIALS = 150


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Loops by outcome."""
    outcomes: Counter[str] = Counter()
    for _ in range(max(1, round(TRIALS * scale))):
        seed = chance.randrange(10**9)
        with tempfile.TemporaryDirectory(prefix="loopwright-lies-") as place:
            try:
                outcomes[f"loops {trial(Path(place), random.Random(seed)) or 'paused'}"] += 1
            except AssertionError as broken:
                raise AssertionError(f"trial {seed}: {broken}") from broken
    return outcomes
