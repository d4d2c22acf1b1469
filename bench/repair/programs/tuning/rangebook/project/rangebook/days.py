"""Small helpers for single days."""

from __future__ import annotations

from datetime import date, timedelta

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def add_months(day: date, months: int) -> date:
    """The same day of another month, or that month's last day if it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    month += 1
    return date(year, month, min(day.day, days_in_month(year, month)))


def next_weekday(day: date, weekday: int) -> date:
    """The first such weekday on or after ``day``."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def weekday_number(name: str) -> int:
    try:
        return WEEKDAYS.index(name.strip().lower()[:3])
    except ValueError:
        raise ValueError(f"not a weekday: {name!r}") from None


def parse_day(text: str) -> date:
    """Read ``2024-05-09`` or ``9.5.2024``."""
    text = text.strip()
    if "." in text:
        parts = text.split(".")
        if len(parts) != 3 or not all(part.strip().isdigit() for part in parts):
            raise ValueError(f"not a day: {text!r}")
        day, month, year = (int(part) for part in parts)
        return date(year, month, day)
    return date.fromisoformat(text)
