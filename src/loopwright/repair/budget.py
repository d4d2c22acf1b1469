"""Time limits: what a test may take, from what it took before."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

HANG = 1.5
"""Processor seconds after which a test of the unchanged project counts as endless, before anything is known of it."""

_FLOOR = 0.1
_FACTOR = 10.0
_REPEAT = 0.5  # a test that swallows the alarm gets it again


class TimeUp(BaseException):
    """Raised inside a test that used up its processor time; not an Exception, so that few programs catch it."""


def allowance(usual: float) -> float:
    """Processor seconds a candidate's test may take that usually takes `usual`."""
    return min(_FLOOR + _FACTOR * usual, max(HANG, 2 * usual))


def wall_limit(usual: list[float]) -> float:
    """Seconds after which a candidate is killed from outside: waiting counts, and signals may be ignored."""
    return 2.0 + 2 * sum(usual) + 2 * max((allowance(one) for one in usual), default=0.0)


def _late(number: int, frame: FrameType | None) -> None:
    raise TimeUp("processor time used up")


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Raises TimeUp in the block once this process has computed for so long (waiting is free)."""
    before = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
