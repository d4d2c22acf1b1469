"""Names of which one is a slip of the other, and names that only belong together."""

import pytest

from loopwright.tune.reading.words.twins import head, twin


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("map-checker", "map-strict-checker"), ("goal-json", "claude-goal-json"), ("doc-writer", "writer"),
        ("run_team_await", "run_team_wait"), ("Map_Strict_Checker", "map-strict-checker"),
    ],
)  # fmt: skip
def test_a_part_more_or_less_or_spelled_alike_is_a_slip(name: str, meant: str) -> None:
    assert twin(name, ["other-name", meant]) == meant


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("executor-high", "executor"), ("run_team_start", "run_team_wait"), ("phase-1", "phase-2"),
        ("event_unsubscribe", "event_subscribe"), ("one-two-three", "one"), ("same", "same"),
    ],
)  # fmt: skip
def test_degrees_steps_and_opposites_are_none(name: str, other: str) -> None:
    assert twin(name, [other]) is None


def test_of_two_that_may_be_meant_none_is() -> None:
    assert twin("map-checker", ["map-strict-checker", "map-checkers"]) is None


def test_the_head_of_a_name_is_behind_the_plugin() -> None:
    assert head("tools:security-reviewer") == "security"
    assert head("writer") == ""
