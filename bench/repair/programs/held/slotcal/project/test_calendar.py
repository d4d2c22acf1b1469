from datetime import date, datetime, time, timedelta, timezone

import pytest

from slotcal import BookingError, Calendar, Conflict, Rule

MONDAY = date(2024, 5, 6)


def clock(spans):
    return [f"{span.start:%H:%M}-{span.end:%H:%M}" for span in spans]


def test_conflict(calendar):
    with pytest.raises(Conflict, match="taken by 'review'"):
        calendar.book("A", "new", "2024-05-06 15:00", "2024-05-06 16:00")


def test_back_to_back(calendar):
    assert calendar.book("A", "new", "2024-05-06 10:00", "2024-05-06 13:00").number == 4


def test_other_room_is_no_conflict(calendar):
    assert calendar.book("C", "new", "2024-05-06 09:00", "2024-05-06 10:00").room == "C"


@pytest.mark.parametrize("start, end", [("04 09:00", "04 10:00"), ("06 07:59", "06 09:00"), ("06 17:00", "07 09:00")])
def test_opening_hours(start, end):
    with pytest.raises(BookingError, match="outside of the opening hours"):
        Calendar().book("A", "x", f"2024-05-{start}", f"2024-05-{end}")


def test_pause_after_each_booking():
    calendar = Calendar(pause=timedelta(minutes=30))
    calendar.book("A", "one", "2024-05-06 10:00", "2024-05-06 11:00")
    for start, end in [("11:15", "12:00"), ("09:00", "09:45")]:
        with pytest.raises(Conflict):
            calendar.book("A", "two", f"2024-05-06 {start}", f"2024-05-06 {end}")
    calendar.book("A", "two", "2024-05-06 11:30", "2024-05-06 12:00")
    calendar.book("A", "three", "2024-05-06 09:00", "2024-05-06 09:30")
    assert clock(calendar.free("A", MONDAY)) == ["08:00-09:00", "12:30-18:00"]


def test_zone_of_the_calendar(east):
    booking = east.book("A", "early", "2024-05-06 08:00", "2024-05-06 09:00")
    assert booking.span.start == datetime(2024, 5, 6, 6, tzinfo=timezone.utc)
    with pytest.raises(Conflict):
        east.book("A", "same", "2024-05-06T06:30Z", "2024-05-06T07:00Z")


def test_moments_with_and_without_an_offset(east):
    aware = datetime(2024, 5, 6, 10, tzinfo=timezone.utc)
    east.book("A", "aware", aware, aware + timedelta(hours=1))
    with pytest.raises(Conflict, match="aware"):
        east.book("A", "naive", datetime(2024, 5, 6, 12, 30), datetime(2024, 5, 6, 14))
    assert east.book("A", "naive", datetime(2024, 5, 6, 13), datetime(2024, 5, 6, 14)).number == 2


def test_bookings_in_order(calendar):
    assert [booking.title for booking in calendar.bookings()] == ["training", "breakfast", "review"]
    window = calendar.span("2024-05-06 10:00", "2024-05-06 13:30")
    assert [booking.title for booking in calendar.bookings("A", window)] == ["review"]


def test_cancel(calendar):
    calendar.cancel(2)
    assert clock(calendar.free("A", MONDAY)) == ["08:00-09:00", "10:00-18:00"]
    with pytest.raises(BookingError, match="no booking 2"):
        calendar.cancel(2)


def test_move(calendar):
    moved = calendar.move(2, "2024-05-06 14:00", "2024-05-06 16:00")
    assert (moved.number, moved.title) == (2, "review")
    assert len(calendar.bookings("A")) == 2
    assert clock(calendar.free("A", MONDAY))[-1] == "16:00-18:00"


def test_failed_move_changes_nothing(calendar):
    with pytest.raises(Conflict):
        calendar.move(2, "2024-05-06 09:30", "2024-05-06 11:00")
    with pytest.raises(Conflict):
        calendar.book("A", "new", "2024-05-06 13:00", "2024-05-06 14:00")


def test_series(calendar):
    rule = Rule(date(2024, 5, 7), "week", count=3)
    made = calendar.book_series("A", "weekly", rule, time(9), timedelta(hours=1))
    assert [booking.span.start.day for booking in made] == [7, 14, 21]


def test_series_all_or_none(calendar):
    rule = Rule(date(2024, 5, 2), until=date(2024, 5, 6), skip=frozenset({date(2024, 5, 4), date(2024, 5, 5)}))
    with pytest.raises(Conflict):
        calendar.book_series("A", "daily", rule, time(9, 30), timedelta(hours=1))
    assert len(calendar.bookings("A")) == 2


def test_series_in_a_zone(east):
    rule = Rule(MONDAY, count=1)
    (booking,) = east.book_series("A", "x", rule, time(8), timedelta(hours=1))
    assert booking.span.start.hour == 6


def test_free(calendar):
    assert clock(calendar.free("A", MONDAY)) == ["08:00-09:00", "10:00-13:00", "15:30-18:00"]
    assert clock(calendar.free("B", MONDAY)) == []
    assert clock(calendar.free("A", date(2024, 5, 5))) == []


def test_free_slots(calendar):
    found = clock(calendar.free("A", MONDAY, timedelta(hours=1)))
    assert found == ["08:00-09:00", "10:00-11:00", "11:00-12:00", "12:00-13:00", "15:30-16:30", "16:30-17:30"]


def test_load(calendar):
    assert calendar.load(MONDAY) == {"A": 35, "B": 100}
    assert calendar.load(date(2024, 5, 7)) == {"A": 0, "B": 0}
    assert calendar.load(date(2024, 5, 5)) == {}
