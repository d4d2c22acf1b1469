"""Time limits: what a test may take, from what it took before."""

import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

HANG = 1.5
"""Processor seconds after which a test of the unchanged project counts as endless, before anything is known of it."""

_FLOOR = 0.03
_FACTOR = 5.0
_IDLE = 0.1  # the share of the time below which a process does not compute, but waits
_REPEAT = 0.5  # a test that swallows the alarm gets it again


class TimeUp(BaseException):
    """Raised inside a test that used up its time; not an Exception, so that few programs catch it.

    `waited`: it hardly computed meanwhile.
    """

    def __init__(self, words: str, waited: bool) -> None:
        super().__init__(words)
        self.waited = waited


def compute_allowance(usual: float) -> float:
    """Processor seconds a candidate's test may take that usually takes `usual`."""
    return min(_FLOOR + _FACTOR * usual, max(HANG, 2 * usual))


def compute_lifetime(allowed: float) -> float:
    """Processor seconds after which a process is ended whose test may take `allowed`, and did not stop then."""
    return 0.2 + 3 * allowed


def wall_limit(usual: list[float]) -> float:
    """Seconds after which a candidate is killed from outside: waiting counts, and signals may be ignored."""
    return 2.0 + 2 * sum(usual) + 2 * max((compute_allowance(one) for one in usual), default=0.0)


def compute_wait(computing: float) -> float:
    """Seconds by the clock that a test may take which may compute for so many: it may wait, but not for ever."""
    return 0.2 + 3 * computing


def limit_processor_time(seconds: float) -> AbstractContextManager[None]:
    """Raises TimeUp in the block once this process has computed for so long (waiting is free)."""
    return _timer(signal.ITIMER_PROF, signal.SIGPROF, seconds)


def limit_clock_time(seconds: float) -> AbstractContextManager[None]:
    """Raises TimeUp in the block after so long, whether it computes or waits: for sleep, a lock, an answer."""
    return _timer(signal.ITIMER_REAL, signal.SIGALRM, seconds)


@contextmanager
def limit_life(seconds: float) -> Iterator[None]:
    """The kernel ends this process when it has computed for so long in the block: some code hears no signal."""
    before = signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _timer(timer: int, number: int, seconds: float) -> Iterator[None]:
    began, computed = time.monotonic(), time.process_time()

    def ring(_: int, frame: FrameType | None) -> None:
        took = time.monotonic() - began
        waited = time.process_time() - computed < _IDLE * took
        raise TimeUp(f"{'waited' if waited else 'computed'}, and had not ended after {took:.1f} s", waited)

    before = signal.signal(number, ring)
    signal.setitimer(timer, max(seconds, 0.001), _REPEAT)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
