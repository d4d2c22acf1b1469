"""Programs that are talked with: lines in, lines out, and nothing left of them."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import Invalid
from loopwright.processes.conversation import LINE_LIMIT, LineBuffer, TalkingProgram, open_conversation
from loopwright.processes.process_tree import AWAITED, LOOP, ProcessMark, find_process, list_processes

LOOP_ID = "loop-conversing"


@asynccontextmanager
async def talking(folder: Path, code: str, *argv: str, without: Sequence[str] = ()) -> AsyncIterator[TalkingProgram]:
    """With a Python program; nothing carries its mark afterwards, nothing of it is open."""
    mark = ProcessMark(LOOP_ID, str(folder.resolve()))
    files, tasks = len(os.listdir("/proc/self/fd")), asyncio.all_tasks()
    command = argv or (sys.executable, "-uSE", "-c", code)
    async with open_conversation(
        command, cwd=folder, mark=mark, stderr=folder / "stderr", more={"MORE": "given"}, without=without
    ) as program:
        yield program
    assert [process.pid for process in list_processes() if mark.is_on(process.pid)] == []
    assert len(os.listdir("/proc/self/fd")) == files
    assert asyncio.all_tasks() <= tasks
    assert program.pid not in AWAITED


async def lines(program: TalkingProgram) -> list[bytes]:
    found = []
    while (line := await program.line()) is not None:
        found.append(line)
    return found


async def test_lines_go_in_and_come_out(tmp_path: Path) -> None:
    async with talking(tmp_path, "for line in open(0): print(line.strip().upper())") as program:
        for word in (b"one", b"two"):
            program.say(word + b"\n")
            assert await program.line() == word.upper()
        assert program.exit_code is None
        assert find_process(program.pid) is not None


async def test_the_end_also_of_a_half_line(tmp_path: Path) -> None:
    async with talking(tmp_path, "print('a'); print('b', end='')") as program:
        assert await lines(program) == [b"a", b"b"]
        assert await program.line() is None
        assert await program.exit(5) == 0


async def test_it_has_our_environment_and_its_own_session_and_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDEN", "x")
    code = f"""
import os, sys
print(*(os.environ.get(name) for name in ('MORE', 'HIDDEN', '{LOOP}')), os.getsid(0))
print('e', file=sys.stderr)
"""
    async with talking(tmp_path, code, without=["HIDDEN"]) as program:
        assert await lines(program) == [f"given None {LOOP_ID} {program.pid}".encode()]
    assert (tmp_path / "stderr").read_text() == "e\n"


async def test_stderr_is_added_to(tmp_path: Path) -> None:
    for _ in range(2):
        async with talking(tmp_path, "import sys; print('e', file=sys.stderr)") as program:
            assert await lines(program) == []
    assert (tmp_path / "stderr").read_text() == "e\ne\n"


async def test_whoever_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    async with talking(tmp_path, "import time; print('up'); time.sleep(300)") as program:
        await program.line()
        for _ in range(100):
            program.say(b"x" * 100_000)
        assert program.unread > 9_000_000
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await program.read_up(1_000)


async def test_what_was_not_read_is_kept_until_it_is(tmp_path: Path) -> None:
    code = "import sys, time; print('up'); time.sleep(0.2); print(len(sys.stdin.read(10_000_000)))"
    async with talking(tmp_path, code) as program:
        await program.line()
        for _ in range(100):
            program.say(b"x" * 100_000)
        assert await program.line() == b"10000000"
        await program.read_up(0)
        assert program.unread == 0


async def test_speaking_to_the_dead_is_an_error_and_hurts_nobody(tmp_path: Path) -> None:
    async with talking(tmp_path, "pass") as program:
        assert await program.exit(5) == 0
        program.say(b"into the void\n")
        with pytest.raises(ConnectionError):
            program.say(b"x\n")
        await program.read_up(0)


async def test_children_that_hold_the_pipe_do_not_put_off_the_end(tmp_path: Path) -> None:
    code = "import subprocess; print('a'); subprocess.Popen(['setsid', 'sleep', '300'])"
    async with talking(tmp_path, code) as program:
        async with asyncio.timeout(5):
            assert await lines(program) == [b"a"]
        assert program.exit_code == 0


async def test_a_program_that_ignores_every_hint_is_ended(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up'); time.sleep(300)"
    async with talking(tmp_path, code) as program:
        await program.line()
        pid = program.pid
    assert find_process(pid) is None


async def test_cancelling_ends_it(tmp_path: Path) -> None:
    started: list[int] = []

    async def talk() -> None:
        code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up'); time.sleep(300)"
        async with talking(tmp_path, code) as program:
            await program.line()
            started.append(program.pid)
            await program.line()

    task = asyncio.ensure_future(talk())
    async with asyncio.timeout(20):
        while not started:  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
    assert find_process(started[0]) is None


async def test_what_can_not_be_started_says_so(tmp_path: Path) -> None:
    files = len(os.listdir("/proc/self/fd"))
    with pytest.raises(Invalid, match="there is no such program"):
        async with talking(tmp_path, "", "loopwright-no-such-program"):
            raise AssertionError("it was started")
    assert len(os.listdir("/proc/self/fd")) == files


async def test_a_line_without_end_is_not_waited_for(tmp_path: Path) -> None:
    async with talking(tmp_path, f"print('x' * {LINE_LIMIT + 1_000_000})") as program:
        with pytest.raises(Invalid, match="more than 50,000,000 bytes"):
            await program.line()


@given(st.lists(st.binary(max_size=8)), st.integers(1, 20))
def test_lines_do_not_depend_on_how_they_arrive(chunks: list[bytes], limit: int) -> None:
    whole = b"".join(chunks)
    *expected, rest = whole.split(b"\n")
    made, found = LineBuffer(), []
    for chunk in chunks:
        made.feed(chunk)
        while (line := made.take()) is not None:
            found.append(line)
    assert (found, made.rest(), made.total) == (expected, rest, len(whole))


@given(st.binary(max_size=60).filter(lambda data: b"\n" not in data), st.integers(0, 30))
def test_a_line_may_be_as_long_as_the_limit(data: bytes, limit: int) -> None:
    for end in (b"", b"\n"):
        made = LineBuffer(limit)
        made.feed(data + end)
        if len(data) > limit:
            with pytest.raises(Invalid):
                made.take()
        else:
            assert made.take() == (data if end else None)
