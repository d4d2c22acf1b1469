import pytest

from busboard.clock import clock_text, parse_time, span_text


@pytest.mark.parametrize("text, minutes", [("0:00", 0), ("7:05", 425), ("23:59", 1439), ("25:10", 1510)])
def test_parse_time(text, minutes):
    assert parse_time(text) == minutes


@pytest.mark.parametrize("bad", ["", "7", "7:5", "7:60", "7:05x", "-1:00"])
def test_bad_times(bad):
    with pytest.raises(ValueError):
        parse_time(bad)


@pytest.mark.parametrize("minutes, text", [(0, "00:00"), (425, "07:05"), (1440, "00:00"), (1510, "01:10")])
def test_clock_text(minutes, text):
    assert clock_text(minutes) == text


@pytest.mark.parametrize("minutes, text", [(0, "0 min"), (59, "59 min"), (60, "1 h"), (125, "2 h 05")])
def test_span_text(minutes, text):
    assert span_text(minutes) == text
