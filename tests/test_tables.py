"""Tables in one test: every case runs, and one that fails is named."""

import inspect

import pytest

from tests.tables import NAMED, each


def test_every_case_runs_and_fixtures_are_still_asked_for() -> None:
    seen: list[object] = []

    @each(("a", "b"), [(1, "x"), (2, "y")])
    @each("c", [True, False])
    def case(a: int, b: str, c: bool, tmp_path: str) -> None:
        seen.append((a, b, c, tmp_path))

    assert list(inspect.signature(case).parameters) == ["tmp_path"]
    case(tmp_path="p")
    assert seen == [(1, "x", True, "p"), (1, "x", False, "p"), (2, "y", True, "p"), (2, "y", False, "p")]


class TestAsAMethod:
    @each("number", [1, 2])
    def test_it_has_itself(self, number: int) -> None:
        assert isinstance(self, TestAsAMethod)
        assert number


def test_a_case_that_fails_is_named_and_so_are_the_others() -> None:
    @each("number", range(NAMED + 5))
    def case(number: int) -> None:
        if number == 2:
            with pytest.raises(ValueError):
                pass
        assert number < 2

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE") as caught:
        case()
    notes = caught.value.__notes__
    assert notes[:2] == ["in the case number=2", "and in the case number=3"]
    assert notes[-1] == "and 2 more"


def test_what_ends_the_run_ends_it() -> None:
    seen: list[int] = []

    @each("number", [1, 2])
    def case(number: int) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        case()
    assert seen == [1]


@pytest.mark.parametrize(("names", "cases"), [("number", []), ("other", [1]), (("number", "x"), [(1,)])])
def test_a_table_that_can_prove_nothing_is_refused(names: str, cases: list[object]) -> None:
    def case(number: int) -> None: ...

    with pytest.raises((AssertionError, ValueError)):
        each(names, cases)(case)
