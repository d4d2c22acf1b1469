"""What commands do to the environment of tests: red tests that pass because of it are no success, honest work is.

Real commands, stores, pytest and node. Each case once, whatever the scale.
"""

import asyncio
import os
import random
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.environment_cases import ATTACKS, HONEST
from tests.environment_trials import carried_out, made, set_apart


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Loops by outcome."""
    counts: Counter[str] = Counter()
    known = dict(os.environ)
    for what, cases in (("attacks", ATTACKS), ("honest", HONEST)):
        for name, deed in cases.items():
            with tempfile.TemporaryDirectory(prefix="loopwright-environment-") as place:
                try:
                    set_apart(Path(place, "home"), os.environ)
                    state = asyncio.run(carried_out(deed, made(Path(place, "around", "project"), deed.language)))
                finally:
                    os.environ.clear()
                    os.environ.update(known)
            outcome = str(state.engine.outcome)
            counts[f"{what} {outcome}"] += 1
            # Where the tests stay red, it was no attack on this system.
            counts[f"{what} with green tests"] += bool(
                state.skill_state and state.skill_state.validate_.pass_rate == 100
            )
            assert (outcome == "succeeded") == (what == "honest"), f"{name}: {outcome}, {state.failure_reason}"
    return counts
