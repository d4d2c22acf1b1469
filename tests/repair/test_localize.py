"""Suspicion: the measure, the ranking, and who is heard."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.baseline import Baseline, select_failing
from loopwright.repair.executor import select_guards
from loopwright.repair.facts import FailureFacts
from loopwright.repair.fork_server import CollectedProject
from loopwright.repair.localize import Spectrum, ochiai, rank_statements, select_leading
from loopwright.repair.session import ItemOutcome, Status
from loopwright.repair.source import SourceText
from loopwright.repair.tree import is_test_file

counts = st.integers(0, 50)


@given(counts, counts, counts)
def test_ochiai_is_a_share_and_grows_with_failing_tests(failing: int, passing: int, others: int) -> None:
    value = ochiai(failing, passing, failing + others)
    assert 0 <= value <= 1 + 1e-9
    assert ochiai(failing + 1, passing, failing + 1 + others) >= value
    assert ochiai(failing, passing + 1, failing + others) <= value


def test_ochiai_at_its_ends() -> None:
    assert ochiai(3, 0, 3) == 1
    assert ochiai(0, 9, 3) == 0
    assert math.isclose(ochiai(1, 1, 2), 0.5)


SHOP = """def price(n):
    if n > 9:
        return n * 2
    return n * 3


def count(n):
    return len(n)


def unused(n):
    return n
"""


Ran = tuple[Status, set[int]]


def spectrum(*ran: Ran, frames: dict[int, int] | None = None) -> Spectrum:
    lines = frames or {}
    outcomes = [ItemOutcome(status, frames=[("shop.py", lines.get(n, 0), "f")]) for n, (status, _) in enumerate(ran)]
    return Spectrum(
        outcomes=outcomes,
        lines={n: frozenset(("shop.py", line) for line in lines) for n, (_, lines) in enumerate(ran)},
        failing=frozenset(n for n, (status, _) in enumerate(ran) if status == "failed"),
        passing=frozenset(n for n, (status, _) in enumerate(ran) if status == "passed"),
    )


def test_lines_that_only_failing_tests_ran_come_first() -> None:
    found = rank_statements(
        spectrum(("failed", {2, 3}), ("passed", {2, 4}), ("passed", {8})), {"shop.py": SourceText("shop.py", SHOP)}
    )
    assert [(one.func, one.line) for one in found] == [("price", 3), ("price", 2), ("price", 1)]
    assert found[0].point == "shop.py:price:3"
    assert (found[0].failing, found[0].passing) == (frozenset({0}), frozenset())


def test_two_independent_faults_are_both_near_the_top() -> None:
    ran: list[Ran] = [("failed", {2, 3}), ("failed", {8}), ("passed", {2, 4}), ("passed", {2, 4})]
    found = select_leading(rank_statements(spectrum(*ran), {"shop.py": SourceText("shop.py", SHOP)}), 2)
    assert {one.line for one in found} == {3, 8}


def test_the_line_that_raised_is_more_suspicious() -> None:
    ran: list[Ran] = [("failed", {2, 4}), ("passed", {2, 4})]
    found = rank_statements(spectrum(*ran, frames={0: 4}), {"shop.py": SourceText("shop.py", SHOP)})
    assert found[0].line == 4


def test_what_was_changed_last_comes_before_what_is_as_suspicious() -> None:
    ran: list[Ran] = [("failed", {2, 3, 8}), ("passed", {2, 3, 8})]
    sources = {"shop.py": SourceText("shop.py", SHOP)}
    found = rank_statements(spectrum(*ran), sources, [("shop.py", 8), ("gone.py", 3)])
    assert (found[0].line, found[0].changed) == (8, True)
    assert not any(one.changed for one in found[1:])
    everything = rank_statements(spectrum(*ran), sources, [("shop.py", line) for line in range(1, 12)])
    assert [one.score for one in everything] == [one.score for one in rank_statements(spectrum(*ran), sources)]


def test_nothing_is_suspected_without_failures() -> None:
    assert rank_statements(spectrum(("passed", {2, 4, 8})), {"shop.py": SourceText("shop.py", SHOP)}) == []


def test_tests_are_never_suspected() -> None:
    tests = ["tests/a.py", "test_a.py", "src/pkg/test/x.py", "pkg/a_test.py", "conftest.py", "setup.py", "pkg/tests.py"]
    assert all(map(is_test_file, tests))
    assert not any(map(is_test_file, ["src/pkg/a.py", "testing.py", "contest.py", "latest/a.py"]))


KEYS = [
    "t/test_a.py::test_one", "t/test_a.py::TestB::test_two[1]", "t/test_a.py::TestB::test_two[2]",
    "t/test_ab.py::test_x",
]  # fmt: skip


@pytest.mark.parametrize(
    ("failing", "numbers"),
    [
        ([], [0, 1, 2, 3]),
        (["t/test_a.py::TestB::test_two[2]"], [2]),
        (["t/test_a.py::TestB::test_two"], [1, 2]),
        (["t/test_a.py::TestB"], [1, 2]),
        (["t/test_a.py"], [0, 1, 2]),
        (["tests.test_ab.test_x"], [3]),
        (["t/test_a.py::test_on"], []),
    ],
)
def test_tests_are_named_whole_by_their_file_or_by_their_class(failing: list[str], numbers: list[int]) -> None:
    assert select_failing(KEYS, failing) == numbers


def test_one_slow_test_does_not_keep_others_from_guarding() -> None:
    source = SourceText("shop.py", SHOP)
    measured = spectrum(("failed", {2, 3}), ("passed", {2, 4}), ("passed", {2, 3}), ("passed", {8}))
    measured.outcomes[1].seconds = 99.0
    for one in measured.outcomes[2:]:
        one.seconds = 0.5
    project = CollectedProject([], "pytest", "/", False)
    keys = ["test_shop.py::a", "test_shop.py::b", "test_else.py::c", "test_else.py::d"]
    baseline = Baseline(project, keys, measured, FailureFacts(), {"shop.py": source}, frozenset())
    places = rank_statements(measured, {"shop.py": source})
    assert select_guards(baseline, places, 1.0) == {2}
    assert select_guards(baseline, places, 100.0) == {1, 2}
    assert select_guards(baseline, places, 0.1) == frozenset()


def ended(error: str, *frames: tuple[str, int]) -> ItemOutcome:
    return ItemOutcome("failed", error=error, frames=[(file, line, "f") for file, line in frames])


def test_tests_that_end_alike_at_the_same_line_of_the_project_are_mates() -> None:
    outcomes = [
        ended("KeyError", ("tests/test_shop.py", 3), ("shop.py", 2), ("", 90)),
        ended("KeyError", ("tests/test_shop.py", 8), ("till.py", 5), ("shop.py", 2)),
        ended("TypeError", ("tests/test_shop.py", 9), ("shop.py", 2)),
        ended("KeyError", ("tests/test_shop.py", 9), ("shop.py", 4)),
        ended("AssertionError", ("tests/test_shop.py", 9)),
        ended("AssertionError", ("tests/test_shop.py", 9)),
        ended("TimeUp", ("shop.py", 2)),
        ended("TimeUp", ("shop.py", 2)),
    ]
    found = Spectrum(outcomes=outcomes, lines={}, failing=frozenset(range(8)), passing=frozenset())
    assert [sorted(found.mates(frozenset({n}))) for n in range(8)] == [[0, 1], [0, 1], [2], [3], [], [], [], []]
