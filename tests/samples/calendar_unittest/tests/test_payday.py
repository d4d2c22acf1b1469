import unittest
from datetime import date

from workdays import OfficeCalendar, last_workday_of_month


class PaydayTest(unittest.TestCase):
    def payday(self, year: int, month: int, *holidays: date) -> date:
        return last_workday_of_month(OfficeCalendar(holidays), year, month)

    def test_the_last_of_the_month(self) -> None:
        self.assertEqual(self.payday(2024, 1), date(2024, 1, 31))
        self.assertEqual(self.payday(2024, 2), date(2024, 2, 29))

    def test_payday_comes_before_a_weekend(self) -> None:
        self.assertEqual(self.payday(2024, 3), date(2024, 3, 29))
        self.assertEqual(self.payday(2024, 6), date(2024, 6, 28))

    def test_payday_in_december(self) -> None:
        self.assertEqual(self.payday(2024, 12), date(2024, 12, 31))

    def test_payday_comes_before_a_holiday(self) -> None:
        self.assertEqual(self.payday(2024, 12, date(2024, 12, 31)), date(2024, 12, 30))


if __name__ == "__main__":
    unittest.main()
