import asyncio

import pytest

from crewqueue import Bus


def emit(bus, topic, **data):
    return asyncio.run(bus.emit(topic, **data))


def test_plain_handler():
    bus, seen = Bus(), []
    bus.on("a", lambda topic, n: seen.append((topic, n)))
    assert emit(bus, "a", n=3) == 1
    assert seen == [("a", 3)]


def test_async_handler():
    bus, seen = Bus(), []

    @bus.on("a")
    async def handler(topic, n):
        await asyncio.sleep(0)
        seen.append(n)

    assert emit(bus, "a", n=3) == 1
    assert seen == [3]


def test_star_topics():
    bus, seen = Bus(), []
    bus.on("job.*", lambda topic: seen.append(topic))
    assert emit(bus, "job.done") == 1
    assert emit(bus, "jobs") == 0
    assert seen == ["job.done"]


def test_off():
    bus = Bus()
    handler = bus.on("a", lambda topic: None)
    assert bus.off("a", handler) is True
    assert bus.off("a", handler) is False
    assert emit(bus, "a") == 0


def test_error_does_not_stop_the_other_handlers():
    bus, seen = Bus(), []

    def broken(topic):
        raise KeyError(topic)

    bus.on("a", broken)
    bus.on("a", lambda topic: seen.append(topic))
    with pytest.raises(KeyError):
        emit(bus, "a")
    assert seen == ["a"]


def test_handler_may_remove_itself():
    bus, seen = Bus(), []

    def once(topic):
        seen.append("once")
        bus.off("a", once)

    bus.on("a", once)
    bus.on("a", lambda topic: seen.append("other"))
    emit(bus, "a")
    emit(bus, "a")
    assert seen == ["once", "other", "other"]
