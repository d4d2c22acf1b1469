"""What the evening brought in."""

from collections import Counter
from collections.abc import Iterable

from cinema.desk import Booking
from cinema.pricing import format_euros
from cinema.programme import Screening


def takings_by_film(bookings: Iterable[Booking]) -> dict[str, int]:
    """Cents taken for each film, best seller first."""
    takings: Counter[str] = Counter()
    for booking in bookings:
        if not booking.cancelled:
            takings[booking.screening.film.title] += booking.quote.total
    return dict(takings.most_common())


def occupancy(screening: Screening, bookings: Iterable[Booking]) -> int:
    """Sold part of the hall in whole percent."""
    sold = sum(len(booking.seats) for booking in bookings if booking.screening == screening and not booking.cancelled)
    return round(100 * sold / screening.hall.capacity)


def evening_report(bookings: Iterable[Booking]) -> str:
    takings = takings_by_film(bookings)
    lines = [f"{title}: {format_euros(cents)}" for title, cents in takings.items()]
    lines.append(f"Total: {format_euros(sum(takings.values()))}")
    return "\n".join(lines)
