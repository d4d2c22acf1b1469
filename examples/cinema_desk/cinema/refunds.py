"""How much a visitor gets back: the earlier the notice, the more."""

from datetime import datetime

from cinema.pricing import Quote

FULL_REFUND_HOURS = 24
HALF_REFUND_HOURS = 2


def hours_of_notice(starts_at: datetime, now: datetime) -> float:
    """Hours left until the film; negative once it runs."""
    return (starts_at - now).seconds / 3600


def refund_share(hours: float) -> int:
    """The refunded part of the ticket price, in percent."""
    if hours >= FULL_REFUND_HOURS:
        return 100
    if hours >= HALF_REFUND_HOURS:
        return 50
    return 0


def refund_due(quote: Quote, starts_at: datetime, now: datetime) -> int:
    """Cents to pay out; the online fee is never refunded."""
    paid_for_tickets = quote.total - quote.fee
    return paid_for_tickets * refund_share(hours_of_notice(starts_at, now)) // 100
