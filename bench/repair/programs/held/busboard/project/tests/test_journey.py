from datetime import date

from busboard import find_journey, read_timetable
from busboard.clock import parse_time
from busboard.journey import journey_text


def test_direct(town, tuesday):
    legs = find_journey(town, "Station", "Mill", tuesday)
    assert journey_text(legs) == "06:00 Station - 06:30 Mill (7)\n30 min, 0 changes"


def test_staying_through_a_long_stop(town, tuesday):
    legs = find_journey(town, "Station", "Mill", tuesday, after=parse_time("6:30"))
    assert [leg.text() for leg in legs] == ["07:00 Station - 07:37 Mill (7)"]


def test_one_change(town, tuesday):
    legs = find_journey(town, "Station", "Airport", tuesday)
    assert journey_text(legs) == (
        "06:00 Station - 06:20 Harbour (7)\n06:25 Harbour - 06:50 Airport (2)\n50 min, 1 change"
    )


def test_change_time_of_the_stop_counts(town, tuesday):
    # 6:55 at Station plus five minutes is just in time for 7:00
    legs = find_journey(town, "Hill", "Harbour", tuesday)
    assert [leg.leave for leg in legs] == [400, 420]
    town.change_minutes["Station"] = 6
    legs = find_journey(town, "Hill", "Harbour", tuesday)
    assert [leg.start for leg in legs] == ["Hill", "Market"]
    assert legs[-1].arrive == parse_time("7:27")


def test_no_change_time_at_the_start(town, tuesday):
    legs = find_journey(town, "Station", "Market", tuesday, after=parse_time("7:00"))
    assert legs[0].leave == parse_time("7:00")


def test_nothing_left_today(town, tuesday):
    assert find_journey(town, "Station", "Mill", tuesday, after=parse_time("9:00")) is None
    assert journey_text(None) == "no way today"


def test_already_there(town, tuesday):
    legs = find_journey(town, "Mill", "Mill", tuesday)
    assert legs == []
    assert journey_text(legs) == "you are there"


def test_unknown_stop(town, tuesday):
    assert find_journey(town, "Nowhere", "Mill", tuesday) is None


def test_after_midnight(town):
    legs = find_journey(town, "Station", "Hill", date(2024, 3, 11), after=60)
    assert journey_text(legs) == "01:10 Station - 01:40 Hill (N)\n30 min, 0 changes"


def test_express_overtakes():
    table = read_timetable(
        "service D Mon-Sun 2024-01-01 2024-12-31\n"
        "line 1 D\n  A 6:00\n  B 6:30\n  C 7:00\n"
        "line X D\n  A 6:10\n  C 6:40\n"
    )
    legs = find_journey(table, "A", "C", date(2024, 2, 2))
    assert [leg.line for leg in legs] == ["X"]
