from datetime import date, timedelta

import pytest

from slotcal import BookingError, Rule, add_months


def days(rule, **limits):
    return [day.strftime("%m-%d") for day in rule.dates(**limits)]


def test_daily_with_count():
    assert days(Rule(date(2024, 2, 27), every=2, count=3)) == ["02-27", "02-29", "03-02"]
    assert days(Rule(date(2024, 2, 27), count=0)) == []


def test_until_is_included():
    assert days(Rule(date(2024, 2, 28), until=date(2024, 3, 1))) == ["02-28", "02-29", "03-01"]


def test_weekly():
    assert days(Rule(date(2024, 5, 6), "week", every=2, count=3)) == ["05-06", "05-20", "06-03"]


def test_weekdays():
    rule = Rule(date(2024, 5, 8), "week", weekdays=("fr", "mo"), count=4)
    assert days(rule) == ["05-10", "05-13", "05-17", "05-20"]


def test_weekdays_every_second_week():
    rule = Rule(date(2024, 5, 8), "week", every=2, weekdays=("mo", "we"), count=4)
    assert days(rule) == ["05-08", "05-20", "05-22", "06-03"]


def test_monthly_at_the_end_of_the_month():
    rule = Rule(date(2024, 1, 31), "month", count=5)
    assert days(rule) == ["01-31", "02-29", "03-31", "04-30", "05-31"]


def test_monthly_over_the_new_year():
    assert days(Rule(date(2023, 11, 15), "month", every=2, count=3)) == ["11-15", "01-15", "03-15"]


def test_skipped_dates_count():
    rule = Rule(date(2024, 5, 1), count=4, skip=frozenset({date(2024, 5, 2), date(2024, 5, 9)}))
    assert days(rule) == ["05-01", "05-03", "05-04"]


def test_window():
    rule = Rule(date(2024, 5, 1), every=3)
    assert days(rule, first=date(2024, 5, 4), last=date(2024, 5, 10)) == ["05-04", "05-07", "05-10"]
    assert days(Rule(date(2024, 5, 1), count=3), first=date(2024, 5, 3)) == ["05-03"]


def test_endless_rule_needs_a_last_date():
    with pytest.raises(BookingError):
        list(Rule(date(2024, 5, 1)).dates())


@pytest.mark.parametrize(
    "options", [{"unit": "year"}, {"weekdays": ("mo",)}, {"unit": "week", "weekdays": ("xx",)}]
)
def test_bad_rules(options):
    with pytest.raises(BookingError):
        Rule(date(2024, 5, 1), **options)


def test_add_months():
    assert add_months(date(2024, 1, 31), 13) == date(2025, 2, 28)
    assert add_months(date(2024, 1, 15), -1) == date(2023, 12, 15)
    assert add_months(date(2024, 12, 1), 0) == date(2024, 12, 1)
