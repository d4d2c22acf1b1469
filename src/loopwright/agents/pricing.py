"""What tokens cost where an agent tells only their number: from price lists that come with a package, never fetched."""

from decimal import Decimal

from loopwright.core.protocol import Usage


def estimate_price(usage: Usage) -> float | None:
    """US dollars for one turn; None where the model has no known price, or not both ways of the tokens are known.

    An estimate: discounts, and prices that depend on a single request's size, cannot be seen from a turn's sum.
    """
    if usage.model is None or usage.input is None or usage.output is None:
        return None
    import genai_prices  # its lists take a fifth of a second to load

    named, _, model = usage.model.rpartition("/")
    tokens = genai_prices.Usage(
        input_tokens=usage.input, cache_read_tokens=min(usage.cached or 0, usage.input), output_tokens=usage.output
    )
    try:
        found = genai_prices.calc_price(tokens, model, provider_id=named or None)
    except LookupError:  # no such provider, or no such model of it
        return None
    total: Decimal = found.total_price
    return float(total)
