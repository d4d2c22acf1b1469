"""Work in forked processes: one answer each, within a time limit, and nothing of them left behind."""

import marshal
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, NoReturn

from . import sandbox

Answer = dict[str, Any]  # Any: whatever marshal carries; each caller knows its own answers
_HEAD = 8
_CPU_SLACK = 5


def send_message(descriptor: int, message: Answer) -> None:
    """Writes one message whole."""
    body = marshal.dumps(message)
    data = memoryview(len(body).to_bytes(_HEAD, "little") + body)
    while data:
        data = data[os.write(descriptor, data) :]


def receive_message(descriptor: int, deadline: float | None = None) -> Answer | None:
    """Reads one message; None at the end of the stream or at the deadline (monotonic)."""
    head = _read(descriptor, _HEAD, deadline)
    if head is None:
        return None
    body = _read(descriptor, int.from_bytes(head, "little"), deadline)
    return None if body is None else dict(marshal.loads(body))


def _read(descriptor: int, size: int, deadline: float | None) -> bytes | None:
    data = b""
    while len(data) < size:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            return None
        chunk = os.read(descriptor, size - len(data))
        if not chunk:
            return None
        data += chunk
    return data


def fork() -> int:
    """Like os.fork, without the warning about threads: ours are gone or do not hold what the child needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def ask_forked(work: Callable[[], Answer], seconds: float) -> Answer | None:
    """The answer of `work`, done in a forked process group; None when it died or took longer than `seconds`."""
    with closing(stream_forked(lambda: iter([work()]), [seconds])) as told:
        return next(told, None)


def stream_forked(work: Callable[[], Iterator[Answer]], patience: Sequence[float]) -> Generator[Answer]:
    """What `work` yields in a forked process group, until it ends, dies, or takes longer for one than its `patience`.

    `patience` in seconds, one for each answer; behind the last nothing more is waited for.
    """
    out, into = os.pipe()
    child = fork()
    if child == 0:
        os.close(out)
        _live(partial(_send_all, work, into), sum(patience))
    os.close(into)
    try:
        with suppress(OSError):
            os.setpgid(child, child)
        for seconds in patience:
            answer = receive_message(out, time.monotonic() + seconds)
            if answer is None:
                return
            yield answer
    finally:
        os.close(out)
        end_group(child)


def _send_all(work: Callable[[], Iterator[Answer]], into: int) -> None:
    for answer in work():
        send_message(into, answer)


def end_group(leader: int) -> None:
    """Kills a forked child with its group, and waits for it."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(leader, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(leader, 0)


Tell = Callable[[Answer], None]

LATE = "did not end in time, and did not react"
_DYING = 1.0  # seconds between the end of a process's messages and its own end


def listen_to_fork(work: Callable[[Tell], None], hear: Callable[[Answer], None], until: Callable[[], float]) -> str:
    """Hands on what `work` tells in a process group of its own, and says how that ended.

    `until`: the moment (monotonic) before which the next message must come; it is asked anew after each.
    """
    out, into = os.pipe()
    child = fork()
    if child == 0:
        os.close(out)
        _live(lambda: work(partial(send_message, into)), until() - time.monotonic())
    os.close(into)
    ended = LATE
    try:
        while (message := receive_message(out, until())) is not None:
            hear(message)
        if time.monotonic() < until():
            ended = _last_words(child, _DYING)
    finally:
        os.close(out)
        end_group(child)
    return ended


def run_to_end(work: Callable[[], object], seconds: float) -> str:
    """Does the work in a forked process group of its own, waits for its end, and says how that was."""
    child = fork()
    if child == 0:
        _live(work, seconds)
    try:
        return _last_words(child, seconds)
    finally:
        end_group(child)


def _last_words(child: int, seconds: float) -> str:
    """How a process ends within so many seconds; it stays to be waited for."""
    descriptor = os.pidfd_open(child)
    try:
        if not select.select([descriptor], [], [], max(0.0, seconds))[0]:
            return LATE
    finally:
        os.close(descriptor)
    end = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    if end is None or end.si_code == os.CLD_EXITED:
        return f"exit status {end.si_status if end else 0}"
    return f"signal {end.si_status} ({signal.Signals(end.si_status).name})"


def _live(work: Callable[[], object], seconds: float) -> NoReturn:
    """A child's whole life: no clean-up of the parent's may run here, whatever happens."""
    try:
        sandbox.die_with_parent()
        with suppress(OSError):
            os.setpgid(0, 0)
        sandbox.limit_process(cpu_seconds=int(seconds) + _CPU_SLACK)
        work()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        raise
    finally:
        os._exit(0)
