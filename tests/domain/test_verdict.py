"""What a run is worth: every way to cheat or to slip is a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.state import Baseline, Require
from loopwright.evidence.testing import Coverage, RunTrouble, TestResult, TestRun, TestStatus
from loopwright.evidence.verdict import (
    Comparison,
    MaterialDoubt,
    baseline_of,
    believe,
    compare_runs,
    count_as_committed,
    describe_differences,
    judge_run,
    list_repaired,
)
from tests.tables import each

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
    return judge_run(run, comparison or Comparison(), require=require, min_pass_rate=rate, min_coverage=coverage)


def first(statuses: dict[str, TestStatus], sources: dict[str, str] | None = None) -> Baseline:
    return baseline_of(ran(statuses, sources=sources), "tree", AT)


def test_a_baseline_holds_status_and_source() -> None:
    baseline = first({"t::a": "passed", "t::b": "failed"}, {"t::a": "1", "t": "2"})
    assert {key: (test.status, test.source) for key, test in baseline.tests.items()} == {
        "t::a": ("passed", "1"),
        "t::b": ("failed", ""),
    }


@each(
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
        # What did not compile is mended by every test that runs now.
        ({"build of core": "failed"}, {"core::x": "passed"}, Comparison()),
        ({"build": "failed"}, {"other::x": "skipped"}, Comparison()),
        ({"build": "failed"}, {}, Comparison(vanished=("build",))),
        ({"build": "failed"}, {"t": "passed"}, Comparison(vanished=("build",))),
        ({"builder": "failed"}, {"other::x": "passed"}, Comparison(vanished=("builder",))),
    ],
)
def test_what_differs(before: dict[str, TestStatus], now: dict[str, TestStatus], expected: Comparison) -> None:
    assert compare_runs(first(before), ran(now), allow_changes=False) == expected


@pytest.mark.parametrize(
    ("before", "now", "old", "new", "changed", "suspicious"),
    [
        ("failed", "passed", "1", "2", True, True),
        ("failed", "failed", "1", "2", True, False),
        ("passed", "passed", "1", "2", True, False),
        ("skipped", "passed", "1", "2", True, False),
        ("failed", "passed", "1", "1", False, False),
        ("failed", "passed", "", "2", False, False),
        ("failed", "passed", "1", None, True, True),  # whatever hides a digest has something to hide
    ],
)
def test_whose_own_source_was_changed(
    before: TestStatus, now: TestStatus, old: str, new: str | None, changed: bool, suspicious: bool
) -> None:
    baseline = first({"t::a": before}, {"t::a": old})
    run = ran({"t::a": now}, sources={} if new is None else {"t::a": new})
    seen = compare_runs(baseline, run, allow_changes=False)
    assert (seen.changed, seen.suspicious) == (("t::a",) * changed, ("t::a",) * suspicious)
    allowed = compare_runs(baseline, run, allow_changes=True)
    assert (allowed.changed, allowed.suspicious) == (seen.changed, ())


@each(
    ("before", "now", "vanished", "changed"),
    [
        ({"t::a[10:00:01]": "passed"}, {"t::a[10:00:02]": "passed"}, (), ("t::a[10:00:01]",)),
        ({"t::a[1]": "passed", "t::a[2]": "passed"}, {"t::a[1]": "passed"}, ("t::a[2]",), ()),
        ({"t::a[1]": "failed"}, {"t::a[2]": "passed"}, ("t::a[1]",), ()),
        ({"t::a[1]": "passed"}, {"t::a": "passed"}, (), ("t::a[1]",)),
        ({"t::a[1]": "passed", "t::a[2]": "passed"}, {"t::a": "passed"}, ("t::a[1]", "t::a[2]"), ()),
        ({"t.py::A::a": "passed"}, {"t.py::B::a": "passed"}, (), ("t.py::A::a",)),
        ({"t.py::A::a": "passed"}, {"u.py::a": "passed"}, (), ("t.py::A::a",)),
        ({"t.js::old > a": "passed"}, {"t.js::new > a": "passed"}, (), ("t.js::old > a",)),
        ({"t.js::[a] b": "passed"}, {"t.js::[a] c": "passed"}, ("t.js::[a] b",), ()),
        ({"t.py::A::a": "passed"}, {"t.py::B::a": "skipped"}, ("t.py::A::a",), ()),
        ({"t.py::A::a": "passed", "t.py::B::a": "passed"}, {"t.py::B::a": "passed"}, ("t.py::A::a",), ()),
        ({"t.py::A::a": "failed"}, {"t.py::B::a": "passed"}, ("t.py::A::a",), ()),
    ],
)
def test_a_test_that_runs_under_another_class_file_or_set_has_not_vanished(
    before: dict[str, TestStatus], now: dict[str, TestStatus], vanished: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    compared = compare_runs(first(before), ran(now), allow_changes=False)
    assert (compared.vanished, compared.changed) == (vanished, changed)


def test_a_module_mended_by_editing_the_test_file_is_suspicious() -> None:
    baseline = first({"t.py": "failed"}, {"t.py": "1"})
    honest = ran({"t.py::x": "passed"}, sources={"t.py": "1"})
    edited = ran({"t.py::x": "passed"}, sources={"t.py": "2"})
    assert compare_runs(baseline, honest, allow_changes=False).suspicious == ()
    assert compare_runs(baseline, edited, allow_changes=False).suspicious == ("t.py",)


def test_a_module_mended_by_skipping_all_of_it_is_newly_skipped() -> None:
    seen = compare_runs(first({"t.py": "failed"}), ran({"t.py::x": "skipped"}), allow_changes=False)
    assert seen.newly_skipped == ("t.py",)


@each(
    ("again", "suspicious"),
    [
        ({"t::a": "passed", "t::b": "passed"}, ()),
        ({"t::a": "failed", "t::b": "passed"}, ("t::a",)),
        ({"t::a": "skipped", "t::b": "passed"}, ("t::a",)),
        ({"t::b": "passed"}, ("t::a",)),  # it could be run, and was not
        ({"t::a": "failed", "t::b": "failed"}, ("t::a",)),
        (None, ("t::a",)),  # there was no such run, or it could not run anything: the digest decides
        ({}, ("t::a",)),
        ({"t": "failed"}, ("t::a",)),
    ],
)
def test_the_first_version_of_the_tests_has_the_last_word(
    again: dict[str, TestStatus] | None, suspicious: tuple[str, ...]
) -> None:
    baseline = first({"t::a": "failed", "t::b": "passed"}, {"t::a": "1", "t::b": "1"})
    now: dict[str, TestStatus] = {"t::a": "passed", "t::b": "passed"}
    doubt = MaterialDoubt(("t.py",), None if again is None else ran(again))
    changed = ran(now, sources={"t::a": "2", "t::b": "1"})
    assert compare_runs(baseline, changed, allow_changes=False, doubt=doubt).suspicious == suspicious
    assert compare_runs(baseline, changed, allow_changes=True, doubt=doubt).suspicious == ()


def test_a_changed_test_inside_a_product_file_is_not_cleared_by_itself() -> None:
    """Nothing puts it back for the run of the first version, so there it passes as it was changed."""
    baseline = first({"lib::a": "failed", "lib::b": "passed"}, {"lib::a": "1", "lib::b": "1"})
    now: dict[str, TestStatus] = {"lib::a": "passed", "lib::b": "passed"}
    run = ran(now, sources={"lib::a": "2", "lib::b": "1"})
    doubt = MaterialDoubt((), ran(now, sources={"lib::a": "2", "lib::b": "1"}))
    assert compare_runs(baseline, run, allow_changes=False, doubt=doubt).suspicious == ("lib::a",)
    put_back = MaterialDoubt(("t.rs",), ran(now, sources={"lib::a": "1", "lib::b": "1"}))
    assert compare_runs(baseline, run, allow_changes=False, doubt=put_back).suspicious == ()


def test_an_untouched_test_that_fails_with_the_first_material_is_suspicious() -> None:
    """Something else in the tests made it pass: a module that was added and changes the product while it loads."""
    baseline = first({"t::a": "failed", "t::b": "passed"}, {"t::a": "1", "t::b": "1"})
    run = ran({"t::a": "passed", "t::b": "passed"}, sources={"t::a": "1", "t::b": "1"})
    doubt = MaterialDoubt(("tests/test_new.py",), ran({"t::a": "failed", "t::b": "passed"}))
    assert compare_runs(baseline, run, allow_changes=False, doubt=doubt).suspicious == ("t::a",)
    unable = MaterialDoubt(("tests/test_new.py",), ran({}))
    assert compare_runs(baseline, run, allow_changes=False, doubt=unable).suspicious == ()


def test_a_mended_module_is_cleared_by_its_first_version() -> None:
    baseline = first({"t.py": "failed"}, {"t.py": "1"})
    run = ran({"t.py::x": "passed"}, sources={"t.py": "2", "t.py::x": "7"})

    def suspicious(again: dict[str, TestStatus]) -> tuple[str, ...]:
        return compare_runs(baseline, run, allow_changes=False, doubt=MaterialDoubt(("t.py",), ran(again))).suspicious

    assert suspicious({"t.py::x": "passed", "t.py::y": "passed"}) == ()
    assert suspicious({"t.py::x": "passed", "t.py::y": "failed"}) == ("t.py",)
    assert suspicious({"t.py": "failed"}) == ("t.py",)


def test_a_test_that_has_outgrown_its_first_version_is_told_and_no_reason() -> None:
    baseline = first({"t::a": "passed", "t::b": "failed"}, {"t::a": "1", "t::b": "1"})
    run = ran({"t::a": "passed", "t::b": "passed"}, sources={"t::a": "2", "t::b": "1"})
    doubt = MaterialDoubt(("t.py",), ran({"t::a": "failed", "t::b": "passed"}))
    seen = compare_runs(baseline, run, allow_changes=False, doubt=doubt)
    assert (seen.outgrown, seen.suspicious) == (("t::a",), ())
    assert judged(run, seen) == (True, ())
    assert [kind for kind, _ in describe_differences(seen, allow_changes=False)] == ["tests_outgrown"]


@pytest.mark.parametrize(
    ("key", "material", "changed"),
    [
        ("src/a.test.js::adds", ("src/a.test.js",), True),
        ("src/a.test.js::adds", ("src/b.test.js",), False),
        ("src/a.test.js::adds", ("jest.config.js",), True),
        ("src/a.test.js::adds", ("__tests__/helpers.js",), True),
        ("pkg/cart::TestAdds", ("pkg/cart/cart_test.go",), True),  # Go does not say which file
        ("src/a.test.js::adds", (), False),
    ],
)
def test_without_digests_the_files_say_what_changed(key: str, material: tuple[str, ...], changed: bool) -> None:
    seen = compare_runs(
        first({key: "failed"}), ran({key: "passed"}), allow_changes=False, doubt=MaterialDoubt(material)
    )
    assert (seen.changed, seen.suspicious) == ((key,) * changed, (key,) * changed)


def test_only_tests_that_failed_and_pass_now_are_worth_another_run() -> None:
    baseline = first({"t::a": "failed", "t::b": "failed", "t::c": "passed", "m.py": "failed", "n.py": "failed"})
    now: dict[str, TestStatus] = {
        "t::a": "passed", "t::b": "failed", "t::c": "passed", "t::d": "passed", "m.py::x": "passed",
        "n.py::x": "failed",
    }  # fmt: skip
    assert list_repaired(baseline, ran(now)) == ("t::a", "m.py")


def test_every_difference_is_told_once() -> None:
    seen = Comparison(
        vanished=("a",), newly_skipped=("b",), changed=("c", "d", "e"), suspicious=("c",), outgrown=("d",)
    )
    assert describe_differences(seen, allow_changes=False) == (
        ("tests_vanished", "1 test of the first run missing: a"),
        ("tests_skipped", "1 test skipped that ran in the first run: b"),
        ("tests_suspicious", "1 test passing only since the tests were changed: c"),
        ("tests_outgrown", "1 test passing only in the changed version, no longer in the first: d"),
        ("tests_changed", "1 test changed since the first run: e"),
    )
    assert describe_differences(Comparison(), allow_changes=False) == ()


def test_a_run_under_which_files_changed_proves_nothing() -> None:
    passed, reasons = judge_run(
        ran({"t::a": "passed"}), Comparison(), require="all", min_pass_rate=100, min_coverage=0, loose=("app.py",)
    )
    assert not passed
    assert reasons == ("1 of the project's files changed while the tests ran: app.py",)


@each(
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
            "passing only since the tests were changed: t::x",
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
    passed, reasons = judged(run, compare_runs(first(before), run, allow_changes=False))
    assert passed == (not reasons)
    if passed:
        assert "passed" in now.values()
        assert "failed" not in now.values()
        assert all(key in now for key in before)
        assert all(now[key] == "passed" or before[key] == "skipped" for key in before)


@given(statuses=RUNS)
def test_a_run_differs_in_nothing_from_itself(statuses: dict[str, TestStatus]) -> None:
    assert compare_runs(first(statuses), ran(statuses), allow_changes=False) == Comparison()


@each(
    ("first_from_files", "from_files", "believed"),
    [(False, True, False), (False, False, True), (True, True, True), (None, True, True)],
)
def test_reports_are_not_believed_where_a_framework_spoke(
    first_from_files: bool | None, from_files: bool, believed: bool
) -> None:
    baseline = first({"t::a": "failed"}).evolve(from_files=first_from_files)
    run = ran({"t::a": "passed"}).evolve(from_files=from_files)
    assert (believe(run, baseline) == run) is believed
    assert believed or believe(run, baseline).trouble == "unparsable"


def test_tests_count_as_committed_where_they_differ() -> None:
    here = ran({"t::a": "passed", "t::same": "passed", "t::new": "failed"}, sources={"t::a": "2", "t::same": "1"})
    there = ran({"t::a": "failed", "t::same": "failed", "t::gone": "passed"}, sources={"t::a": "1", "t::same": "1"})
    found = count_as_committed(baseline_of(here, "tree", AT), there, here, (), "commit")
    assert {key: test.status for key, test in found.tests.items()} == {
        "t::a": "failed", "t::same": "passed", "t::new": "failed", "t::gone": "passed",
    }  # fmt: skip
    assert found.committed is not None
    assert found.committed.tests == ("t::a", "t::gone")
