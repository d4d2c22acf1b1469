"""Dates that repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice

from .days import add_months, next_weekday, weekday_number

UNITS = ("day", "week", "month", "year")


@dataclass(frozen=True)
class Rule:
    start: date
    unit: str
    every: int = 1
    weekdays: tuple[str, ...] = ()
    until: date | None = None
    count: int | None = None
    skip: frozenset[date] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"unknown unit {self.unit!r}")
        if self.every < 1:
            raise ValueError("every must be at least 1")
        if self.weekdays and self.unit != "week":
            raise ValueError("weekdays go with weeks only")


def _endless(rule: Rule) -> Iterator[date]:
    if rule.unit == "day":
        step = 0
        while True:
            yield rule.start + timedelta(days=step)
            step += rule.every
    elif rule.unit == "week":
        yield from _weekly(rule)
    else:
        months = rule.every * (12 if rule.unit == "year" else 1)
        step = 0
        while True:
            yield add_months(rule.start, step)
            step += months


def _weekly(rule: Rule) -> Iterator[date]:
    names = rule.weekdays or (f"{rule.start:%a}",)
    numbers = sorted({weekday_number(name) for name in names})
    monday = rule.start - timedelta(days=rule.start.weekday())
    while True:
        for number in numbers:
            day = next_weekday(monday, number)
            if day >= rule.start:
                yield day
        monday += timedelta(weeks=rule.every)


def occurrences(rule: Rule) -> Iterator[date]:
    """All dates of a rule; ``until`` is included, skipped dates count towards ``count``."""
    dates = _endless(rule)
    if rule.count is not None:
        dates = islice(dates, rule.count)
    for day in dates:
        if rule.until is not None and day > rule.until:
            return
        if day not in rule.skip:
            yield day


def first_after(rule: Rule, day: date) -> date | None:
    """The first occurrence later than ``day``."""
    return next((found for found in occurrences(rule) if found > day), None)
