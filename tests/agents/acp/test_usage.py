"""Tokens and costs, wherever they are told."""

from typing import Any

import pytest
from acp import schema
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.updates import add_usage, compute_turn_cost, count_usage, sum_turn_usage
from loopwright.core.protocol import Usage


def response(**more: Any) -> schema.PromptResponse:
    return schema.PromptResponse.model_validate({"stopReason": "end_turn", **more})


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ({"totalTokens": 2100, "inputTokens": 1600, "cachedReadTokens": 400, "outputTokens": 100, "thoughtTokens": 20},
         Usage(tokens=2100, input=2000, cached=400, output=100)),  # codex: without what was cached
        ({"totalTokens": 1050, "inputTokens": 800, "cachedReadTokens": 200, "outputTokens": 40, "thoughtTokens": 10},
         Usage(tokens=1050, input=1000, cached=200, output=50)),  # opencode: also without what was thought
        ({"totalTokens": 1050, "inputTokens": 1000, "cachedReadTokens": 200, "outputTokens": 50, "thoughtTokens": 10},
         Usage(tokens=1050, input=1000, cached=200, output=50)),  # qwen: with both
        ({"totalTokens": 5, "inputTokens": 1000, "outputTokens": 50}, Usage(tokens=5, input=1000, output=50)),
        ({"totalTokens": 0, "inputTokens": 0, "outputTokens": 0}, Usage()),
    ],
)  # fmt: skip
def test_in_the_answer(told: dict[str, int], usage: Usage) -> None:
    assert sum_turn_usage(response(usage=told), None, None) == usage


@pytest.mark.parametrize(
    ("models", "name"),
    [
        ([{"model": "a"}], "a"),
        ([{"model": "a"}, {"model": "a"}], "a"),
        ([{"model": "a"}, {"model": "b"}], None),
        ([{"model": 7}], None),
        (["a"], None),
        ([], None),
        ("a", None),
        (None, None),
    ],
)
def test_the_model_is_told_where_it_is_one(models: object, name: str | None) -> None:
    quota = {"token_count": {"input_tokens": 2, "output_tokens": 1}, "model_usage": models}
    assert sum_turn_usage(response(_meta={"quota": quota}), None, None) == Usage(
        tokens=3, input=2, output=1, model=name
    )


def test_the_answer_counts_more_than_what_was_told_on_the_way() -> None:
    metered = Usage(tokens=9, input=8, output=1)
    told = {"totalTokens": 3, "inputTokens": 2, "outputTokens": 1}
    assert sum_turn_usage(response(usage=told), metered, None).tokens == 3
    assert sum_turn_usage(response(), metered, None) == metered


def test_the_agents_own_record_counts_where_it_knows_of_more() -> None:
    told = {"totalTokens": 1050, "inputTokens": 1000, "outputTokens": 50}
    more = Usage(tokens=4200, input=4000, output=200)
    assert sum_turn_usage(response(usage=told), None, 0.5, more) == more.evolve(cost=0.5)
    for less in (None, Usage(), Usage(tokens=9, input=8, output=1)):
        assert sum_turn_usage(response(usage=told), None, None, less).tokens == 1050
    assert sum_turn_usage(None, None, None, more) == more


def test_requests_add_up_and_what_one_does_not_tell_is_not_known() -> None:
    whole = {"inputTokens": 10, "outputTokens": 5, "cachedReadTokens": 2, "totalTokens": 15}
    one = add_usage(None, count_usage(whole))
    assert add_usage(one, one) == Usage(tokens=30, input=20, cached=4, output=10)
    less = count_usage({"inputTokens": 1, "outputTokens": 1})
    assert add_usage(one, less) == Usage(tokens=17, input=11, cached=None, output=6)
    assert add_usage(one, count_usage({"inputTokens": "many"})) == Usage()


@pytest.mark.parametrize(
    ("before", "now", "cost"),
    [
        (None, None, None),
        (None, (0.25, "USD"), 0.25),
        ((0.25, "USD"), (1.0, "usd"), 0.75),
        ((0.25, "USD"), (0.25, "USD"), 0.0),
        ((2.0, "USD"), (0.5, "USD"), 0.5),
        (None, (1.0, "EUR"), None),
    ],
)
def test_the_cost_of_a_turn(
    before: tuple[float, str] | None, now: tuple[float, str] | None, cost: float | None
) -> None:
    def told(given: tuple[float, str] | None) -> schema.Cost | None:
        return None if given is None else schema.Cost(amount=given[0], currency=given[1])

    assert compute_turn_cost(told(before), told(now)) == cost


NUMBERS = st.integers(0, 10**6) | st.integers() | st.floats() | st.booleans() | st.none() | st.text(max_size=3)
NAMES = st.sampled_from(
    ["inputTokens", "outputTokens", "cachedReadTokens", "thoughtTokens", "totalTokens", "input_tokens"]
)


@given(st.dictionaries(NAMES, NUMBERS), st.dictionaries(NAMES, NUMBERS))
def test_nothing_that_is_told_breaks_it(one: dict[str, object], other: dict[str, object]) -> None:
    whole = add_usage(add_usage(None, count_usage(one)), count_usage(other))
    assert all(value is None or value >= 0 for value in (whole.tokens, whole.input, whole.cached, whole.output))
    sum_turn_usage(response(_meta={"quota": {"token_count": one, "model_usage": [other]}}), whole, None)
