"""Rooms, rates and bookings of a guest house."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from .spans import Span, free, merge


class BookingError(Exception):
    """A booking that cannot be made as asked for."""


class Conflict(BookingError):
    def __init__(self, room: str, span: Span, other: "Booking"):
        super().__init__(f"{room} is taken {other.span} by {other.guest}")
        self.other = other


@dataclass(frozen=True)
class Booking:
    number: int
    room: str
    guest: str
    span: Span
    people: int = 1


@dataclass(frozen=True)
class Rate:
    """What a night costs: a base price, and per cent more on some nights."""

    base: Decimal
    weekend: int = 0
    season: int = 0
    seasons: tuple[Span, ...] = ()
    beds: int = 2
    extra_person: Decimal = Decimal(0)

    def night(self, day: date, people: int) -> Decimal:
        price = self.base
        percent = 100
        if day.weekday() in (4, 5):
            percent += self.weekend
        if any(day in season for season in self.seasons):
            percent += self.season
        price = price * percent / 100
        if people > self.beds:
            price += self.extra_person * (people - self.beds)
        return price


class House:
    def __init__(self, rates: dict[str, Rate], closed: Iterable[Span] = ()):
        self.rates = dict(rates)
        self.closed = merge(closed)
        self._bookings: dict[int, Booking] = {}
        self._number = 0

    @property
    def bookings(self) -> list[Booking]:
        return sorted(self._bookings.values(), key=lambda b: (b.span, b.room))

    def book(self, room: str, guest: str, span: Span, people: int = 1) -> Booking:
        self._check(room, span)
        self._number += 1
        booking = Booking(self._number, room, guest, span, people)
        self._bookings[booking.number] = booking
        return booking

    def change(self, number: int, span: Span | None = None, room: str | None = None) -> Booking:
        """Give a booking other days or another room; nothing changes on failure."""
        old = self._get(number)
        new = replace(old, span=span or old.span, room=room or old.room)
        self._check(new.room, new.span, ignore=number)
        self._bookings[number] = new
        return new

    def cancel(self, number: int) -> Booking:
        booking = self._get(number)
        del self._bookings[number]
        return booking

    def _get(self, number: int) -> Booking:
        try:
            return self._bookings[number]
        except KeyError:
            raise BookingError(f"no booking {number}") from None

    def _check(self, room: str, span: Span, ignore: int | None = None) -> None:
        if room not in self.rates:
            raise BookingError(f"no room {room}")
        if not span:
            raise BookingError("a stay is at least one night")
        for shut in self.closed:
            if shut.overlaps(span):
                raise BookingError(f"house is closed {shut}")
        for other in self.bookings:
            if other.number == ignore:
                continue
            if other.room == room and other.span.overlaps(span):
                raise Conflict(room, span, other)

    def vacancies(self, room: str, window: Span, nights: int = 1) -> list[Span]:
        taken = [b.span for b in self._bookings.values() if b.room == room]
        return free(window, taken + self.closed, nights)

    def price(self, booking: Booking) -> Decimal:
        """The whole stay; from seven nights on one tenth less."""
        rate = self.rates[booking.room]
        total = sum((rate.night(day, booking.people) for day in booking.span), Decimal(0))
        if len(booking.span) >= 7:
            total = total * 9 / 10
        return total.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)

    def arrivals(self, day: date) -> list[str]:
        return [b.guest for b in self.bookings if b.span.start == day]

    def departures(self, day: date) -> list[str]:
        return [b.guest for b in self.bookings if b.span.end == day]

    def occupancy(self, window: Span) -> Decimal:
        """Share of the nights in a window that are booked, in per cent."""
        nights = len(window) * len(self.rates)
        if not nights:
            return Decimal(0)
        used = sum(len(b.span & window) for b in self._bookings.values())
        return (Decimal(used) * 100 / nights).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)

    def cleaning(self, room: str, window: Span) -> list[date]:
        """Days on which a room is cleaned: departures, and every third day of a stay."""
        days: set[date] = set()
        for booking in self._bookings.values():
            if booking.room != room:
                continue
            days.add(booking.span.end)
            day = booking.span.start + timedelta(days=3)
            while day < booking.span.end:
                days.add(day)
                day += timedelta(days=3)
        return sorted(day for day in days if day in window)
