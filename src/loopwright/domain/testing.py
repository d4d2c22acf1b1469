"""What a test run measured."""

from typing import Literal

from pydantic import Field

from loopwright.domain.loop import TestResult
from loopwright.domain.record import Items, Record

RunTrouble = Literal["timeout", "no_tests", "crashed", "unparsable"]


class Coverage(Record):
    """Line coverage: `percent` overall (0-100), `files` percent by project-relative path."""

    percent: float = Field(ge=0, le=100)
    files: dict[str, float] = Field(default_factory=dict)


class TestRun(Record):
    """One run of the test command.

    `sources` maps a test's key to a digest of its own function and named fixtures ("" where unknown).
    `output` is the end of what was printed, capped. `trouble` says why the results can not be complete.
    """

    __test__ = False

    command: str
    runner: str
    results: Items[TestResult] = ()
    exit_code: int | None = None
    duration_ms: float = 0
    coverage: Coverage | None = None
    sources: dict[str, str] = Field(default_factory=dict)
    trouble: RunTrouble | None = None
    output: str = ""

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(result.key for result in self.results if result.status == "failed")

    @property
    def passed_count(self) -> int:
        return sum(result.status == "passed" for result in self.results)
