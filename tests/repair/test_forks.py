"""Forked work: one answer, in time, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from loopwright.repair.forks import ask_forked, receive_message, send_message


def test_an_answer_of_any_size_comes_back() -> None:
    big = "x" * 3_000_000
    assert ask_forked(lambda: {"big": big, "none": None, "pair": (1, 2.5)}, 20) == {
        "big": big,
        "none": None,
        "pair": (1, 2.5),
    }


def test_a_child_that_dies_gives_no_answer() -> None:
    def work() -> dict[str, object]:
        os.kill(os.getpid(), signal.SIGKILL)
        return {}

    assert ask_forked(work, 20) is None


def test_a_child_that_raises_gives_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> dict[str, object]:
        raise LookupError("from the child")

    assert ask_forked(work, 20) is None


def test_work_that_ignores_signals_is_killed_in_time() -> None:
    def work() -> dict[str, object]:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, signal.SIG_IGN)
        while True:
            signal.pause()

    started = time.monotonic()
    assert ask_forked(work, 0.2) is None
    assert time.monotonic() - started < 5


def test_what_the_work_started_dies_with_it() -> None:
    out, into = os.pipe()

    def work() -> dict[str, object]:
        sleeper = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        send_message(into, {"pid": sleeper.pid})
        signal.pause()
        return {}

    assert ask_forked(work, 1.0) is None
    started = receive_message(out, time.monotonic() + 5)
    os.close(out)
    os.close(into)
    assert started is not None
    assert _ended(started["pid"])


def test_a_torn_message_is_no_message() -> None:
    out, into = os.pipe()
    os.write(into, (1000).to_bytes(8, "little") + b"half")
    os.close(into)
    assert receive_message(out) is None
    os.close(out)


def _ended(pid: int) -> bool:
    """Whether a process is gone (or a zombie that nobody in this container reaps) within five seconds."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
    return False
