import asyncio

from courier import Hub


def test_listeners_are_called_in_order():
    hub, log = Hub(), []
    hub.on("tick", lambda event, n: log.append(("one", n)))
    hub.on("tick", lambda event, n: log.append(("two", n)))
    hub.on("tock", lambda event: log.append("never"))
    assert asyncio.run(hub.emit("tick", n=3)) == 2
    assert log == [("one", 3), ("two", 3)]


def test_async_listeners_are_finished_before_the_next():
    hub, log = Hub(), []

    async def slow(event):
        await asyncio.sleep(0)
        log.append("slow")

    hub.on("tick", slow)
    hub.on("tick", lambda event: log.append("quick"))
    asyncio.run(hub.emit("tick"))
    assert log == ["slow", "quick"]


def test_star_hears_everything_last():
    hub, log = Hub(), []
    hub.on("*", lambda event: log.append("*" + event))
    hub.on("a", lambda event: log.append(event))
    asyncio.run(hub.emit("a"))
    asyncio.run(hub.emit("b"))
    assert log == ["a", "*a", "*b"]


def test_once():
    hub, log = Hub(), []
    hub.once("a", lambda event: log.append("once"))
    hub.on("a", lambda event: log.append("always"))
    asyncio.run(hub.emit("a"))
    asyncio.run(hub.emit("a"))
    assert log == ["once", "always", "always"]
    assert hub.count("a") == 1


def test_listener_leaving_while_called():
    hub, log = Hub(), []

    def leave(event):
        log.append("leave")
        stop()

    stop = hub.on("*", leave)
    hub.on("*", lambda event: log.append("stay"))
    asyncio.run(hub.emit("a"))
    assert log == ["leave", "stay"]


def test_off():
    hub = Hub()
    stop = hub.on("a", print)
    stop()
    stop()
    assert hub.off("a", print) is False
    assert hub.count("a") == 0


def test_errors_stop_nobody():
    hub, log = Hub(), []

    async def broken(event):
        raise ValueError("async")

    hub.on("a", lambda event: 1 / 0)
    hub.on("a", broken)
    hub.on("a", lambda event: log.append("fine"))
    assert asyncio.run(hub.emit("a")) == 3
    assert log == ["fine"]
    assert [(event, type(error)) for event, error in hub.errors] == [("a", ZeroDivisionError), ("a", ValueError)]
