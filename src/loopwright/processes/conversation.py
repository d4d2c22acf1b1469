"""Programs that are talked with, line by line, for as long as it takes; ended whole."""

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from loopwright.core.errors import AgentError, Invalid
from loopwright.core.private_files import FILE_MODE
from loopwright.processes.environment import masking_log, withheld_here
from loopwright.processes.process import LINGER, OutputPipe, RunningProcess, await_exit, ensure_end, start_process
from loopwright.processes.process_tree import ProcessMark
from loopwright.processes.sandbox import SandboxNeeds

LINE_LIMIT = 50_000_000
"""Bytes that one line may have."""


class LineBuffer:
    """Bytes as they come, line by line; `total` of them so far."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._bytes = bytearray()
        self._searched = 0
        self.total = 0

    def feed(self, chunk: bytes) -> None:
        self.total += len(chunk)
        self._bytes += chunk

    def take(self) -> bytes | None:
        """The next whole line, without its end. None: there is none yet. Invalid for one that is too long."""
        end = self._bytes.find(b"\n", self._searched)
        self._searched = len(self._bytes)
        if (self._searched if end < 0 else end) > self._limit:
            raise Invalid(f"a line of more than {self._limit:,} bytes")
        if end < 0:
            return None
        line = bytes(self._bytes[:end])
        del self._bytes[: end + 1]
        self._searched = 0
        return line

    def rest(self) -> bytes:
        """What came after the last line's end."""
        rest, self._searched = bytes(self._bytes), 0
        self._bytes.clear()
        return rest


class TalkingProgram:
    """A running program: what we say is kept for it until it reads, what it says is read when we ask."""

    def __init__(self, process: RunningProcess, source: OutputPipe, stdin: int) -> None:
        self._process, self._source, self._stdin = process, source, stdin
        self._lines = LineBuffer()
        self._news, self._read, self._left = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._over = self._broken = self._closed = False
        self._unread = bytearray()
        os.set_blocking(stdin, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def permit_writing(self, allowed: bool) -> bool:
        """Whether it can write to the project from now on; see SandboxStatus."""
        return await asyncio.to_thread(self._process.permit_writing, allowed)

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""
        return self._process.returncode

    @property
    def unread(self) -> int:
        """Bytes that it has not taken in yet."""
        return len(self._unread)

    async def read_up(self, most: int) -> None:
        """Waits until it has left no more than so many bytes unread, or does not listen any more."""
        while self.unread > most:
            self._read.clear()
            await self._read.wait()

    async def exit(self, within: float) -> int | None:
        """Waits so many seconds for its exit; None where it lives on."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._left.wait()
        return self.exit_code

    def say(self, data: bytes) -> None:
        """Never waits. ConnectionError when it does not listen any more."""
        if self._broken:
            raise ConnectionError("the program no longer listens")
        self._unread += data
        self._push()

    async def line(self) -> bytes | None:
        """The next line, at its end also one that is not whole; None at the end. Invalid for one that is too long."""
        while (line := self._lines.take()) is None:
            if not await self._more():
                return self._lines.rest() or None
        return line

    async def watch(self) -> None:
        """Waits for the exit; what its children still say is read for a moment longer."""
        await await_exit(self._process)
        self._left.set()
        await asyncio.sleep(LINGER)
        self._over = True
        self._news.set()

    def close(self) -> None:
        """Closes what it reads from; nothing is read from it afterwards."""
        self._hang_up()
        if not self._closed:
            self._closed = True
            asyncio.get_running_loop().remove_reader(self._source.descriptor)

    def _hang_up(self) -> None:
        if not self._broken:
            self._broken = True
            asyncio.get_running_loop().remove_writer(self._stdin)
            os.close(self._stdin)
            self._unread.clear()
            self._read.set()

    async def _more(self) -> bool:
        """Waits for something to read; False at the end."""
        loop = asyncio.get_running_loop()
        before = self._lines.total
        while self._source.drain(self._lines.feed):
            if self._lines.total != before or self._over:
                return self._lines.total != before
            self._news.clear()
            loop.add_reader(self._source.descriptor, self._news.set)
            try:
                await self._news.wait()
            finally:
                if not self._closed:
                    loop.remove_reader(self._source.descriptor)
        return self._lines.total != before

    def _push(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            del self._unread[: os.write(self._stdin, self._unread)]
        except BlockingIOError:
            pass
        except OSError:  # it is gone, or has closed its end
            self._hang_up()
            return
        self._read.set()
        if self._unread:
            loop.add_writer(self._stdin, self._push)
        else:
            loop.remove_writer(self._stdin)


@asynccontextmanager
async def open_conversation(
    argv: Sequence[str],
    *,
    cwd: Path,
    mark: ProcessMark,
    stderr: Path,
    more: Mapping[str, str],
    without: Collection[str] = (),
    passed: Sequence[str] = (),
    needs: SandboxNeeds | None = None,
) -> AsyncIterator[TalkingProgram]:
    """A running program, in a session of its own; afterwards nothing is left of it.

    It has our environment with `more`, `without` some variables and all secrets that are not `passed`. What it prints
    besides goes to the end of the file `stderr`. `needs`: as run_group has it. Invalid when it cannot be started;
    SandboxError, in the place of what the block raises, when its sandbox cannot be made.
    """
    run = mark.with_run()
    stderr.touch(FILE_MODE)
    with stderr.open("ab") as errors, masking_log(stderr, more), OutputPipe() as source:
        stdin, ours = os.pipe()
        try:
            with source.sink() as sink:
                process = start_process(
                    argv,
                    cwd=cwd,
                    mark=run,
                    environment=run.environment(more, {*without, *withheld_here(passed)}),
                    stdin=stdin,
                    stdout=sink,
                    stderr=errors.fileno(),
                    needs=needs,
                )
        except (AgentError, Invalid):
            os.close(ours)
            raise
        finally:
            os.close(stdin)
        program = TalkingProgram(process, source, ours)
        async with ensure_end(process, run):
            watch = asyncio.ensure_future(program.watch())
            try:
                yield program
            except AgentError:
                process.check_sandbox(_last_words(stderr))
                raise
            finally:
                watch.cancel()
                program.close()
                await asyncio.wait({watch})


def _last_words(stderr: Path) -> str:
    return stderr.read_bytes()[-10_000:].decode("utf-8", "replace")
