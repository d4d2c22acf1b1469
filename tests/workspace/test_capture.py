"""Output of any size and shape: bounded, passed on as far as anybody can read, and never in the way."""

import asyncio
import resource
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.processes.process import FLOOD, LONGEST_LINE, OutputCapture, Patience, ProcessResult, run_shell

CAP = 100_000


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(2, 60))
def test_what_is_kept_is_a_head_and_a_tail(chunks: list[bytes], cap: int) -> None:
    capture, whole = OutputCapture(cap), b"".join(chunks)
    for chunk in chunks:
        capture.feed(chunk)
    half = cap // 2
    assert capture.total == len(whole)
    assert capture.truncated == (len(whole) > 2 * half)
    if not capture.truncated:
        assert capture.text == whole.decode("utf-8", "replace")
    else:
        assert capture.text.startswith(whole[:half].decode("utf-8", "replace"))
        assert capture.text.endswith(whole[-half:].decode("utf-8", "replace"))
        assert f"{len(whole) - 2 * half:,} bytes left out" in capture.text


@given(st.text(), st.lists(st.integers(0, 200), max_size=6))
def test_what_is_passed_on_is_what_came_in_whole_lines(text: str, cuts: list[int]) -> None:
    heard: list[str] = []
    capture, data = OutputCapture(CAP, heard.append), text.encode("utf-8", "replace")
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for begin, end in pairwise(places):
        capture.feed(data[begin:end])
    assert all(piece.endswith("\n") for piece in heard)
    capture.finish()
    assert "".join(heard) == data.decode()


def test_of_a_flood_a_part_is_passed_on_and_the_rest_is_counted() -> None:
    heard: list[str] = []
    capture, line = OutputCapture(CAP, heard.append), b"x" * 99 + b"\n"
    for _ in range(3 * FLOOD // len(line)):
        capture.feed(line)
    capture.finish()
    begun = time.monotonic()
    told = "".join(heard)
    assert FLOOD <= len(told.encode()) < 2.5 * FLOOD
    assert "bytes left out …" in told
    assert time.monotonic() - begun < 1


FLOODS = {
    "50 MB a second and more": "yes 'a line of output of a usual length' | head -c 300000000",
    "a line without end": "head -c 100000000 /dev/zero | tr '\\0' x",
    "no text at all": "head -c 60000000 /dev/urandom",
    "only line ends": "yes '' | head -c 60000000",
}


@pytest.mark.parametrize("command", FLOODS.values(), ids=FLOODS)
def test_floods_cost_neither_memory_nor_attention(tmp_path: Path, command: str) -> None:
    longest, kept = 0, 0

    def hear(text: str) -> None:
        nonlocal longest, kept
        longest, kept = max(longest, len(text)), kept + len(text)

    async def scene() -> tuple[ProcessResult, float]:
        worst = 0.0
        running = asyncio.ensure_future(
            run_shell(
                command, cwd=tmp_path, marker="loop-flood", patience=Patience(120), output_cap=CAP, on_output=hear
            )
        )
        while not running.done():
            before = time.monotonic()
            await asyncio.sleep(0.01)
            worst = max(worst, time.monotonic() - before)
        return running.result(), worst

    before = resource.getrusage(resource.RUSAGE_SELF)
    done, worst = asyncio.run(scene())
    after = resource.getrusage(resource.RUSAGE_SELF)
    computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.truncated
    assert len(done.output) < 1.1 * CAP
    assert longest < 3 * LONGEST_LINE
    assert kept < FLOOD * (done.duration_ms / 1000 + 2)
    assert worst < 1
    assert after.ru_maxrss - before.ru_maxrss < 30_000  # KB
    assert computed < 3
