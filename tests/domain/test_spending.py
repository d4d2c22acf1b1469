"""What turns cost, added up."""

from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.protocol import Usage
from loopwright.core.spending import (
    SpentTotal,
    TurnUsage,
    UsageLedger,
    add_known,
    merge_usage,
    sum_of,
    sum_turns,
    tokens_of,
)
from loopwright.core.state import ModelUsage


def test_unknown_is_not_zero() -> None:
    assert sum_of([]) == sum_of([Usage(), Usage()]) == Usage()
    assert sum_of([Usage(tokens=5), Usage(cost=0.5)]) == Usage(tokens=5, cost=0.5)
    assert sum_of([Usage(tokens=0, cost=0.0), Usage()]) == Usage(tokens=0, cost=0.0)


def test_tokens_are_both_ways_where_only_these_are_told() -> None:
    assert tokens_of(Usage(input=100, cached=60, output=10)) == 110
    assert tokens_of(Usage(tokens=7, input=100, output=10)) == 7
    assert tokens_of(Usage(output=10)) == 10
    assert tokens_of(Usage()) is None


def test_a_turn_counts_once_with_what_was_heard_of_it_last() -> None:
    ledger = UsageLedger()
    ledger.begin("codex")
    ledger.heard(Usage(tokens=5), done=False)
    ledger.heard(Usage(tokens=9), done=False)
    ledger.begin("codex")
    ledger.heard(Usage(tokens=1), done=False)
    ledger.heard(Usage(), done=True)
    assert ledger.take() == (TurnUsage("codex", Usage(tokens=9)), TurnUsage("codex", Usage(tokens=1), done=True))
    assert ledger.take() == ()


def test_a_cost_is_what_the_agent_says_else_its_price_else_unknown() -> None:
    turns = (
        TurnUsage("codex", Usage(tokens=5, cost=0.5, model="dear"), done=True),
        TurnUsage("qwen", Usage(tokens=5, model="dear"), done=True),
        TurnUsage("gemini", Usage(tokens=5), done=True),
        TurnUsage("bash", Usage(), done=True),
        TurnUsage("gemini", Usage(), done=True),
        TurnUsage("goose", Usage(tokens=5)),
    )
    total = sum_turns(turns, lambda u: 2.0 if u.model == "dear" else None, lambda agent: agent != "bash")
    by_model = (
        ModelUsage(agent="codex", model="dear", turns=1, tokens=5, cost=0.5),
        ModelUsage(agent="qwen", model="dear", turns=1, tokens=5, cost=2.0),
    )
    assert total == SpentTotal(Usage(tokens=20, cost=2.5, by_model=by_model), ("gemini",))
    assert merge_usage((*by_model, by_model[0].evolve(cost=None, tokens=2))) == (
        by_model[0].evolve(turns=2, tokens=7), by_model[1],
    )  # fmt: skip


NUMBERS = st.none() | st.integers(0, 10**9)


@given(st.lists(NUMBERS))
def test_a_sum_is_known_as_soon_as_one_part_is(parts: list[int | None]) -> None:
    total: int | None = None
    for part in parts:
        total = add_known(total, part)
    known = [part for part in parts if part is not None]
    assert total == (sum(known) if known else None)
