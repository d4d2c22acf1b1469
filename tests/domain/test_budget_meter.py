"""A budget while turns are under way."""

import pytest

from loopwright.core.protocol import Usage
from loopwright.core.spending import BudgetMeter, BudgetSign
from loopwright.core.state import Budget


class Metered:
    """A run's account, and a clock that a test turns."""

    def __init__(self, **budget: float) -> None:
        self.budget, self.now = Budget.model_validate(budget), 100.0
        self.held: list[str] = []
        self.meter = BudgetMeter(
            lambda: self.budget, self.held.append, lambda usage: (usage.tokens or 0) / 1000, lambda: self.now
        )
        self.ledger = self.meter.open_ledger()
        self.ledger.begin("codex")

    async def look(self, tokens: int | None = None, *, done: bool = False) -> BudgetSign | None:
        if tokens is not None:
            self.ledger.heard(Usage(tokens=tokens), done=done)
        return await self.meter.sign()


async def test_without_a_limit_nothing_is_said() -> None:
    run = Metered()
    run.now += 1e6
    assert await run.look(10**9) is None


async def test_the_time_of_a_turn_counts_before_its_step_has_ended() -> None:
    run = Metered(max_minutes=10, spent_seconds=300)
    assert await run.look() is None
    run.now += 239
    assert await run.look() is None
    run.now += 1
    assert await run.look() == ("time budget of 10 minutes", False)
    run.now += 60
    assert await run.look() == ("time budget of 10 minutes", True)
    run.budget = run.budget.evolve(spent_seconds=400)  # its step has ended
    assert await run.look() is None
    assert run.meter.seconds_left() == 200


async def test_some_requests_are_left_for_wrapping_up() -> None:
    run = Metered(max_tokens=7000, tokens=1000)
    signs = [await run.look(tokens) for tokens in (1000, 2000, 2999, 3000, 5999, 6000)]
    assert [sign and sign.used_up for sign in signs] == [None, None, None, False, False, True]


@pytest.mark.parametrize("limit", [{"max_tokens": 3000}, {"max_cost": 3}])
async def test_what_runs_side_by_side_is_counted_together(limit: dict[str, float]) -> None:
    run = Metered(**limit)
    other = run.meter.open_ledger()
    other.begin("gemini")
    other.heard(Usage(tokens=1500), done=True)
    assert (await run.look(1400) is not None) is ("max_tokens" in limit)  # a request's price is not known before
    assert await run.look(1500) == (words_of(limit), True)
    other.take()  # it is in the account now
    run.budget = run.budget.evolve(tokens=1500, cost=1.5)
    assert (await run.look(1500)) == (words_of(limit), True)


def words_of(limit: dict[str, float]) -> str:
    return "budget of 3,000 tokens" if "max_tokens" in limit else "budget of 3 US dollars"
