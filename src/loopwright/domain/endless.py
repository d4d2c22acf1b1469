"""When a test counts as endless: judged by what the others took, or by a limit that was set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from loopwright.domain.testing import TestRun

LEAST = 20.0
"""Seconds that every test may take."""

TIMES = 10
"""A test that takes so many times as long as all others together is endless."""

SHARED = 120.0
"""Seconds that setting up or tearing down what several tests share may take at least."""

FIRST_WORDS, MORE_WORDS = 10.0, 15.0
"""Seconds after which it is told that a test still runs; and then every so many."""


@dataclass(frozen=True)
class TestLimits:
    """Seconds that single tests may take.

    `fixed` holds for each (0: no limit; None: by the others). `known`: tests that were endless before, with what they
    get now: those are not waited for as long again.
    """

    __test__ = False

    fixed: float | None = None
    known: Mapping[str, float] = field(default_factory=dict)

    def of(self, test: str, others: float, *, shared: bool = False) -> float:
        """`others`: seconds that all other tests took together. `shared`: what takes so long is not its own."""
        by_others = self.known.get(test) or max(LEAST, TIMES * others)
        limit = by_others if self.fixed is None else self.fixed or inf
        return max(limit, SHARED) if shared else limit

    @property
    def least(self) -> float:
        """What no test is ended before."""
        return min(self.of("", 0), *(self.of(test, 0) for test in self.known), LEAST)


def words_due(seconds: float, told: int) -> bool:
    """Whether it is time to tell that a test still runs, after it was told so many times."""
    return seconds >= FIRST_WORDS + told * MORE_WORDS


def endless_words(seconds: float) -> str:
    return f"did not end within {seconds:g} s (setting per_test_timeout)"


def known_after(run: TestRun) -> dict[str, float]:
    """What the run's endless tests get from now on: as long as all others together, which is no tenth of it."""
    others = sum(result.duration_ms for result in run.results if result.key not in run.endless) / 1000
    return {key: min(given, max(LEAST, round(others, 1))) for key, given in run.endless.items()}
