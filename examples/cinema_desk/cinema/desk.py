"""Holding seats, selling them, and taking them back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from cinema.halls import Seat
from cinema.pricing import Kind, Quote, quote
from cinema.programme import Screening
from cinema.refunds import refund_due

HOLD_FOR = timedelta(minutes=15)


class DeskError(Exception):
    """The desk can not do what was asked."""


class SeatTaken(DeskError):
    pass


class HoldLapsed(DeskError):
    pass


@dataclass(frozen=True)
class Hold:
    number: int
    screening: Screening
    seats: frozenset[Seat]
    expires_at: datetime


@dataclass(frozen=True)
class Booking:
    number: int
    screening: Screening
    seats: frozenset[Seat]
    quote: Quote
    cancelled: bool = False


class Desk:
    def __init__(self) -> None:
        self._holds: dict[int, Hold] = {}
        self._bookings: dict[int, Booking] = {}
        self._last_number = 0

    @property
    def bookings(self) -> list[Booking]:
        return list(self._bookings.values())

    def free_seats(self, screening: Screening, now: datetime) -> set[Seat]:
        taken = self._sold(screening) | self._held(screening, now)
        return set(screening.hall.seats()) - taken

    def hold(self, screening: Screening, seats: Iterable[Seat], now: datetime) -> Hold:
        """Keep seats for a customer who is still deciding or paying."""
        wanted = frozenset(seats)
        if not wanted:
            raise DeskError("no seats chosen")
        if any(seat not in screening.hall for seat in wanted):
            raise DeskError(f"no such seat in {screening.hall.name}")
        if now >= screening.starts_at:
            raise DeskError(f"{screening.film.title} has already started")
        missing = wanted - self.free_seats(screening, now)
        if missing:
            raise SeatTaken(", ".join(str(seat) for seat in sorted(missing)))
        hold = Hold(self._next_number(), screening, wanted, expires_at=now + HOLD_FOR)
        self._holds[hold.number] = hold
        return hold

    def release(self, number: int) -> None:
        self._holds.pop(number, None)

    def confirm(self, number: int, kinds: Sequence[Kind], now: datetime, *, online: bool = False) -> Booking:
        """Turn a hold into a booking, one ticket for each seat."""
        hold = self._holds.get(number)
        if hold is None:
            raise DeskError(f"no hold {number}")
        if now >= hold.expires_at:
            raise HoldLapsed(f"hold {number} lapsed at {hold.expires_at:%H:%M}")
        if len(kinds) != len(hold.seats):
            raise DeskError(f"{len(hold.seats)} seats but {len(kinds)} tickets")
        del self._holds[number]
        price = quote(kinds, hold.screening, online=online)
        booking = Booking(self._next_number(), hold.screening, hold.seats, price)
        self._bookings[booking.number] = booking
        return booking

    def cancel(self, number: int, now: datetime) -> int:
        """Take a booking back and return the cents to pay out."""
        booking = self._bookings.get(number)
        if booking is None or booking.cancelled:
            raise DeskError(f"no booking {number}")
        self._bookings[number] = replace(booking, cancelled=True)
        return refund_due(booking.quote, booking.screening.starts_at, now)

    def _sold(self, screening: Screening) -> set[Seat]:
        return {seat for booking in self._bookings.values() if booking.screening == screening for seat in booking.seats}

    def _held(self, screening: Screening, now: datetime) -> set[Seat]:
        held: set[Seat] = set()
        for hold in self._holds.values():
            if hold.screening == screening and now < hold.expires_at:
                held.update(hold.seats)
        return held

    def _next_number(self) -> int:
        self._last_number += 1
        return self._last_number
