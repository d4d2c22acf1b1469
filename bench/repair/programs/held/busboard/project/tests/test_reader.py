import pytest

from busboard import TimetableError, read_timetable
from busboard.reader import parse_days

HEAD = "service WD Mon-Fri 2024-01-01 2024-12-31\n"


@pytest.mark.parametrize(
    "text, days",
    [
        ("Mon", {0}),
        ("Mon-Fri", {0, 1, 2, 3, 4}),
        ("sat,SUN", {5, 6}),
        ("Fri-Mon", {4, 5, 6, 0}),
        ("Mon-Wed,Sun", {0, 1, 2, 6}),
    ],
)
def test_parse_days(text, days):
    assert parse_days(text) == days


def test_last_line_of_the_file_counts():
    table = read_timetable(HEAD + "line 1 WD\n  A 6:00\n  B 6:10")
    assert [trip.destination for trip in table.trips] == ["B"]


def test_skipped_stop_and_stay(town):
    seven = [trip for trip in town.trips if trip.line == "7"]
    assert [len(trip.calls) for trip in seven] == [4, 4, 3]
    assert (seven[1].calls[1].arrive, seven[1].calls[1].leave) == (428, 435)


def test_comments_and_blank_rows():
    table = read_timetable(HEAD + "# nothing\n\nline 1 WD # night\n  A 6:00 # x\n\n  B 6:10\n")
    assert len(table.trips) == 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("bus 1", "row 1: unknown word 'bus'"),
        ("  A 6:00", "row 1: a stop outside of a line"),
        (HEAD + "line 1 WD\n  A 6:00 7:00\n  B 6:10", "row 4: B has 1 times"),
        (HEAD + "line 1 WD\n  A 6:0x", "row 3: not a time: '6:0x'"),
        (HEAD + HEAD, "row 2: service WD twice"),
        ("except WD +2024-01-01", "row 1: no service WD"),
        ("service WD Mo 2024-01-01 2024-01-02", "row 1: not a weekday: 'mo'"),
    ],
)
def test_errors_name_the_row(text, message):
    with pytest.raises(TimetableError) as caught:
        read_timetable(text)
    assert str(caught.value) == message
