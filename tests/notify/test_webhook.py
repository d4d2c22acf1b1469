"""A webhook on a real socket: what it sends, and every way in which it can go wrong."""

import asyncio
import time

import pytest

from loopwright.notify import WebhookNotifier
from tests.fakes import FakeClock
from tests.notify.letters import LETTER
from tests.notify.listener import FLOOD, SILENCE, Listener, listening
from tests.waiting import soon

KEY = "very-secret-topic"
HERE = ("127.0.0.1",)


def hook(listener: Listener, seconds: float = 10) -> WebhookNotifier:
    return WebhookNotifier(listener.url(f"/{KEY}?auth=tk_1234567890"), FakeClock(), seconds, HERE)


async def test_the_letter_is_posted_as_json() -> None:
    async with listening(200) as listener:
        assert await hook(listener).notify(LETTER) is None
    (body,), (head,) = listener.heard, listener.heads
    assert body == LETTER.model_dump(mode="json")
    assert head.startswith(f"POST /{KEY}?auth=tk_1234567890 HTTP/1.1\r\n")
    assert "content-type: application/json" in head.lower()
    assert "user-agent: loopwright/" in head.lower()


async def test_a_name_and_password_in_the_address_are_sent_as_such() -> None:
    async with listening(204) as listener:
        assert await WebhookNotifier(listener.url(user="me:secret@"), FakeClock(), hosts=HERE).notify(LETTER) is None
    assert "authorization: Basic bWU6c2VjcmV0" in listener.heads[0].replace("Authorization", "authorization")


@pytest.mark.parametrize("first", [500, 502, 429])
async def test_what_may_pass_is_tried_again(first: int) -> None:
    async with listening(first, first, 200) as listener:
        assert await hook(listener).notify(LETTER) is None
    assert len(listener.heard) == 3


async def test_three_tries_and_no_more() -> None:
    async with listening(500) as listener:
        assert await hook(listener).notify(LETTER) == "notify_url: 127.0.0.1 answered 500 (tried 3 times)"
    assert len(listener.heard) == 3


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_refusal_is_final(status: int) -> None:
    async with listening(status, 200) as listener:
        assert await hook(listener).notify(LETTER) == f"notify_url: 127.0.0.1 answered {status}"
    assert len(listener.heard) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_redirect_is_followed(status: int) -> None:
    async with listening(status, 200) as listener:
        told = await hook(listener).notify(LETTER)
    assert told == f"notify_url: 127.0.0.1 redirects ({status}); use the address it redirects to"
    assert len(listener.heard) == 1


async def test_nobody_listens() -> None:
    async with listening(200) as gone:
        pass
    told = await hook(gone).notify(LETTER)
    assert told == "notify_url: 127.0.0.1 cannot be reached (ConnectError) (tried 3 times)"


async def test_one_that_never_answers() -> None:
    async with listening(SILENCE) as listener:
        told = await hook(listener, 0.2).notify(LETTER)
    assert told == "notify_url: 127.0.0.1 did not answer within 0.2 s (tried 3 times)"


async def test_an_answer_without_end_is_not_read() -> None:
    begun = time.monotonic()
    async with listening(FLOOD) as listener:
        assert await hook(listener).notify(LETTER) is None
    assert time.monotonic() - begun < 5


async def test_a_cancelled_one_ends_at_once() -> None:
    async with listening(SILENCE) as listener:
        task = asyncio.ensure_future(hook(listener).notify(LETTER))
        await soon(lambda: bool(listener.heard))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_no_trouble_tells_the_key() -> None:
    for status in (301, 404, 500, SILENCE):
        async with listening(status) as listener:
            told = await hook(listener, 0.2).notify(LETTER)
        assert told is not None
        assert KEY not in told
        assert "tk_" not in told


PRIVATE = [
    "127.0.0.1", "localhost", "0.0.0.0", "10.1.2.3", "192.168.0.1", "172.16.0.9", "169.254.169.254", "[::1]",
    "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "2130706433", "0x7f.1",
    "100.64.0.1", "224.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE)
async def test_a_private_address_that_nobody_named_is_not_reached(host: str) -> None:
    async with listening(200) as listener:
        told = await WebhookNotifier(f"http://{host}:{listener.port}/", FakeClock()).notify(LETTER)
    assert "is not public; name it in notify_hosts" in str(told)
    assert not listener.heard


async def test_the_address_that_was_checked_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere when it is asked for again, and one of whose addresses only one is public."""
    answers = [["93.184.216.34", "127.0.0.1"], ["127.0.0.1"]]

    async def looked_up(self: object, host: str, port: object, **_: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", (address, 0)) for address in answers.pop(0)]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", looked_up)
    for _ in range(2):
        told = await WebhookNotifier("http://rebinding.example/", FakeClock()).notify(LETTER)
        assert "rebinding.example is not public" in str(told)
