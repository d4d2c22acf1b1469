"""What a turn cost, from the four places where agents tell it. Pure."""

from collections.abc import Mapping
from itertools import product

from acp import schema

from loopwright.domain.protocol import Usage

Told = Mapping[str, object]


def used(response: schema.PromptResponse | None, metered: Usage | None, cost: float | None) -> Usage:
    """Of the whole turn. `metered`: told along with the text; `cost` of this turn in US dollars."""
    quota = _mapping((response.field_meta or {}).get("quota")) if response is not None else {}
    if response is not None and response.usage is not None:
        usage = _counted(response.usage.model_dump(by_alias=True))
    elif quota:
        usage = _counted(_mapping(quota.get("token_count")))
    else:
        usage = metered or Usage()
    return usage.evolve(cost=cost, model=_model(quota))


def added(metered: Usage | None, told: Told) -> Usage:
    """With one more request to the model; what one of them does not tell is not known of all."""
    more = _counted(told)
    if metered is None:
        return more
    return Usage(
        tokens=_plus(metered.tokens, more.tokens), input=_plus(metered.input, more.input),
        cached=_plus(metered.cached, more.cached), output=_plus(metered.output, more.output),
    )  # fmt: skip


def cost_of(before: schema.Cost | None, now: schema.Cost | None) -> float | None:
    """Of a turn, where the session's is told: in US dollars, or not at all. The very same: nothing was told since."""
    if now is None or now is before or now.currency.upper() != "USD":
        return None
    spent = now.amount - (before.amount if before is not None else 0.0)
    return spent if spent >= 0 else now.amount  # it began to count anew


def _counted(told: Told) -> Usage:
    """Input with what was cached, output with what was thought; which of them an agent leaves out, its total tells."""
    input, output = _number(told, "inputTokens", "input_tokens"), _number(told, "outputTokens", "output_tokens")
    if input is None or output is None or not input + output:  # opencode counts nothing of a turn that was cancelled
        return Usage()
    read = _number(told, "cachedReadTokens", "cachedInputTokens")
    cached = (read or 0) + (_number(told, "cachedWriteTokens", "cacheWriteInputTokens") or 0)
    thought = _number(told, "thoughtTokens", "reasoningOutputTokens") or 0
    total = _number(told, "totalTokens", "total_tokens")
    for left_in, left_out in product((0, cached), (0, thought)):
        if total == input + left_in + output + left_out:
            input, output = input + left_in, output + left_out
            break
    return Usage(tokens=total or input + output, input=input, cached=read, output=output)


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _model(quota: Told) -> str | None:
    """Where several were used, none of them tells the price of all."""
    by_model = quota.get("model_usage")
    names = {_mapping(one).get("model") for one in by_model} if isinstance(by_model, list) else set()
    name = names.pop() if len(names) == 1 else None
    return name if isinstance(name, str) else None


def _mapping(value: object) -> Told:
    return value if isinstance(value, Mapping) else {}


def _number(told: Told, *names: str) -> int | None:
    """The first that is a count. A number of a type or size that no count has is none."""
    for name in names:
        value = told.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15:
            return value
    return None
