import unittest
from datetime import date
from itertools import islice

from rangebook import Rule, occurrences
from rangebook.recur import first_after


def listed(rule, count=5):
    return [f"{day:%m-%d}" for day in islice(occurrences(rule), count)]


class RecurTests(unittest.TestCase):
    def test_daily(self):
        self.assertEqual(listed(Rule(date(2024, 2, 27), "day", 2)), ["02-27", "02-29", "03-02", "03-04", "03-06"])

    def test_weekly_on_the_day_of_the_start(self):
        self.assertEqual(listed(Rule(date(2024, 5, 9), "week"), 3), ["05-09", "05-16", "05-23"])

    def test_every_other_week_on_some_days(self):
        rule = Rule(date(2024, 5, 8), "week", 2, weekdays=("Fri", "mon"))
        self.assertEqual(listed(rule), ["05-10", "05-20", "05-24", "06-03", "06-07"])

    def test_last_day_of_each_month(self):
        self.assertEqual(listed(Rule(date(2024, 1, 31), "month")), ["01-31", "02-29", "03-31", "04-30", "05-31"])

    def test_quarterly(self):
        self.assertEqual(listed(Rule(date(2024, 1, 15), "month", 3)), ["01-15", "04-15", "07-15", "10-15", "01-15"])

    def test_yearly(self):
        days = list(occurrences(Rule(date(2023, 7, 1), "year", count=3)))
        self.assertEqual(days, [date(2023, 7, 1), date(2024, 7, 1), date(2025, 7, 1)])

    def test_until_is_included(self):
        rule = Rule(date(2024, 5, 1), "day", until=date(2024, 5, 3))
        self.assertEqual(listed(rule), ["05-01", "05-02", "05-03"])

    def test_skipped_dates_count(self):
        rule = Rule(date(2024, 5, 1), "day", count=3, skip=frozenset({date(2024, 5, 2)}))
        self.assertEqual(listed(rule), ["05-01", "05-03"])

    def test_first_after(self):
        rule = Rule(date(2024, 5, 1), "week", until=date(2024, 5, 10))
        self.assertEqual(first_after(rule, date(2024, 5, 1)), date(2024, 5, 8))
        self.assertIsNone(first_after(rule, date(2024, 5, 8)))

    def test_bad_rules(self):
        for more in ({"unit": "hour"}, {"unit": "day", "every": 0}, {"unit": "day", "weekdays": ("mon",)}):
            with self.subTest(more=more), self.assertRaises(ValueError):
                Rule(date(2024, 5, 1), **more)
