"""What turns cost, added up: unknown stays unknown, which is not zero; and whether a run can still afford them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from loopwright.core.protocol import Usage
from loopwright.core.state import Budget, ModelUsage
from loopwright.core.threads import run_in_thread

N = TypeVar("N", int, float)

NOTHING_KNOWN = Usage()


class TurnUsage(NamedTuple):
    """One turn's agent, and its usage as last heard; `done`: it came to its end, and nothing more will be heard."""

    agent: str
    usage: Usage
    done: bool = False


class SpentTotal(NamedTuple):
    """What turns cost, and the agents among them of which the cost is not known."""

    usage: Usage
    unpriced: tuple[str, ...]


@dataclass
class UsageLedger:
    """The turns since it was last taken, ended or not: also a turn that fails has cost something.

    `step`: the most that was heard at once of the turn under way, about what another request costs.
    """

    turns: list[TurnUsage] = field(default_factory=list)
    step: Usage = NOTHING_KNOWN

    def begin(self, agent: str) -> None:
        self.turns.append(TurnUsage(agent, NOTHING_KNOWN))
        self.step = NOTHING_KNOWN

    def heard(self, usage: Usage, *, done: bool) -> None:
        """The usage of the turn under way as it stands now."""
        before = self.turns[-1].usage
        known = usage if usage != NOTHING_KNOWN else before
        self.step = Usage(
            tokens=max((tokens_of(known) or 0) - (tokens_of(before) or 0), self.step.tokens or 0),
            cost=max((known.cost or 0) - (before.cost or 0), self.step.cost or 0),
        )
        self.turns[-1] = self.turns[-1]._replace(usage=known, done=done)

    def cut_off(self) -> None:
        """A request of the turn was cancelled, and nobody tells what it cost: as much as the largest before it."""
        self.turns[-1] = self.turns[-1]._replace(usage=_plus(self.turns[-1].usage, self.step))

    def take(self) -> tuple[TurnUsage, ...]:
        """All turns; they are forgotten here."""
        taken = tuple(self.turns)
        self.turns.clear()
        return taken


def sum_turns(
    turns: Sequence[TurnUsage], price: Callable[[Usage], float | None], costs: Callable[[str], bool]
) -> SpentTotal:
    """The sum of the turns. `price`: of a turn whose agent does not tell its cost; `costs`: whether that agent has one.

    A turn that broke off is counted as far as it was heard of, and makes nothing unknown.
    """
    priced = [u if u.cost is not None else u.evolve(cost=price(u)) for u in (turn.usage for turn in turns)]
    unknown = [t.agent for t, u in zip(turns, priced, strict=True) if t.done and u.cost is None and costs(t.agent)]
    models = [model_usage(turn.agent, usage) for turn, usage in zip(turns, priced, strict=True)]
    total = sum_of(priced).evolve(by_model=merge_usage(model for model in models if model is not None))
    return SpentTotal(total, tuple(dict.fromkeys(unknown)))


def model_usage(agent: str, usage: Usage) -> ModelUsage | None:
    """Of one turn; None where its model is not known."""
    if usage.model is None:
        return None
    return ModelUsage(agent=agent, model=usage.model, turns=1, tokens=tokens_of(usage), cost=usage.cost)


def merge_usage(parts: Iterable[ModelUsage]) -> tuple[ModelUsage, ...]:
    """One for each agent and model, in the order in which they were first used."""
    merged: dict[tuple[str, str], ModelUsage] = {}
    for part in parts:
        known = merged.get((part.agent, part.model))
        merged[part.agent, part.model] = (
            part
            if known is None
            else known.evolve(
                turns=known.turns + part.turns,
                tokens=add_known(known.tokens, part.tokens),
                cost=add_known(known.cost, part.cost),
            )
        )
    return tuple(merged.values())


def _plus(usage: Usage, more: Usage) -> Usage:
    tokens, cost = add_known(tokens_of(usage), more.tokens), add_known(usage.cost, more.cost)
    return usage.evolve(tokens=tokens, cost=cost)


def tokens_of(usage: Usage) -> int | None:
    """All tokens, as told or as the sum of both ways."""
    return usage.tokens if usage.tokens is not None else add_known(usage.input, usage.output)


def sum_of(usages: Iterable[Usage]) -> Usage:
    """Tokens and cost of several turns; None where not one of them is known."""
    total = Usage()
    for usage in usages:
        total = total.evolve(
            tokens=add_known(total.tokens, tokens_of(usage)),
            cost=add_known(total.cost, usage.cost),
            by_model=merge_usage((*total.by_model, *usage.by_model)),
        )
    return total


