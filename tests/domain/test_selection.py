"""A run of selected tests refutes work, and never proves it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.state import Baseline, BaselineTest, Require
from loopwright.evidence.selection import WORTH_SELECTING, limit_selected, merge_runs, refutes, select_tests
from loopwright.evidence.testing import LEAST, TIMES, RunTrouble, TestLimits, TestResult, TestRun, TestStatus

KEYS = tuple(f"tests/test_{file}.py::test_{n}" for file in "abcd" for n in range(3))
STATUS = st.sampled_from(("passed", "passed", "passed", "failed", "skipped"))
STATUSES = st.dictionaries(st.sampled_from(KEYS), STATUS, min_size=1)
TROUBLES = st.sampled_from((None, None, None, "crashed", "timeout", "no_tests"))


def run_of(statuses: dict[str, TestStatus], seconds: float = 60, trouble: RunTrouble | None = None) -> TestRun:
    results = tuple(
        TestResult(suite=suite, test_name=name, status=status, duration_ms=seconds * 1000 / len(statuses))
        for key, status in statuses.items()
        for suite, name in [key.split("::")]
    )
    return TestRun(
        command="t", runner="pytest", results=results, exit_code=0, duration_ms=seconds * 1000, trouble=trouble
    )


@settings(max_examples=200)
@given(STATUSES, STATUSES, STATUSES, st.sets(st.sampled_from("abcd")), TROUBLES, st.sampled_from(("all", "no_new")))
def test_work_is_refuted_only_by_a_selected_test_that_fails(
    before: dict[str, TestStatus],
    now: dict[str, TestStatus],
    first: dict[str, TestStatus],
    changed: set[str],
    trouble: RunTrouble | None,
    require: Require,
) -> None:
    whole = run_of(before)
    selected = select_tests(whole, {f"tests/test_{file}.py" for file in changed})
    assert set(selected) <= set(before)
    assert not selected or {*whole.failed} <= {*selected}
    run = run_of({key: now[key] for key in selected if key in now} or {"x::y": "passed"}, trouble=trouble)
    baseline = Baseline(
        tree="t", at="2026-01-01T00:00:00Z", tests={key: BaselineTest(status=was) for key, was in first.items()}
    )
    merged = merge_runs(whole, run, selected)
    assert {result.key for result in merged.results} == {*before} - {*selected} | {result.key for result in run.results}
    if refutes(merged, selected, baseline, require):
        assert trouble is None
        failing = {key for key in selected if now.get(key) == "failed"}  # and not only the last time
        assert failing & set(merged.failed)
        assert require == "all" or any(first.get(key) != "failed" for key in failing)


@given(STATUSES, st.floats(0, WORTH_SELECTING, exclude_max=True), TROUBLES)
def test_all_are_run_where_that_is_quick_or_nobody_knows_what_they_say(
    before: dict[str, TestStatus], seconds: float, trouble: RunTrouble | None
) -> None:
    assert select_tests(run_of(before, seconds), ()) == ()
    assert trouble is None or select_tests(run_of(before, trouble=trouble), ()) == ()
    assert select_tests(run_of(before).evolve(exit_code=None), ()) == ()


def test_a_slow_test_has_the_time_it_has_beside_all_others() -> None:
    whole = run_of(dict.fromkeys(KEYS, "failed"), seconds=1200)
    slow, known = KEYS[:2]
    limits = limit_selected(TestLimits(known={known: 25}), whole, (slow, known))
    assert [round(limits.of(key, others=0)) for key in (slow, known, "another")] == [TIMES * 1200, 25, LEAST]
    assert limit_selected(TestLimits(5), whole, (slow,)).of(slow, others=0) == 5


def test_tests_that_import_what_changed_come_first_where_they_are_few() -> None:
    imports = {
        "tests/test_a.py": ("shop/cart.py",),
        "shop/cart.py": ("shop/rates.py",),
        "shop/rates.py": ("shop/cart.py",),
        "tests/test_b.py": ("shop/page.py",),
    }
    whole = run_of(dict.fromkeys(KEYS, "passed")).evolve(imports=imports)
    assert select_tests(whole, ["shop/rates.py"]) == KEYS[:3]
    assert select_tests(whole, ["shop/rates.py", "shop/page.py"]) == ()
    assert select_tests(whole, ["docs/index.md"]) == ()
    everywhere = {f"tests/test_{file}.py": ("shop/cart.py",) for file in "abcd"}
    assert select_tests(whole.evolve(imports=everywhere), ["shop/cart.py", "tests/test_d.py"]) == KEYS[9:]
