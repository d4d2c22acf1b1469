"""What a test run measured."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal, NamedTuple

from pydantic import Field

from loopwright.core.record import Items, Record, is_absent
from loopwright.evidence.test_material import is_by_name

TestStatus = Literal["passed", "failed", "skipped"]


class TestResult(Record):
    """One test as the runner reported it. `duration_ms` in milliseconds."""

    __test__ = False

    test_name: str
    suite: str = ""
    status: TestStatus
    duration_ms: float = 0
    error_message: str | None = None
    stack_trace: str | None = None

    @property
    def key(self) -> str:
        """What names this test in `failed_tests` and in the baseline."""
        return f"{self.suite}::{self.test_name}" if self.suite else self.test_name


class TestTally(NamedTuple):
    """How many tests passed, failed, and were skipped."""

    passed: int
    failed: int
    skipped: int

    @property
    def total(self) -> int:
        return sum(self)

    @property
    def ran(self) -> int:
        return self.passed + self.failed

    @property
    def pass_rate(self) -> float | None:
        """Percent of the tests that ran; None where none did."""
        return round(100 * self.passed / self.ran, 2) if self.ran else None


def tally_results(results: Iterable[TestResult]) -> TestTally:
    counts = Counter(result.status for result in results)
    return TestTally(counts["passed"], counts["failed"], counts["skipped"])


CODE = re.compile(
    r".*\.(?:py|pyi|pyx|[cm]?[jt]sx?|go|rs|java|kt|scala|groovy|c|h|cc|cpp|hpp|cs|rb|php|swift|lua|sh|sql|toml|ini|cfg)"
)
"""Files that are written to be run or to steer what runs; a test run leaves other kinds behind."""

BUILD = "build"
"""Key of the failed test that stands for code that could not be compiled; `build of PART` for a part of the project."""

RunTrouble = Literal["timeout", "silent", "no_tests", "crashed", "unparsable"]


class Coverage(Record):
    """Line coverage: `percent` overall (0-100), `files` percent by project-relative path."""

    percent: float = Field(ge=0, le=100)
    files: dict[str, float] = Field(default_factory=dict)


class Reach(Record):
    """What of the changed code one test reached while it was called.

    `lines`: `file:line` of changed code inside of functions. `uses`: names that changed statements outside of functions
    bind. `opened`: changed files that are no Python, as the product or a library opened them.
    """

    lines: Items[str] = ()
    uses: Items[str] = ()
    opened: Items[str] = ()

    @property
    def found(self) -> bool:
        return bool(self.lines or self.uses or self.opened)


class TestRun(Record):
    """One run of the test command.

    `sources` maps a test's key to a digest of all the source that says what it means ("" where unknown).
    `output` is the end of what was printed, capped. `trouble` says why the results cannot be complete, and `why` what
    is known of its cause, or what would help. `exit_code` is None for a run that was ended from outside: without
    trouble it was done by then, and `why` says what kept it. `reach` by test, and `executable`, the changed lines that
    can run, are measured in copies only (see TestOrder.changed); None where they were not. `imports`: by file of the
    project, those that it imports directly, where that is known (pytest). `endless`: tests that were
    ended because they did not end by themselves, with the seconds they had; they have failed. `opened`: by file of
    the project, those whose code opened it, where that was asked for (Python). `from_files`: no framework told the
    results, but reports that the command left.
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
    why: str | None = Field(default=None, exclude_if=is_absent)
    output: str = ""
    reach: dict[str, Reach] | None = None
    executable: Items[str] = ()
    imports: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    endless: dict[str, float] = Field(default_factory=dict)
    opened: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    from_files: bool = False

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(result.key for result in self.results if result.status == "failed")

    @property
    def passed_count(self) -> int:
        return sum(result.status == "passed" for result in self.results)


def stands_for_another(run: TestRun, failed_before: Collection[str]) -> bool:
    """Whether another run over the same files could tell nothing new.

    It came to its end, and nothing fails in it that was not known to fail: that could be chance.
    """
    return run.trouble is None and run.exit_code is not None and frozenset(run.failed) <= frozenset(failed_before)


def split_leftovers(changes: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What changed during a run (file and create, modify, delete), sorted: its own output, and what it did not make.

    New files are output unless they are code, which could change what the next run does.
    """
    written: list[str] = []
    touched: list[str] = []
    for file, action in changes:
        is_output = action == "create" and CODE.fullmatch(file) is None and not is_by_name(file)
        (written if is_output else touched).append(file)
    return tuple(written), tuple(touched)


def list_unsettled(touched: Iterable[str], first: Collection[str], last: Collection[str]) -> tuple[str, ...]:
    """Files that make a run worthless because they changed meanwhile: what it measured may not be what is there now.

    Not those that the very `first` run changed too, before any agent was at work; nor data that the `last` run
    changed likewise, for then this run began with what that one left.
    """
    return tuple(
        file for file in touched if file not in first and (file not in last or CODE.fullmatch(file) is not None)
    )


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


def learn_limits(run: TestRun) -> dict[str, float]:
    """What the run's endless tests get from now on: as long as all others together, which is no tenth of it."""
    others = sum(result.duration_ms for result in run.results if result.key not in run.endless) / 1000
    return {key: min(given, max(LEAST, round(others, 1))) for key, given in run.endless.items()}
