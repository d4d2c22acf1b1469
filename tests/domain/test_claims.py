"""What agents say: which words claim something, and which claims nothing measured bears out."""

import pytest

from loopwright.core.names import ActionName
from loopwright.core.protocol import ActionReport
from loopwright.evidence.verdict import claims_green_tests, quote_words, refused_updates, unmeasured_files
from tests.tables import each


def report(message: str = "", **fields: object) -> ActionReport:
    return ActionReport.model_validate({"action": "DEVELOP", "status": "success", "message": message, **fields})


@each(
    ("message", "claims"),
    [
        ("All tests pass.", True),
        ("all 12 tests are passing now", True),
        ("The test suite: 14 passed tests", True),
        ("Fixed add; tests are green", True),
        ("Everything is done, all green", True),
        ("Fixed add", False),
        ("2 tests still fail", False),
        ("I could not make the tests pass", False),
        ("The tests should pass once the database is there", False),
        ("The tests don't pass", False),
        ("Tests were added; the passing grade is computed", False),
        ("", False),
    ],
)
def test_who_claims_that_tests_pass(message: str, claims: bool) -> None:
    assert claims_green_tests(report(message)) is claims


@pytest.mark.parametrize(
    ("named", "changed", "untrue"),
    [
        (["app.py"], ["app.py"], ""),
        (["./app.py", "/p/lib/a.py"], ["app.py", "lib/a.py"], ""),
        (["lib/"], ["lib/a.py"], ""),
        (["app.py"], [], "app.py"),
        (["app.py", "b.py"], ["app.py"], "b.py"),
        (["/elsewhere/a.py", "../a.py", "~/a.py", ".workflow/x.md"], [], ""),
        (["path"], [], ""),  # the contract's own example
    ],
)
def test_files_that_are_named_and_did_not_change(named: list[str], changed: list[str], untrue: str) -> None:
    words = unmeasured_files("DEVELOP", report(files_updated=dict.fromkeys(named, "x")), "/p", changed)
    assert words == (f"DEVELOP said that it changed {untrue}; no change was measured there" if untrue else None)


@pytest.mark.parametrize(
    ("action", "updates", "refused"),
    [
        ("INIT", {"tasks": []}, ""),
        ("INIT", {"tasks": [], "status": "completed"}, "status"),
        ("DEBUG", {"active_bug": "x", "hypotheses": []}, ""),
        ("DEBUG", {"confirmed_hypothesis": "H1"}, "confirmed_hypothesis"),
        ("DEVELOP", {}, ""),
        ("DEVELOP", {"tasks": []}, "tasks"),
    ],
)
def test_state_updates_that_are_refused(action: ActionName, updates: dict[str, object], refused: str) -> None:
    words = refused_updates(action, report(state_updates=updates))
    assert (words is None) is (refused == "")
    assert refused in (words or "")


def test_words_and_lists_are_cut_to_a_line() -> None:
    assert quote_words("a\n\nb") == "“a b”"
    assert len(quote_words("long " * 1000)) < 200
    words = unmeasured_files("DEBUG", report(files_updated={f"f{n}" * 500: "" for n in range(99)}), "/p", ())
    assert words is not None
    assert len(words) < 1200
    assert "94 more" in words
