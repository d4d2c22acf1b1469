"""Reading, rounding, splitting and printing amounts."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from .errors import BookError

CENT = Decimal("0.01")


def to_cents(value):
    """Round to two places, halves away from zero."""
    return Decimal(value).quantize(CENT, rounding=ROUND_HALF_UP)


def parse_amount(text):
    """Read amounts such as ``1,234.50``, ``-3``, ``(12.00)`` or ``5.00-``."""
    cleaned = text.strip().replace(",", "").replace(" ", "")
    negative = False
    if cleaned.startswith("(") and cleaned.endswith(")"):
        negative = True
        cleaned = cleaned[1:-1]
    elif cleaned.endswith("-"):
        negative = True
        cleaned = cleaned[:-1]
    try:
        value = Decimal(cleaned)
    except InvalidOperation:
        raise BookError(f"not an amount: {text!r}") from None
    if not value.is_finite():
        raise BookError(f"not an amount: {text!r}")
    if negative:
        value = -value
    return to_cents(value)


def format_amount(value, parens=False):
    """Print with thousands separators; negatives in parentheses if asked."""
    value = to_cents(value)
    if parens and value < 0:
        return f"({-value:,.2f})"
    return f"{value:,.2f}"


def allocate(total, weights):
    """Split ``total`` in proportion to ``weights`` without losing a cent.

    Cents that remain after rounding down go to the largest fractions first,
    and among equal fractions to the earlier share.
    """
    weights = [Decimal(weight) for weight in weights]
    whole = sum(weights)
    if not weights or whole <= 0 or min(weights) < 0:
        raise BookError("weights must be non-negative and not all zero")
    cents = int(to_cents(total) * 100)
    sign = -1 if cents < 0 else 1
    cents = abs(cents)
    exact = [cents * weight / whole for weight in weights]
    shares = [int(part) for part in exact]
    left = cents - sum(shares)
    by_fraction = sorted(
        range(len(shares)),
        key=lambda i: (shares[i] - exact[i], i),
    )
    for index in by_fraction[:left]:
        shares[index] += 1
    return [sign * Decimal(share) * CENT for share in shares]
