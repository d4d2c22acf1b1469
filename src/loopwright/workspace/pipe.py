"""The pipe that a program prints into, read without blocking and without end where it does not end."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

_CHUNK = 65_536
_CHUNKS = 16


class Pipe:
    """A pipe of our own: asyncio's holds back the exit until its end, which a grandchild can put off for ever."""

    def __init__(self) -> None:
        self._source, self._sink = os.pipe()
        os.set_blocking(self._source, False)

    @property
    def descriptor(self) -> int:
        """The end that is read from."""
        return self._source

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._source)

    @contextmanager
    def sink(self) -> Iterator[int]:
        """The end to hand to the program; ours is closed afterwards."""
        try:
            yield self._sink
        finally:
            os.close(self._sink)

    async def read(self, feed: Callable[[bytes], None]) -> None:
        """Feeds all that comes, until everybody has closed the other end."""
        while self.drain(feed):
            await readable(self._source)

    def drain(self, feed: Callable[[bytes], None]) -> bool:
        """Feeds what can be read now, at most 1 MiB; False at the end of the output."""
        for _ in range(_CHUNKS):
            try:
                chunk = os.read(self._source, _CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            feed(chunk)
        return True


async def readable(descriptor: int) -> None:
    """Returns once there is something to read."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
