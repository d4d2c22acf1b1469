"""The short form of each part of `make soak` that is about the store."""

import random

import pytest

from bench.soak import Part
from bench.soaks import damage, faults, forging, full_disk, outside, steps, tampering, writer_kills, writers
from tests.chance import SEED


@pytest.mark.parametrize(
    ("part", "scale"),
    [
        (damage, 0.006),
        (faults, 0.025),
        (forging, 0.02),
        (full_disk, 0.01),
        (outside, 0.02),
        (steps, 0.01),
        (tampering, 0.003),
        (writer_kills, 0.012),
        (writers, 0.02),
    ],
    ids=["damage", "faults", "forging", "full_disk", "outside", "steps", "tampering", "writer_kills", "writers"],
)
def test_part(part: Part, scale: float) -> None:
    counts = part.run(random.Random(SEED), scale)
    assert any(counts.values())
