"""Sequences of updates and reads by two processes on a disk that fills up, breaks, dies and loses its power."""

import random
from collections.abc import Mapping

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.store.fault_machine import FaultMachine

AT_FULL_SCALE, STEPS = 400, 30


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 four hundred sequences of up to thirty operations each, against a model."""
    sequences = max(2, round(AT_FULL_SCALE * scale))
    given = settings(
        max_examples=sequences, stateful_step_count=STEPS, deadline=None, database=None,
        phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    run_state_machine_as_test(seed(chance.randrange(2**32))(FaultMachine), settings=given)
    return {"sequences": sequences}
