"""When a test counts as endless."""

from math import inf

import pytest

from loopwright.evidence.testing import (
    LEAST,
    SHARED,
    TestLimits,
    TestResult,
    TestRun,
    TestStatus,
    learn_limits,
    stands_for_another,
    words_due,
)
from tests.tables import each


@each(
    ("limits", "others", "shared", "seconds"),
    [
        (TestLimits(), 0, False, LEAST),
        (TestLimits(), 1.9, False, LEAST),
        (TestLimits(), 30, False, 300),
        (TestLimits(), 0, True, SHARED),
        (TestLimits(), 30, True, 300),
        (TestLimits(known={"a": 25}), 30, False, 25),
        (TestLimits(known={"b": 25}), 30, False, 300),
        (TestLimits(fixed=5), 30, False, 5),
        (TestLimits(fixed=5, known={"a": 25}), 0, False, 5),
        (TestLimits(fixed=0), 30, False, inf),
    ],
)
def test_what_a_test_gets(limits: TestLimits, others: float, shared: bool, seconds: float) -> None:
    assert limits.of("a", others, shared=shared) == seconds


def test_no_test_is_ended_before_the_least_that_one_gets() -> None:
    assert TestLimits().least == TestLimits(fixed=0).least == LEAST
    assert TestLimits(fixed=0.5).least == 0.5


def test_it_is_told_after_ten_seconds_and_every_fifteen_more() -> None:
    told: list[int] = []
    for second in range(60):
        if words_due(second, len(told)):
            told.append(second)
    assert told == [10, 25, 40, 55]


def run(*results: tuple[str, TestStatus, float], endless: dict[str, float] | None = None) -> TestRun:
    return TestRun(
        command="t", runner="t", exit_code=1, endless=endless or {},
        results=tuple(TestResult(test_name=n, suite="", status=s, duration_ms=1000 * t) for n, s, t in results),
    )  # fmt: skip


@pytest.mark.parametrize(("others", "given", "next_time"), [(1, 20, 20), (30, 300, 30), (30, 5, 5)])
def test_an_endless_test_is_not_waited_for_ten_times_as_long_again(
    others: float, given: float, next_time: float
) -> None:
    seen = run(("a", "failed", given), ("b", "passed", others), endless={"a": given})
    assert learn_limits(seen) == {"a": next_time}


def test_a_result_stands_for_another_run_only_where_that_could_tell_nothing_new() -> None:
    red = run(("a", "failed", 1), ("b", "passed", 1))
    assert stands_for_another(red, ["a"])
    assert not stands_for_another(red, [])  # it may be chance
    assert not stands_for_another(red.evolve(trouble="crashed"), ["a"])
    assert not stands_for_another(red.evolve(exit_code=None), ["a"])
