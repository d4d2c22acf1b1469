import asyncio

import pytest

from courier import Busy, Hub, NoHandler, Office, Policy, Reject


def lines(reports):
    return [report.line() for report in reports]


def office(**more):
    made = Office(**more)

    @made.handles("mail")
    async def mail(message):
        return f"to {message.body['to']}"

    @made.handles("fax", retries=1)
    async def fax(message):
        message.body["tries"] = message.body.get("tries", 0) + 1
        if message.body["tries"] <= message.body.get("bad", 0):
            raise OSError("line is dead")
        return "beep"

    return made


def test_run_in_order_of_priority():
    post = office()
    post.post("mail", {"to": "ada"})
    post.post("mail", {"to": "bob"}, priority=1)
    assert lines(asyncio.run(post.run())) == ["mail#2 delivered: to bob", "mail#1 delivered: to ada"]
    assert asyncio.run(post.run()) == []


def test_run_some():
    post = office()
    for name in ("a", "b", "c"):
        post.post("mail", {"to": name})
    assert len(asyncio.run(post.run(most=2))) == 2
    assert len(post.mailbox) == 1


def test_unknown_topic():
    with pytest.raises(NoHandler):
        office().post("pigeon")


def test_second_handler():
    with pytest.raises(ValueError, match="mail has a handler already"):
        office().handles("mail")(None)


def test_retries_of_a_topic():
    post = office()
    post.post("fax", {"bad": 1})
    post.post("fax", {"bad": 2})
    assert lines(asyncio.run(post.run())) == [
        "fax#1 delivered after 2 tries: beep",
        "fax#2 failed after 2 tries: line is dead",
    ]


def test_failed_messages_can_be_revived():
    post = office()
    post.post("fax", {"bad": 3})
    post.post("mail", {})
    assert lines(asyncio.run(post.run())) == ["fax#1 failed after 2 tries: line is dead", "mail#2 failed: 'to'"]
    assert [str(message) for message in post.dead] == ["fax#1", "mail#2"]
    assert post.revive() == 2
    assert post.dead == []
    assert lines(asyncio.run(post.run())) == ["fax#1 delivered after 2 tries: beep", "mail#2 failed: 'to'"]


def test_handlers_may_post():
    post = office()

    @post.handles("round")
    async def round_letter(message):
        for name in message.body["names"]:
            post.post("mail", {"to": name})

    post.post("round", {"names": ["x", "y"]})
    assert lines(asyncio.run(post.run())) == [
        "round#1 delivered: None",
        "mail#2 delivered: to x",
        "mail#3 delivered: to y",
    ]


def test_events():
    hub, log = Hub(), []
    hub.on("*", lambda event, **details: log.append((event, str(details.get("message") or details["report"].message))))
    post = office(hub=hub)
    post.post("fax", {"bad": 1})
    post.post("mail", {})
    asyncio.run(post.run())
    assert log == [
        ("start", "fax#1"),
        ("failure", "fax#1"),
        ("done", "fax#1"),
        ("start", "mail#2"),
        ("failure", "mail#2"),
        ("dead", "mail#2"),
    ]


def test_side_by_side():
    post, running, most = Office(slots=3), [], []

    @post.handles("job")
    async def job(message):
        running.append(message.number)
        most.append(len(running))
        for _ in range(5 - message.number % 3):
            await asyncio.sleep(0)
        running.remove(message.number)
        return message.number

    for _ in range(5):
        post.post("job")
    reports = asyncio.run(post.run_together())
    assert [report.result for report in reports] == [1, 2, 3, 4, 5]
    assert max(most) == 3


def test_one_at_a_time_per_topic():
    post, log = Office(slots=2, per_topic=1), []

    @post.handles("job")
    async def job(message):
        log.append(f"+{message.number}")
        await asyncio.sleep(0)
        log.append(f"-{message.number}")

    post.post("job")
    post.post("job")
    assert len(asyncio.run(post.run_together())) == 2
    assert log == ["+1", "-1", "+2", "-2"]


def test_busy():
    post = office(slots=1)

    async def both():
        gate = asyncio.Event()

        @post.handles("wait")
        async def wait(message):
            await gate.wait()

        first = asyncio.ensure_future(post.deliver(post.mailbox.put("wait")))
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="all 1 slots are taken"):
            await post.deliver(post.mailbox.put("mail", {"to": "ada"}))
        gate.set()
        return await first

    assert asyncio.run(both()).ok
    assert post.slots.used == 0


def test_slots_are_given_back_after_an_error():
    post = office(slots=1)
    with pytest.raises(RuntimeError):
        with post.slots.hold("mail"):
            raise RuntimeError("stop")
    assert post.slots.used == 0
    assert asyncio.run(post.deliver(post.mailbox.put("mail", {"to": "ada"}))).ok


def test_cancelled_delivery_frees_its_slot():
    post = Office(slots=1)

    @post.handles("wait")
    async def wait(message):
        await asyncio.Event().wait()

    async def scenario():
        task = asyncio.ensure_future(post.deliver(post.mailbox.put("wait")))
        await asyncio.sleep(0)
        used = post.slots.used
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return used

    assert asyncio.run(scenario()) == 1
    assert post.slots.used == 0


def test_rejected_is_not_tried_again():
    post = Office(policy=Policy(retries=3))

    @post.handles("mail")
    async def mail(message):
        raise Reject("no such street")

    post.post("mail")
    assert lines(asyncio.run(post.run())) == ["mail#1 failed: no such street"]