def add_known(a: N | None, b: N | None) -> N | None:
    """The sum of what is known."""
    return a if b is None else b if a is None else a + b


class BudgetSign(NamedTuple):
    """What the budget says to a turn under way. `used_up`: it has to end; else there is room for wrapping up.

    `limit`: which, in words.
    """

    limit: str
    used_up: bool

    @property
    def words(self) -> str:
        return f"has {'' if self.used_up else 'almost '}used up the {self.limit}"


RESERVE = 0.1
"""Part of the time budget that is kept for wrapping up, at most `RESERVE_SECONDS`."""
RESERVE_SECONDS = 60.0
RESERVE_REQUESTS = 3
"""The one under way, the one to wrap up, and one that begins before that is seen to have ended."""


class SharedSpending(Protocol):
    """What runs with one budget have spent, each as it has told the others or as its account says, if that is more."""

    def others(self) -> Budget:
        """The sum of the others; its limits say nothing."""

    def tell(self, spent: Budget) -> None:
        """What this run has spent by now, with the turns under way."""


def add_spent(budget: Budget, more: Budget) -> Budget:
    """With what the other one has spent, too."""
    return budget.evolve(
        spent_seconds=budget.spent_seconds + more.spent_seconds,
        tokens=add_known(budget.tokens, more.tokens),
        cost=add_known(budget.cost, more.cost),
    )


def most_spent(account: Budget, told: Budget) -> Budget:
    """The account, with whatever the other one knows to be more."""
    return account.evolve(
        spent_seconds=max(account.spent_seconds, told.spent_seconds),
        tokens=max((t for t in (account.tokens, told.tokens) if t is not None), default=None),
        cost=max((c for c in (account.cost, told.cost) if c is not None), default=None),
    )


class BudgetMeter:
    """A run's budget while turns are under way: what they use is not in its account before their step has ended.

    `account` reads it, `hold` keeps in it that a limit, named in words, allows for no other turn. All agents of a run
    share one meter: what runs side by side is counted together. `monotonic` gives seconds. `shared`: what other runs
    have spent of the same budget.
    """

    def __init__(
        self,
        account: Callable[[], Budget],
        hold: Callable[[str], None],
        price: Callable[[Usage], float | None],
        monotonic: Callable[[], float],
        shared: SharedSpending | None = None,
    ) -> None:
        self.hold = hold
        self._shared = shared
        self._account, self._price, self._monotonic = account, price, monotonic
        self._ledgers: list[UsageLedger] = []
        self._spent_seconds = -1.0
        self._since = 0.0

    def open_ledger(self) -> UsageLedger:
        ledger = UsageLedger()
        self._ledgers.append(ledger)
        return ledger

    def seconds_left(self) -> float:
        """Of the working time; infinite without a limit."""
        account = self._account()
        if account.max_minutes is None:
            return float("inf")
        spent = self._with_time(account)
        if self._shared:
            spent = add_spent(spent, self._shared.others())
        return account.max_minutes * 60 - spent.spent_seconds

    async def sign(self) -> BudgetSign | None:
        account = self._account()
        if account.max_minutes is None and account.max_tokens is None and account.max_cost is None:
            return None
        budget = self._with_time(account)
        turns = [turn for ledger in self._ledgers for turn in ledger.turns]
        if budget.max_cost is None:
            used = sum_of(turn.usage for turn in turns)
        else:
            used = (await run_in_thread(sum_turns, turns, self._price, bool)).usage
        budget = _charged(budget, used)
        if self._shared:
            self._shared.tell(budget)
            budget = add_spent(budget, self._shared.others())
        if reached := budget.reached:
            return BudgetSign(reached.words, used_up=True)
        reserve = min(RESERVE * 60 * (budget.max_minutes or 0), RESERVE_SECONDS)
        coming = budget.evolve(spent_seconds=budget.spent_seconds + reserve)
        steps = [ledger.step for ledger in self._ledgers] * RESERVE_REQUESTS
        if reached := _charged(coming, sum_of(steps)).reached:
            return BudgetSign(reached.words, used_up=False)
        return None

    def _with_time(self, budget: Budget) -> Budget:
        """The account, with the time since it was last charged."""
        now = self._monotonic()
        if budget.spent_seconds != self._spent_seconds:
            self._spent_seconds, self._since = budget.spent_seconds, now
        return budget.evolve(spent_seconds=budget.spent_seconds + max(now - self._since, 0))


def _charged(budget: Budget, usage: Usage) -> Budget:
    return budget.evolve(tokens=add_known(budget.tokens, usage.tokens), cost=add_known(budget.cost, usage.cost))
