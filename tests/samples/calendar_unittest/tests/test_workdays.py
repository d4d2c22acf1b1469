import unittest
from datetime import date

from workdays import OfficeCalendar

NEW_YEAR = date(2024, 1, 1)  # a Monday
FRIDAY = date(2024, 1, 5)
SATURDAY = date(2024, 1, 6)
MONDAY = date(2024, 1, 8)


class WorkdayTest(unittest.TestCase):
    def setUp(self) -> None:
        self.calendar = OfficeCalendar([NEW_YEAR, SATURDAY])

    def test_weekdays_are_workdays(self) -> None:
        for day in range(2, 6):
            with self.subTest(day=day):
                self.assertTrue(self.calendar.is_workday(date(2024, 1, day)))

    def test_the_weekend_is_free(self) -> None:
        self.assertFalse(self.calendar.is_workday(date(2024, 1, 13)))
        self.assertFalse(self.calendar.is_workday(date(2024, 1, 14)))

    def test_a_holiday_is_free(self) -> None:
        self.assertFalse(self.calendar.is_workday(NEW_YEAR))

    def test_a_holiday_on_a_weekend_is_free(self) -> None:
        self.assertFalse(self.calendar.is_workday(SATURDAY))


class CountingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.calendar = OfficeCalendar([NEW_YEAR])

    def test_after_friday_comes_monday(self) -> None:
        self.assertEqual(self.calendar.next_workday(FRIDAY), MONDAY)
        self.assertEqual(self.calendar.next_workday(SATURDAY), MONDAY)

    def test_a_job_without_work_is_due_at_once(self) -> None:
        self.assertEqual(self.calendar.add_workdays(FRIDAY, 0), FRIDAY)

    def test_a_job_goes_on_after_the_weekend(self) -> None:
        self.assertEqual(self.calendar.add_workdays(date(2024, 1, 4), 3), date(2024, 1, 9))

    def test_a_job_rests_on_holidays(self) -> None:
        self.assertEqual(self.calendar.add_workdays(date(2023, 12, 29), 2), date(2024, 1, 3))

    def test_workdays_of_a_week(self) -> None:
        self.assertEqual(self.calendar.workdays_between(MONDAY, date(2024, 1, 14)), 5)

    def test_the_last_day_counts(self) -> None:
        self.assertEqual(self.calendar.workdays_between(FRIDAY, MONDAY), 2)
        self.assertEqual(self.calendar.workdays_between(FRIDAY, FRIDAY), 1)

    def test_no_days_no_workdays(self) -> None:
        self.assertEqual(self.calendar.workdays_between(MONDAY, FRIDAY), 0)


if __name__ == "__main__":
    unittest.main()
