"""Work in a forked process that tells as it goes, so that its end, whatever brought it, costs only what came after."""

import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NoReturn

from . import sandbox
from .forks import Answer, end_group, fork, receive, send

Tell = Callable[[Answer], None]

LATE = "did not end in time, and did not react"
_CPU_SLACK = 5
_DYING = 1.0  # seconds between the end of a process's messages and its own end


def listen(work: Callable[[Tell], None], hear: Callable[[Answer], None], until: Callable[[], float]) -> str:
    """Hands on what `work` tells in a process group of its own, and says how that ended.

    `until`: the moment (monotonic) before which the next message must come; it is asked anew after each.
    """
    out, into = os.pipe()
    child = fork()
    if child == 0:
        os.close(out)
        _live(lambda: work(partial(send, into)), until() - time.monotonic())
    os.close(into)
    ended = LATE
    try:
        while (message := receive(out, until())) is not None:
            hear(message)
        if time.monotonic() < until():
            ended = _last_words(child, _DYING)
    finally:
        os.close(out)
        end_group(child)
    return ended


def outlived(work: Callable[[], object], seconds: float) -> str:
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
        sandbox.limit(cpu_seconds=int(seconds) + _CPU_SLACK)
        work()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        raise
    finally:
        os._exit(0)
