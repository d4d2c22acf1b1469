from datetime import datetime, timedelta, timezone

import pytest

from slotcal import Calendar, Span


@pytest.fixture
def span():
    """Makes spans from hours of one day."""

    def make(start, end):
        base = datetime(2024, 5, 6, tzinfo=timezone.utc)
        return Span(base + timedelta(hours=start), base + timedelta(hours=end))

    return make


@pytest.fixture
def calendar():
    """Monday 2024-05-06, two bookings in room A, one in room B."""
    calendar = Calendar()
    calendar.book("A", "breakfast", "2024-05-06 09:00", "2024-05-06 10:00")
    calendar.book("A", "review", "2024-05-06 13:00", "2024-05-06 15:30")
    calendar.book("B", "training", "2024-05-06 08:00", "2024-05-06 18:00")
    return calendar


@pytest.fixture
def east():
    """A calendar two hours east of Greenwich."""
    return Calendar(zone=timezone(timedelta(hours=2)))
