from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from cinema.desk import DeskError, HoldLapsed, SeatTaken
from cinema.halls import Seat
from cinema.pricing import Kind

NOW = datetime(2024, 5, 17, 18, 0)
PAIR = [Seat("C", 4), Seat("C", 5)]
COUPLE = [Kind.ADULT, Kind.STUDENT]


def later(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


def test_all_seats_are_free_at_first(desk, evening):
    assert desk.free_seats(evening, NOW) == set(evening.hall.seats())


def test_a_held_seat_is_not_free(desk, evening):
    desk.hold(evening, PAIR, NOW)
    assert len(desk.free_seats(evening, later(14))) == 38
    with pytest.raises(SeatTaken, match="^C4$"):
        desk.hold(evening, [Seat("C", 3), Seat("C", 4)], later(14))


def test_a_hold_counts_for_its_own_screening_only(desk, evening):
    desk.hold(evening, PAIR, NOW)
    tomorrow = replace(evening, starts_at=evening.starts_at + timedelta(days=1))
    assert len(desk.free_seats(tomorrow, NOW)) == 40


def test_a_lapsed_hold_frees_its_seats(desk, evening):
    desk.hold(evening, PAIR, NOW)
    assert len(desk.free_seats(evening, later(15))) == 40


def test_only_the_lapsed_hold_frees_its_seats(desk, evening):
    desk.hold(evening, PAIR, NOW)
    desk.hold(evening, [Seat("A", 1)], later(10))
    assert set(evening.hall.seats()) - desk.free_seats(evening, later(20)) == {Seat("A", 1)}


def test_the_next_customer_gets_the_seats_of_a_lapsed_hold(desk, evening):
    slow = desk.hold(evening, PAIR, NOW)
    quick = desk.hold(evening, PAIR, later(16))
    assert desk.confirm(quick.number, COUPLE, later(17)).seats == frozenset(PAIR)
    with pytest.raises(HoldLapsed, match="lapsed at 18:15"):
        desk.confirm(slow.number, COUPLE, later(18))


def test_a_released_hold_frees_its_seats(desk, evening):
    hold = desk.hold(evening, PAIR, NOW)
    desk.release(hold.number)
    assert len(desk.free_seats(evening, NOW)) == 40


def test_a_hold_becomes_a_booking(desk, evening):
    hold = desk.hold(evening, PAIR, NOW)
    booking = desk.confirm(hold.number, COUPLE, later(14), online=True)
    assert booking.seats == frozenset(PAIR)
    assert booking.quote.total == 1200 + 950 + 100
    assert desk.bookings == [booking]
    assert len(desk.free_seats(evening, later(60))) == 38


def test_a_hold_is_confirmed_once(desk, evening):
    hold = desk.hold(evening, PAIR, NOW)
    desk.confirm(hold.number, COUPLE, NOW)
    with pytest.raises(DeskError, match="no hold"):
        desk.confirm(hold.number, COUPLE, NOW)


def test_a_hold_can_not_be_confirmed_from_the_minute_it_lapses(desk, evening):
    hold = desk.hold(evening, PAIR, NOW)
    with pytest.raises(HoldLapsed):
        desk.confirm(hold.number, COUPLE, later(15))
    assert desk.bookings == []


def test_every_seat_needs_a_ticket(desk, evening):
    hold = desk.hold(evening, PAIR, NOW)
    with pytest.raises(DeskError, match="2 seats but 1 tickets"):
        desk.confirm(hold.number, [Kind.ADULT], NOW)
    assert desk.confirm(hold.number, COUPLE, NOW).seats == frozenset(PAIR)


@pytest.mark.parametrize(("seats", "message"), [([], "no seats"), ([Seat("Z", 1)], "no such seat")])
def test_seats_that_can_not_be_held(desk, evening, seats, message):
    with pytest.raises(DeskError, match=message):
        desk.hold(evening, seats, NOW)


def test_nothing_is_held_once_the_film_runs(desk, evening):
    with pytest.raises(DeskError, match="already started"):
        desk.hold(evening, PAIR, evening.starts_at)


def test_a_booking_is_cancelled_once(desk, evening):
    booking = desk.confirm(desk.hold(evening, PAIR, NOW).number, COUPLE, NOW)
    assert desk.cancel(booking.number, NOW) == (1200 + 950) // 2
    with pytest.raises(DeskError, match="no booking"):
        desk.cancel(booking.number, NOW)


def test_a_cancelled_booking_frees_its_seats_and_no_others(desk, evening):
    dropped = desk.confirm(desk.hold(evening, PAIR, NOW).number, COUPLE, NOW)
    desk.confirm(desk.hold(evening, [Seat("A", 1)], NOW).number, [Kind.CHILD], NOW)
    desk.cancel(dropped.number, later(5))
    assert set(evening.hall.seats()) - desk.free_seats(evening, later(5)) == {Seat("A", 1)}


def test_the_seats_of_a_cancelled_booking_are_sold_again(desk, evening):
    dropped = desk.confirm(desk.hold(evening, PAIR, NOW).number, COUPLE, NOW)
    desk.cancel(dropped.number, later(5))
    again = desk.confirm(desk.hold(evening, PAIR, later(6)).number, COUPLE, later(7))
    assert [booking.cancelled for booking in desk.bookings] == [True, False]
    with pytest.raises(SeatTaken):
        desk.hold(evening, again.seats, later(8))


def test_a_cancelled_booking_stays_on_record(desk, evening):
    booking = desk.confirm(desk.hold(evening, PAIR, NOW).number, COUPLE, NOW)
    desk.cancel(booking.number, NOW)
    assert desk.bookings == [replace(booking, cancelled=True)]
