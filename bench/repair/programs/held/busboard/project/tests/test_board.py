from datetime import date

import pytest

from busboard import departures
from busboard.board import board_text, headways
from busboard.clock import parse_time


def texts(rows):
    return [row.text() for row in rows]


def test_whole_day(town, tuesday):
    assert texts(departures(town, "Station", tuesday)) == [
        "06:00 7 Mill",
        "06:55 10 Market",
        "07:00 7 Mill",
        "07:20 10 Market",
        "08:00 7 Mill",
    ]


def test_at_or_after(town, tuesday):
    rows = departures(town, "Station", tuesday, after=parse_time("7:00"), limit=2)
    assert texts(rows) == ["07:00 7 Mill", "07:20 10 Market"]


def test_stay_counts_by_departure(town, tuesday):
    rows = departures(town, "Market", tuesday, after=parse_time("7:10"))
    assert texts(rows) == ["07:15 7 Mill", "08:08 7 Mill"]


def test_end_of_a_round_trip_is_no_departure(town, tuesday):
    rows = departures(town, "Harbour", tuesday, after=parse_time("7:15"))
    assert texts(rows) == ["07:27 7 Mill", "07:30 2 Harbour", "23:30 2 Harbour"]


def test_end_of_the_line(town, tuesday):
    assert departures(town, "Mill", tuesday) == []


def test_sunday_night(town, sunday):
    assert texts(departures(town, "Station", sunday)) == ["01:10 N Hill", "23:50 N Hill", "01:10 N Hill"]


def test_late_buses_of_the_evening_before(town):
    monday = date(2024, 3, 11)
    assert texts(departures(town, "Market", monday, limit=2)) == ["00:05 N Hill", "01:25 N Hill"]
    saturday = date(2024, 3, 9)
    assert texts(departures(town, "Fair", saturday)) == ["00:20 2 Harbour"]


def test_holiday(town, may_day):
    lines = {row.line for row in departures(town, "Station", may_day)}
    assert lines == {"N"}


def test_first_day_has_no_evening_before(town):
    rows = departures(town, "Fair", date(2024, 1, 1))
    assert texts(rows)[0] == "07:10 2 Harbour"


def test_limit_zero(town, tuesday):
    assert departures(town, "Station", tuesday, limit=0) == []


@pytest.mark.parametrize("after, expected", [("6:30", "Station\n06:55  10  Market\n07:00   7  Mill"), ("9:00", "Station: no more buses")])
def test_board_text(town, tuesday, after, expected):
    assert board_text(town, "Station", tuesday, parse_time(after), limit=2) == expected


def test_headways(town, tuesday):
    assert headways(town, "Station", "7", tuesday) == [60, 60]
    assert headways(town, "Station", "N", tuesday) == []
