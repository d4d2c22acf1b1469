import asyncio
from datetime import datetime, timedelta, timezone

import pytest

from logweave import Record

START = datetime(2024, 5, 1, 10, 0, tzinfo=timezone.utc)


class Feed:
    """A stream from a list; exceptions in it are raised."""

    def __init__(self, *items):
        self.items = list(items)
        self.closed = False
        self.given = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        await asyncio.sleep(0)
        if self.closed or self.given == len(self.items):
            raise StopAsyncIteration
        item = self.items[self.given]
        self.given += 1
        if isinstance(item, Exception):
            raise item
        return item

    async def aclose(self):
        await asyncio.sleep(0)
        self.closed = True


@pytest.fixture
def feed():
    return Feed


@pytest.fixture
def record():
    def make(second, message="m", level="INFO", source="s"):
        return Record(START + timedelta(seconds=second), level, source, message)

    return make


@pytest.fixture
def collect():
    def run(stream):
        async def inner():
            return [item async for item in stream]

        return asyncio.run(inner())

    return run


@pytest.fixture
def seconds():
    return lambda records: [int((item.time - START).total_seconds()) for item in records]
