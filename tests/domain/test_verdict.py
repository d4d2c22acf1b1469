"""What a run is worth: every way to cheat or to slip is a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.domain.engine_state import Baseline, Require
from loopwright.domain.loop import TestResult, TestStatus
from loopwright.domain.testing import Coverage, RunTrouble, TestRun
from loopwright.domain.verdict import Comparison, baseline_of, compare, verdict

AT = "2026-01-22T10:00:00+08:00"
STATUSES: tuple[TestStatus, ...] = ("passed", "failed", "skipped")
RUNS = st.dictionaries(st.sampled_from(["t::a", "t::b", "t::c", "m"]), st.sampled_from(STATUSES))


def ran(
    statuses: dict[str, TestStatus],
    *,
    sources: dict[str, str] | None = None,
    trouble: RunTrouble | None = None,
    coverage: float | None = None,
) -> TestRun:
    results = tuple(TestResult(test_name=key, status=status) for key, status in statuses.items())
    measured = None if coverage is None else Coverage(percent=coverage)
    return TestRun(
        command="t", runner="t", results=results, sources=sources or {}, trouble=trouble, coverage=measured, exit_code=9
    )


def judged(
    run: TestRun, comparison: Comparison | None = None, require: Require = "all", rate: float = 100, coverage: float = 0
) -> tuple[bool, tuple[str, ...]]:
    return verdict(run, comparison or Comparison(), require=require, min_pass_rate=rate, min_coverage=coverage)


def first(statuses: dict[str, TestStatus], sources: dict[str, str] | None = None) -> Baseline:
    return baseline_of(ran(statuses, sources=sources), "tree", AT)


def test_a_baseline_holds_status_and_source() -> None:
    baseline = first({"t::a": "passed", "t::b": "failed"}, {"t::a": "1", "t": "2"})
    assert {key: (test.status, test.source) for key, test in baseline.tests.items()} == {
        "t::a": ("passed", "1"),
        "t::b": ("failed", ""),
    }


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({"t::a": "passed"}, {"t::a": "passed"}, Comparison()),
        ({"t::a": "passed"}, {"t::a": "passed", "t::b": "passed"}, Comparison()),
        ({"t::a": "passed"}, {}, Comparison(vanished=("t::a",))),
        ({"t::a": "failed"}, {}, Comparison(vanished=("t::a",))),
        ({"t::a": "skipped"}, {}, Comparison(vanished=("t::a",))),
        ({"t::a": "passed"}, {"t::a": "skipped"}, Comparison(newly_skipped=("t::a",))),
        ({"t::a": "failed"}, {"t::a": "skipped"}, Comparison(newly_skipped=("t::a",))),
        ({"t::a": "skipped"}, {"t::a": "skipped"}, Comparison()),
        ({"t::a": "skipped"}, {"t::a": "passed"}, Comparison()),
        ({"t::a": "passed"}, {"t::a": "failed"}, Comparison(new_failures=("t::a",))),
        ({"t::a": "skipped"}, {"t::a": "failed"}, Comparison(new_failures=("t::a",))),
        ({"t::a": "failed"}, {"t::a": "failed"}, Comparison()),
        ({}, {"t::a": "failed"}, Comparison(new_failures=("t::a",))),
        # A module that could not be loaded is mended by its own tests, and by nothing else.
        ({"t/a.py": "failed"}, {"t/a.py::x": "passed"}, Comparison()),
        ({"t": "failed"}, {"t/a.py::x": "passed"}, Comparison()),
        ({"t.a": "failed"}, {"t.a.Case::x": "passed"}, Comparison()),
        ({"t/a.py": "failed"}, {"t/a.pyx::x": "passed"}, Comparison(vanished=("t/a.py",))),
        ({"t/a.py": "failed"}, {"t/b.py::x": "passed"}, Comparison(vanished=("t/a.py",))),
        ({"t::a": "failed"}, {"t::a::x": "passed"}, Comparison(vanished=("t::a",))),
    ],
)
def test_what_differs(before: dict[str, TestStatus], now: dict[str, TestStatus], expected: Comparison) -> None:
    assert compare(first(before), ran(now), allow_changes=False) == expected


@pytest.mark.parametrize(
    ("before", "now", "old", "new", "changed", "suspicious"),
    [
        ("failed", "passed", "1", "2", True, True),
        ("failed", "failed", "1", "2", True, False),
        ("passed", "passed", "1", "2", True, False),
        ("skipped", "passed", "1", "2", True, False),
        ("failed", "passed", "1", "1", False, False),
        ("failed", "passed", "", "2", False, False),
        ("failed", "passed", "1", None, False, False),
    ],
)
def test_whose_own_source_was_changed(
    before: TestStatus, now: TestStatus, old: str, new: str | None, changed: bool, suspicious: bool
) -> None:
    baseline = first({"t::a": before}, {"t::a": old})
    run = ran({"t::a": now}, sources={} if new is None else {"t::a": new})
    seen = compare(baseline, run, allow_changes=False)
    assert (seen.changed, seen.suspicious) == (("t::a",) * changed, ("t::a",) * suspicious)
    allowed = compare(baseline, run, allow_changes=True)
    assert (allowed.changed, allowed.suspicious) == (seen.changed, ())


def test_a_module_mended_by_editing_the_test_file_is_suspicious() -> None:
    baseline = first({"t.py": "failed"}, {"t.py": "1"})
    honest = ran({"t.py::x": "passed"}, sources={"t.py": "1"})
    edited = ran({"t.py::x": "passed"}, sources={"t.py": "2"})
    assert compare(baseline, honest, allow_changes=False).suspicious == ()
    assert compare(baseline, edited, allow_changes=False).suspicious == ("t.py",)


@pytest.mark.parametrize(
    ("run", "comparison", "words"),
    [
        (ran({"t::a": "failed", "t::b": "passed"}), Comparison(), "1 failed: t::a"),
        (ran({}), Comparison(), "no test passed"),
        (ran({"t::a": "skipped"}), Comparison(), "no test passed"),
        (ran({}, trouble="no_tests"), Comparison(), "no tests were found"),
        (ran({"t::a": "passed"}, trouble="timeout"), Comparison(), "took too long"),
        (ran({"t::a": "passed"}, trouble="crashed"), Comparison(), "exit code 9"),
        (ran({"t::a": "passed"}, trouble="unparsable"), Comparison(), "could not be read"),
        (ran({"t::a": "passed"}), Comparison(vanished=("t::x",)), "1 of the first run missing: t::x"),
        (ran({"t::a": "passed"}), Comparison(newly_skipped=("t::x",)), "1 skipped that ran in the first run: t::x"),
        (
            ran({"t::a": "passed"}),
            Comparison(suspicious=("t::x",)),
            "passing only since its own code was changed: t::x",
        ),
    ],
)
def test_what_is_no_pass_and_why(run: TestRun, comparison: Comparison, words: str) -> None:
    passed, reasons = judged(run, comparison)
    assert not passed
    assert words in reasons[0]


def test_reported_changes_are_no_reason() -> None:
    assert judged(ran({"t::a": "passed", "t::b": "skipped"}), Comparison(changed=("t::a",))) == (True, ())


def test_many_names_are_cut() -> None:
    run = ran({f"t::{n}": "failed" for n in range(8)})
    assert judged(run)[1][0] == "no test passed"
    assert judged(run)[1][1] == "8 failed: t::0, t::1, t::2, t::3, t::4 and 3 more"


def test_old_failures_may_be_tolerated_and_new_ones_not() -> None:
    run = ran({"t::old": "failed", "t::a": "passed"})
    assert judged(run, Comparison(), "no_new_failures") == (True, ())
    passed, reasons = judged(run, Comparison(new_failures=("t::old",)), "no_new_failures")
    assert not passed
    assert reasons[0] == "1 failed that did not fail in the first run: t::old"


@pytest.mark.parametrize(
    ("measured", "required", "passed"),
    [(None, 0, True), (None, 1, False), (79.9, 80, False), (80, 80, True), (0, 0, True)],
)
def test_a_threshold_of_coverage(measured: float | None, required: float, passed: bool) -> None:
    assert judged(ran({"t::a": "passed"}, coverage=measured), coverage=required)[0] is passed


@given(before=RUNS, now=RUNS)
def test_a_pass_means_that_nothing_is_red_or_gone(before: dict[str, TestStatus], now: dict[str, TestStatus]) -> None:
    run = ran(now)
    passed, reasons = judged(run, compare(first(before), run, allow_changes=False))
    assert passed == (not reasons)
    if passed:
        assert "passed" in now.values()
        assert "failed" not in now.values()
        assert all(key in now for key in before)
        assert all(now[key] == "passed" or before[key] == "skipped" for key in before)


@given(statuses=RUNS)
def test_a_run_differs_in_nothing_from_itself(statuses: dict[str, TestStatus]) -> None:
    assert compare(first(statuses), ran(statuses), allow_changes=False) == Comparison()
