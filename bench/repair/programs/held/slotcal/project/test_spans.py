from datetime import datetime, timedelta, timezone

import pytest

from slotcal import BookingError, Span, as_utc, gaps, merge, parse_duration, parse_moment, total


@pytest.mark.parametrize(
    "text, hour",
    [("2024-05-06 10:30", 10), ("2024-05-06T10:30Z", 10), ("2024-05-06T10:30+02:00", 8), (" 2024-05-06 10:30-01:00 ", 11)],
)
def test_parse_moment(text, hour):
    assert parse_moment(text) == datetime(2024, 5, 6, hour, 30, tzinfo=timezone.utc)


def test_parse_moment_in_a_zone():
    zone = timezone(timedelta(hours=-5))
    assert parse_moment("2024-05-06 22:00", zone).isoformat() == "2024-05-07T03:00:00+00:00"
    assert parse_moment("2024-05-06 22:00Z", zone).isoformat() == "2024-05-06T22:00:00+00:00"


def test_as_utc_keeps_the_moment():
    moment = datetime(2024, 5, 6, 12, tzinfo=timezone(timedelta(hours=3)))
    assert as_utc(moment) == moment
    assert as_utc(moment).hour == 9


@pytest.mark.parametrize("text", ["tomorrow", "2024-13-01 10:00"])
def test_bad_moments(text):
    with pytest.raises(BookingError):
        parse_moment(text)


@pytest.mark.parametrize("text, minutes", [("45m", 45), ("1h30m", 90), ("1D12H", 2160)])
def test_parse_duration(text, minutes):
    assert parse_duration(text) == timedelta(minutes=minutes)


@pytest.mark.parametrize("text", ["", "m", "1h30", "1x", "0m", "1h1h"])
def test_bad_durations(text):
    with pytest.raises(BookingError):
        parse_duration(text)


def test_span_needs_a_length(span):
    with pytest.raises(BookingError):
        span(10, 10)


def test_overlap_is_half_open(span):
    assert span(9, 11).overlaps(span(10, 12))
    assert span(9, 12).overlaps(span(10, 11))
    assert not span(9, 10).overlaps(span(10, 11))
    assert not span(10, 11).overlaps(span(9, 10))


def test_contains(span):
    assert span(9, 10).contains(span(9, 12).start)
    assert not span(9, 10).contains(span(10, 12).start)


def test_clip(span):
    assert span(8, 12).clip(span(9, 20)) == span(9, 12)
    assert span(8, 12).clip(span(12, 20)) is None


def test_split(span):
    assert list(span(9, 11.5).split(timedelta(hours=1))) == [span(9, 10), span(10, 11)]
    assert list(span(9, 9.5).split(timedelta(hours=1))) == []
    with pytest.raises(BookingError):
        list(span(9, 10).split(timedelta(0)))


def test_merge(span):
    assert merge([span(12, 13), span(8, 9), span(9, 10), span(12.5, 14)]) == [span(8, 10), span(12, 14)]
    assert merge([]) == []


def test_merge_nested(span):
    assert merge([span(8, 12), span(9, 10), span(11, 11.5)]) == [span(8, 12)]


def test_total_counts_once(span):
    assert total([span(8, 12), span(9, 10), span(11, 13)]) == timedelta(hours=5)


def test_gaps(span):
    found = list(gaps([span(11, 12), span(9, 10)], span(8, 14)))
    assert found == [span(8, 9), span(10, 11), span(12, 14)]


def test_gaps_at_the_edges(span):
    assert list(gaps([], span(8, 9))) == [span(8, 9)]
    assert list(gaps([span(7, 10)], span(8, 9))) == []
    assert list(gaps([span(6, 9), span(13, 20)], span(8, 14))) == [span(9, 13)]
    assert list(gaps([span(4, 5), span(20, 21)], span(8, 14))) == [span(8, 14)]
