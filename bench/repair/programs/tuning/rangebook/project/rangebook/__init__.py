"""Spans of days, repeated dates and bookings."""

from .booking import Booking, BookingError, Conflict, House, Rate
from .days import add_months, days_in_month, parse_day
from .recur import Rule, occurrences
from .spans import Span, free, merge, subtract

__all__ = [
    "Booking",
    "BookingError",
    "Conflict",
    "House",
    "Rate",
    "Rule",
    "Span",
    "add_months",
    "days_in_month",
    "free",
    "merge",
    "occurrences",
    "parse_day",
    "subtract",
]
