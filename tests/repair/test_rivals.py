"""A patch found by the real debugger is told as what it is: the only one, one of several alike, or a plausible one."""

from pathlib import Path

from loopwright.evidence.rivals import apply_diff, difference_words
from tests.repair.asking import search

COUNTER = """def count_failures(names, limit):
    failures = {}
    for name in names:
        failures[name] = failures.get(name, 0) + 2
    return {name: count for name, count in failures.items() if count >= limit}
"""
WEAK = """from counter import count_failures


def test_once():
    assert count_failures(["a"], 1) == {"a": 1}
"""
SIEVE = """def primes(limit):
    found = []
    for n in range(2, limit + 1):
        if any(n % p > 0 for p in found):
            found.append(n)
    return found
"""
SIEVED = """import pytest
from sieve import primes


@pytest.mark.parametrize(
    ("limit", "expected"), [(1, []), (2, [2]), (4, [2, 3]), (7, [2, 3, 5, 7]), (20, [2, 3, 5, 7, 11, 13, 17, 19])]
)
def test_primes(limit, expected):
    assert primes(limit) == expected
"""


def test_edits_that_the_tests_can_not_tell_apart_are_told_with_the_call_that_can(tmp_path: Path) -> None:
    found = search(tmp_path, {"counter.py": COUNTER, "test_counter.py": WEAK})
    assert found.patch is not None, found.note
    comparison = found.comparison
    assert comparison is not None
    assert comparison.differing > 0, found.note
    assert comparison.tried == found.candidates
    assert comparison.passing > comparison.differing
    cause = next(one for one in found.hypotheses if one.id == found.patch.hypothesis)
    assert "plausibly wrong" in cause.description
    assert (cause.verdict_reason or "").startswith(f"plausible, one of {comparison.passing}: ")
    assert len(comparison.rivals) == len(found.rivals) >= 1
    for rival, patch in zip(comparison.rivals, found.rivals, strict=True):
        assert apply_diff(rival.diff, COUNTER) == patch.new_text
        assert patch.fixes == found.patch.fixes
        words = difference_words(comparison, rival)
        call = words[: words.index(") ") + 1]
        given = [_given(text, call) for text in (found.patch.new_text, patch.new_text)]
        assert given[0] != given[1], f"what is told of {call} is so"
        assert words == f"{call} {given[0]} with the patch, {given[1]} with this instead"


def test_an_edit_without_others_is_told_as_the_only_one(tmp_path: Path) -> None:
    found = search(tmp_path, {"sieve.py": SIEVE, "test_sieve.py": SIEVED})
    assert found.comparison is not None, found.note
    assert (found.comparison.passing, found.rivals) == (1, ())
    cause = next(one for one in found.hypotheses if found.patch and one.id == found.patch.hypothesis)
    assert cause.status == "confirmed"
    assert (cause.verdict_reason or "").endswith(f"the only one of {found.candidates} edits that passes")


def test_edits_that_behave_alike_are_counted(tmp_path: Path) -> None:
    program = "def larger(a, b):\n    if a < b:\n        return a\n    return b\n"
    tests = (
        "import pytest\nfrom larger import larger\n\n\n"
        "@pytest.mark.parametrize(('a', 'b', 'c'), [(1, 2, 2), (2, 1, 2), (3, 3, 3), (-1, 0, 0), (5, -5, 5)])\n"
        "def test_larger(a, b, c):\n    assert larger(a, b) == c\n"
    )
    found = search(tmp_path, {"larger.py": program, "test_larger.py": tests})
    assert found.comparison is not None, found.note
    assert found.comparison.passing > 1
    assert (found.comparison.differing, found.rivals) == (0, ())
    assert "alike in what was compared" in found.note


def _given(program: str, call: str) -> str:
    names: dict[str, object] = {}
    exec(program, names)
    try:
        return f"gives {eval(call, names)!r}"
    except Exception as error:  # noqa: BLE001 - whatever it raises is what it does
        return f"raises {type(error).__name__}"
