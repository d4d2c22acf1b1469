import pytest


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def tick(self, seconds):
        self.now += seconds

    async def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()
