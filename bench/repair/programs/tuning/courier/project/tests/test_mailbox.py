import pytest

from courier import Mailbox


def taken(box):
    return [str(box.take()) for _ in range(len(box))]


def test_first_in_first_out():
    box = Mailbox()
    for topic in ("mail", "fax", "mail", "ads"):
        box.put(topic)
    assert taken(box) == ["mail#1", "fax#2", "mail#3", "ads#4"]


def test_high_priority_first():
    box = Mailbox()
    box.put("low", priority=-1)
    box.put("normal")
    box.put("high", priority=5)
    box.put("later", priority=5)
    assert [m.topic for m in box.waiting()] == ["high", "later", "normal", "low"]
    assert taken(box) == ["high#3", "later#4", "normal#2", "low#1"]


def test_put_back_goes_behind():
    box = Mailbox()
    box.put("a")
    box.put("b")
    box.put_back(box.take())
    assert taken(box) == ["b#2", "a#1"]


def test_limit():
    box = Mailbox(limit=1)
    box.put("a")
    with pytest.raises(OverflowError, match="mailbox holds 1 messages"):
        box.put("b")


def test_empty():
    with pytest.raises(IndexError, match="mailbox is empty"):
        Mailbox().take()


def test_discard():
    box = Mailbox()
    for topic in "abcab":
        box.put(topic)
    assert box.discard("a") == 2
    assert box.discard("z") == 0
    assert taken(box) == ["b#2", "c#3", "b#5"]


def test_body_is_a_copy():
    body = {"to": "ada"}
    message = Mailbox().put("mail", body)
    body["to"] = "bob"
    assert message.body == {"to": "ada"}
    assert Mailbox().put("mail").body == {}
