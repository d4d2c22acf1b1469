"""Working days of an office."""

from collections.abc import Iterable
from datetime import date, timedelta

ONE_DAY = timedelta(days=1)


class OfficeCalendar:
    def __init__(self, holidays: Iterable[date] = ()) -> None:
        self.holidays = frozenset(holidays)

    def is_workday(self, day: date) -> bool:
        return day.weekday() < 5 and day not in self.holidays

    def next_workday(self, day: date) -> date:
        """The first working day after a day."""
        day += ONE_DAY
        while not self.is_workday(day):
            day += ONE_DAY
        return day

    def add_workdays(self, day: date, count: int) -> date:
        """The day on which a job of so many working days is due."""
        for _ in range(count):
            day = self.next_workday(day)
        return day

    def workdays_between(self, first: date, last: date) -> int:
        """Working days from the first to the last day, both included."""
        days = (last - first).days + 1
        return sum(self.is_workday(first + timedelta(days=offset)) for offset in range(days))


def last_workday_of_month(calendar: OfficeCalendar, year: int, month: int) -> date:
    """Payday."""
    next_month = date(year + month // 12, month % 12 + 1, 1)
    day = next_month - ONE_DAY
    while not calendar.is_workday(day):
        day += ONE_DAY
    return day
