"""What the test frameworks of one run left behind, read."""

from dataclasses import dataclass, field

from loopwright.domain.loop import TestResult
from loopwright.domain.testing import Coverage, Reach


@dataclass(frozen=True)
class Reading:
    """What the runner left behind.

    `running`: keys of tests that began and never ended. `complete`: the runner itself says that it came to its end.
    `damaged`: something could not be read; `why` says what, in words, or what would help. `reported`: the framework
    was there at all, even if it came to no result. `reach` and `executable` as in TestRun.
    """

    results: tuple[TestResult, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    running: tuple[str, ...] = ()
    coverage: Coverage | None = None
    complete: bool = False
    damaged: bool = False
    reported: bool = False
    why: str = ""
    reach: dict[str, Reach] | None = None
    executable: tuple[str, ...] = ()
