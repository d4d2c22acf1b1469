import pytest

from larder import Larder


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def forward(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def drops():
    return []


@pytest.fixture
def make(clock, drops):
    def build(capacity=3, **more):
        return Larder(
            capacity, clock=clock, on_drop=lambda key, value, reason: drops.append((key, value, reason)), **more
        )

    return build


@pytest.fixture
def cache(make):
    return make(3, ttl=60)
