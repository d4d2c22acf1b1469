"""Which goals a green project has reached already."""

import pytest

from loopwright.domain.goals import asks_only_for_green_tests


@pytest.mark.parametrize(
    "goal",
    [
        "Make the tests pass",
        "make all failing tests pass again.",
        "Fix the tests",
        "Get tests green",
        "repair the suite!",
        "Make the tests pass and keep coverage",
    ],
)
def test_only_tests(goal: str) -> None:
    assert asks_only_for_green_tests(goal)


@pytest.mark.parametrize(
    "goal",
    ["Add a login page", "Make the tests pass and add a login page", "Fix the tests of the parser", "Write tests", ""],
)
def test_more_than_tests(goal: str) -> None:
    assert not asks_only_for_green_tests(goal)
