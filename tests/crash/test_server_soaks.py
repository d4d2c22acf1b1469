"""The short form of each part of `make soak` that is about the server."""

import random

import pytest

from bench.soak import Part
from bench.soaks import server_clients, server_kills
from tests.chance import SEED


@pytest.mark.parametrize(("part", "scale"), [(server_kills, 0.04), (server_clients, 0.01)], ids=["kills", "clients"])
def test_part(part: Part, scale: float) -> None:
    counts = part.run(random.Random(SEED), scale)
    assert any(counts.values())
