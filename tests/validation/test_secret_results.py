"""Tests keep names of their own where secrets stand in them, and are found again by these."""

from loopwright.core.ports import TestOrder
from loopwright.evidence.secret_results import ResultFilter
from loopwright.evidence.testing import TestLimits, TestResult, TestRun
from loopwright.policy.secrets import SecretFilter

KEYS = ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLF")
REAL = tuple(f"t.py::test_it[{key}]" for key in KEYS)
SHOWN = ("t.py::test_it[‹masked AWS key›]", "t.py::test_it[‹masked AWS key›] (2)")


def run(*keys: str) -> TestRun:
    results = tuple(
        TestResult(test_name=f"test_it[{key}]", suite="t.py", status="failed", error_message=f"no {key}")
        for key in keys
    )
    return TestRun(command="pytest", runner="pytest", results=results, sources=dict.fromkeys(REAL, "digest"))


def test_two_tests_do_not_become_one() -> None:
    told = ResultFilter(SecretFilter()).masked(run(*reversed(KEYS)))
    assert told.failed == (SHOWN[1], SHOWN[0])
    assert told.sources == dict.fromkeys(SHOWN, "digest")
    assert not any(key in told.model_dump_json() for key in KEYS)


def test_they_are_asked_for_by_the_names_they_were_given() -> None:
    results = ResultFilter(SecretFilter())
    results.masked(run(*KEYS))
    asked = TestOrder("pytest", 9, "loop-a", only=SHOWN, limits=TestLimits(known={SHOWN[1]: 3.0}))
    assert results.real(asked).only == REAL
    assert results.real(asked).limits.known == {REAL[1]: 3.0}
    assert results.masked(run(KEYS[1])).failed == (SHOWN[1],)
    assert results.masked_answer({"failing": list(REAL), "new_text": KEYS[0]}) == {
        "failing": list(SHOWN),
        "new_text": KEYS[0],
    }


def test_a_name_from_an_earlier_process_asks_for_all() -> None:
    assert ResultFilter(SecretFilter()).real(TestOrder("pytest", 9, "loop-a", only=("other", SHOWN[0]))).only == ()
