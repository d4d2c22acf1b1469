"""What turns cost, added up: unknown stays unknown, which is not zero. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from loopwright.core.protocol import Usage
from loopwright.core.state import ModelUsage

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
    """The turns since it was last taken, ended or not: also a turn that fails has cost something."""

    turns: list[TurnUsage] = field(default_factory=list)

    def begin(self, agent: str) -> None:
        self.turns.append(TurnUsage(agent, NOTHING_KNOWN))

    def heard(self, usage: Usage, *, done: bool) -> None:
        """The usage of the turn under way as it stands now."""
        known = usage if usage != NOTHING_KNOWN else self.turns[-1].usage
        self.turns[-1] = self.turns[-1]._replace(usage=known, done=done)

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
