import unittest
from datetime import date

from rangebook import add_months, days_in_month, parse_day
from rangebook.days import next_weekday, weekday_number


class DayTests(unittest.TestCase):
    def test_length_of_february(self):
        lengths = [days_in_month(year, 2) for year in (1900, 2000, 2023, 2024)]
        self.assertEqual(lengths, [28, 29, 28, 29])

    def test_add_months(self):
        cases = [
            (date(2024, 1, 31), 1, date(2024, 2, 29)),
            (date(2024, 1, 15), 12, date(2025, 1, 15)),
            (date(2024, 3, 31), -1, date(2024, 2, 29)),
            (date(2024, 1, 1), -1, date(2023, 12, 1)),
            (date(2024, 11, 30), 1, date(2024, 12, 30)),
        ]
        for day, months, expected in cases:
            with self.subTest(day=day, months=months):
                self.assertEqual(add_months(day, months), expected)

    def test_next_weekday_may_be_today(self):
        self.assertEqual(next_weekday(date(2024, 5, 6), 0), date(2024, 5, 6))
        self.assertEqual(next_weekday(date(2024, 5, 6), 6), date(2024, 5, 12))
        self.assertEqual(next_weekday(date(2024, 5, 12), 0), date(2024, 5, 13))

    def test_weekday_names(self):
        self.assertEqual([weekday_number(n) for n in ("Mon", "sunday", " WED ")], [0, 6, 2])
        with self.assertRaisesRegex(ValueError, "not a weekday: 'Xyz'"):
            weekday_number("Xyz")

    def test_parse_day(self):
        self.assertEqual(parse_day(" 2024-05-09 "), date(2024, 5, 9))
        self.assertEqual(parse_day("9.5.2024"), date(2024, 5, 9))
        for text in ("9.5", "30.2.2024", "x.y.z", "tomorrow"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                parse_day(text)
