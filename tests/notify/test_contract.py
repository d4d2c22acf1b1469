"""What every notifier holds, the fake one too."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from loopwright.core.ports import Notifier
from loopwright.notify import CommandNotifier, WebhookNotifier
from tests.fakes import FakeClock
from tests.notify.letters import LETTER, KeptLetters
from tests.notify.listener import listening

Made = Callable[[Path, bool], AbstractAsyncContextManager[Notifier]]
"""In a folder; one that can tell, or one that cannot."""


@asynccontextmanager
async def fake(folder: Path, works: bool) -> AsyncIterator[Notifier]:
    yield KeptLetters(None if works else "nobody is there")


@asynccontextmanager
async def command(folder: Path, works: bool) -> AsyncIterator[Notifier]:
    yield CommandNotifier(("true" if works else "false",), folder)


@asynccontextmanager
async def webhook(folder: Path, works: bool) -> AsyncIterator[Notifier]:
    async with listening(200 if works else 404) as listener:
        yield WebhookNotifier(listener.url(), FakeClock(), hosts=("127.0.0.1",))


KINDS = [fake, command, webhook]


@pytest.mark.parametrize("made", KINDS)
async def test_it_tells_or_says_why_not(made: Made, tmp_path: Path) -> None:
    async with made(tmp_path, True) as able:
        assert await able.notify(LETTER) is None
        assert await able.notify(LETTER) is None
    async with made(tmp_path, False) as unable:
        assert await unable.notify(LETTER)


@pytest.mark.parametrize("made", KINDS)
async def test_many_at_once(made: Made, tmp_path: Path) -> None:
    async with made(tmp_path, True) as able:
        assert await asyncio.gather(*(able.notify(LETTER) for _ in range(5))) == [None] * 5
