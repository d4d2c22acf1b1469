from datetime import date

import pytest

from busboard import Call, Service, TimetableError, Trip


@pytest.fixture
def weekdays():
    return Service("WD", frozenset(range(5)), date(2024, 1, 1), date(2024, 6, 28))


@pytest.mark.parametrize(
    "day, expected",
    [
        (date(2024, 1, 1), True),
        (date(2023, 12, 29), False),
        (date(2024, 6, 28), True),
        (date(2024, 7, 1), False),
        (date(2024, 3, 9), False),
        (date(2024, 3, 8), True),
    ],
)
def test_runs_on(weekdays, day, expected):
    assert weekdays.runs_on(day) is expected


def test_exceptions_win(weekdays):
    weekdays.removed.add(date(2024, 3, 8))
    weekdays.added.add(date(2024, 3, 9))
    weekdays.added.add(date(2024, 12, 24))
    assert not weekdays.runs_on(date(2024, 3, 8))
    assert weekdays.runs_on(date(2024, 3, 9))
    assert weekdays.runs_on(date(2024, 12, 24))


def test_exceptions_belong_to_one_service():
    one = Service("A", frozenset({0}), date(2024, 1, 1), date(2024, 2, 1))
    two = Service("B", frozenset({0}), date(2024, 1, 1), date(2024, 2, 1))
    one.removed.add(date(2024, 1, 1))
    assert two.runs_on(date(2024, 1, 1))


def test_service_must_not_end_first():
    with pytest.raises(TimetableError):
        Service("X", frozenset(), date(2024, 2, 2), date(2024, 2, 1))


@pytest.mark.parametrize(
    "calls",
    [
        (Call("A", 1, 1),),
        (Call("A", 5, 4), Call("B", 9, 9)),
        (Call("A", 5, 8), Call("B", 7, 9)),
    ],
)
def test_impossible_trips(calls):
    with pytest.raises(TimetableError):
        Trip("1", "WD", calls)


def test_stops_and_lines(town):
    assert town.stops() == ["Airport", "Fair", "Harbour", "Hill", "Market", "Mill", "Station"]
    assert town.lines_at("Station") == ["7", "10", "N"]
    assert town.lines_at("Nowhere") == []
