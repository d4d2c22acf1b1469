"""Which goals a green project has reached already."""

import pytest

from loopwright.evidence.goals import asks_only_for_green_tests, is_reached_by_green_tests


@pytest.mark.parametrize(
    "goal",
    [
        "Make the tests pass",
        "make all failing tests pass again.",
        "Fix the tests",
        "Get tests green",
        "repair the suite!",
        "修好测试",
        "请让所有测试通过",
    ],
)
def test_only_tests(goal: str) -> None:
    assert asks_only_for_green_tests(goal)


@pytest.mark.parametrize(
    "goal",
    [
        "Add a login page",
        "Make the tests pass and add a login page",
        "Fix the tests of the parser",
        "Write tests",
        "给导出命令加测试",
        "",
    ],
)
def test_more_than_tests(goal: str) -> None:
    assert not asks_only_for_green_tests(goal)


def test_what_shall_only_be_kept_needs_no_test_of_its_own() -> None:
    assert is_reached_by_green_tests("Make the tests pass and keep coverage.")
    assert not is_reached_by_green_tests("Make the tests pass, add a login page and keep coverage")
