import unittest
from datetime import date
from decimal import Decimal

from rangebook import BookingError, Conflict, House, Rate, Span


def may(first, last):
    return Span(date(2024, 5, first), date(2024, 5, last))


class HouseTests(unittest.TestCase):
    def setUp(self):
        self.house = House(
            {
                "attic": Rate(Decimal("60"), weekend=25, extra_person=Decimal("12.5")),
                "garden": Rate(Decimal("80"), season=50, weekend=10, seasons=(may(20, 27),)),
            },
            closed=[may(28, 30)],
        )

    def test_book_and_list(self):
        self.house.book("garden", "Bo", may(3, 5))
        self.house.book("attic", "Al", may(1, 4))
        self.assertEqual([(b.guest, b.number) for b in self.house.bookings], [("Al", 2), ("Bo", 1)])

    def test_taken(self):
        self.house.book("attic", "Al", may(1, 4))
        with self.assertRaises(Conflict) as caught:
            self.house.book("attic", "Bo", may(3, 5))
        self.assertEqual(str(caught.exception), "attic is taken 2024-05-01..2024-05-04 by Al")
        self.assertEqual(len(self.house.bookings), 1)

    def test_arrival_on_a_day_of_departure(self):
        self.house.book("attic", "Al", may(1, 4))
        self.house.book("attic", "Bo", may(4, 5))
        self.assertEqual(self.house.arrivals(date(2024, 5, 4)), ["Bo"])
        self.assertEqual(self.house.departures(date(2024, 5, 4)), ["Al"])

    def test_refused(self):
        for room, span, message in [
            ("cellar", may(1, 2), "no room cellar"),
            ("attic", may(2, 2), "at least one night"),
            ("attic", may(26, 29), "house is closed 2024-05-28..2024-05-30"),
        ]:
            with self.subTest(room=room), self.assertRaisesRegex(BookingError, message):
                self.house.book(room, "Al", span)

    def test_stay_one_night_longer(self):
        number = self.house.book("attic", "Al", may(1, 4)).number
        self.house.change(number, span=may(1, 5))
        self.assertEqual([b.span for b in self.house.bookings], [may(1, 5)])

    def test_change_into_a_taken_room_changes_nothing(self):
        self.house.book("garden", "Bo", may(1, 3))
        number = self.house.book("attic", "Al", may(2, 4)).number
        with self.assertRaises(Conflict):
            self.house.change(number, room="garden")
        self.assertEqual([(b.guest, b.room) for b in self.house.bookings], [("Bo", "garden"), ("Al", "attic")])

    def test_move_to_another_room(self):
        number = self.house.book("attic", "Al", may(2, 4)).number
        self.assertEqual(self.house.change(number, room="garden").room, "garden")
        self.house.book("attic", "Bo", may(2, 4))

    def test_cancel_makes_room(self):
        number = self.house.book("attic", "Al", may(2, 4)).number
        self.house.cancel(number)
        self.house.book("attic", "Bo", may(2, 4))
        with self.assertRaisesRegex(BookingError, "no booking 1"):
            self.house.cancel(number)

    def test_vacancies(self):
        self.house.book("attic", "Al", may(5, 8))
        self.assertEqual(self.house.vacancies("attic", may(1, 12)), [may(1, 5), may(8, 12)])
        self.assertEqual(self.house.vacancies("attic", may(1, 12), nights=5), [])
        self.assertEqual(self.house.vacancies("garden", may(25, 31)), [may(25, 28), may(30, 31)])

    def test_price_with_weekend(self):
        booking = self.house.book("attic", "Al", may(2, 6))  # Thursday to Monday
        self.assertEqual(self.house.price(booking), Decimal("270.00"))

    def test_price_with_season_and_extra_person(self):
        one = self.house.book("garden", "Al", may(19, 21))
        self.assertEqual(self.house.price(one), Decimal("200.00"))
        two = self.house.book("attic", "Bo", may(6, 8), people=4)
        self.assertEqual(self.house.price(two), Decimal("170.00"))

    def test_a_week_is_cheaper(self):
        week = self.house.book("attic", "Al", may(5, 12))
        self.assertEqual(self.house.price(week), Decimal("405.00"))
        six = self.house.book("garden", "Bo", may(5, 11))
        self.assertEqual(self.house.price(six), Decimal("488.00"))

    def test_occupancy(self):
        self.house.book("attic", "Al", may(1, 5))
        self.house.book("garden", "Bo", may(4, 9))
        self.assertEqual(self.house.occupancy(may(3, 6)), Decimal("66.7"))
        self.assertEqual(self.house.occupancy(may(3, 3)), Decimal(0))

    def test_cleaning(self):
        self.house.book("attic", "Al", may(1, 9))
        self.assertEqual([day.day for day in self.house.cleaning("attic", may(1, 20))], [4, 7, 9])
        self.house.book("attic", "Bo", may(10, 13))
        self.assertEqual([day.day for day in self.house.cleaning("attic", may(9, 20))], [9, 13])


if __name__ == "__main__":
    unittest.main()
