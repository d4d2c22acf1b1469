from dataclasses import replace
from datetime import datetime

from cinema.desk import Booking
from cinema.halls import Seat
from cinema.pricing import Quote
from cinema.programme import Film, Screening
from cinema.takings import evening_report, occupancy, takings_by_film


def booking(number: int, screening: Screening, cents: int, seats: int = 2) -> Booking:
    chosen = frozenset(Seat("ABCDE"[number], place) for place in range(1, seats + 1))
    return Booking(number, screening, chosen, Quote(tickets=cents, group_discount=0, fee=100))


def matinee(evening: Screening) -> Screening:
    return Screening(Film("M", 117), evening.hall, datetime(2024, 5, 17, 15, 0))


def test_takings_are_summed_by_film_best_seller_first(evening):
    bookings = [
        booking(0, matinee(evening), 960),
        booking(1, evening, 2400),
        booking(2, evening, 800),
    ]
    takings = takings_by_film(bookings)
    assert takings == {"Metropolis": 3400, "M": 1060}
    assert list(takings) == ["Metropolis", "M"]


def test_cancelled_bookings_bring_nothing_in(evening):
    kept, dropped = booking(0, evening, 1200), replace(booking(1, evening, 2400), cancelled=True)
    assert takings_by_film([kept, dropped]) == {"Metropolis": 1300}
    assert occupancy(evening, [kept, dropped]) == 5


def test_occupancy_is_counted_for_one_screening(evening):
    bookings = [booking(0, evening, 9600, seats=8), booking(1, evening, 2400), booking(2, matinee(evening), 960)]
    assert occupancy(evening, bookings) == 25
    assert occupancy(matinee(evening), bookings) == 5


def test_the_report_of_the_evening(evening):
    report = evening_report([booking(0, matinee(evening), 955), booking(1, evening, 2400)])
    assert report == "Metropolis: €25.00\nM: €10.55\nTotal: €35.55"


def test_the_report_of_a_quiet_evening():
    assert evening_report([]) == "Total: €0.00"
