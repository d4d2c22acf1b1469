from datetime import datetime, timedelta, timezone

import pytest

from logweave import LogError, format_record, parse_line, parse_time, read_records
from logweave.records import level_name

BERLIN = timezone(timedelta(hours=2))
UTC = timezone.utc


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2024-05-01T10:00:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00+02:00", datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ("2024-05-01T10:00:00,250", datetime(2024, 5, 1, 10, 0, 0, 250000, tzinfo=UTC)),
    ],
)
def test_parse_time(text, expected):
    assert parse_time(text) == expected


def test_zone_is_for_times_without_offset():
    assert parse_time("2024-05-01T10:00:00", BERLIN) == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert parse_time("2024-05-01T10:00:00Z", BERLIN) == datetime(2024, 5, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("bad", ["", "yesterday", "10:00", "2024-13-01T00:00:00"])
def test_bad_times(bad):
    with pytest.raises(LogError):
        parse_time(bad)


@pytest.mark.parametrize(
    "text, name",
    [("info", "INFO"), ("[Warning]", "WARN"), ("err:", "ERROR"), ("CRITICAL", "FATAL"), ("trace", "DEBUG")],
)
def test_level_names(text, name):
    assert level_name(text) == name


def test_parse_line():
    record = parse_line("2024-05-01T10:00:00 warn  disk  is full \n", "db")
    assert (record.level, record.source, record.message) == ("WARN", "db", "disk  is full")
    assert parse_line("2024-05-01T10:00:00 INFO", "db").message == ""


@pytest.mark.parametrize("bad", ["2024-05-01T10:00:00", "hello there", "2024-05-01T10:00:00 LOUD x"])
def test_bad_lines(bad):
    with pytest.raises(LogError):
        parse_line(bad, "db")


def test_continuation_lines(feed, collect):
    lines = feed(
        "2024-05-01T10:00:00 ERROR crash\n", "  at f\n", "\n", "\tat g\r\n", "2024-05-01T10:00:01 INFO ok\n", "  really\n"
    )
    records = collect(read_records(lines, "app"))
    assert [item.message for item in records] == ["crash\nat f\nat g", "ok\nreally"]
    assert records[0].head == "crash"


def test_source_in_its_own_zone(feed, collect):
    lines = feed("2024-05-01T10:00:00 INFO a", "2024-05-01T09:00:00Z INFO b")
    records = collect(read_records(lines, "app", BERLIN))
    assert [item.time.astimezone(UTC).hour for item in records] == [8, 9]


def test_strict_names_the_line(feed, collect):
    with pytest.raises(LogError, match="^app:3: not a time: 'bad'$"):
        collect(read_records(feed("2024-05-01T10:00:00 INFO a", "", "bad line"), "app"))
    with pytest.raises(LogError, match="^app:1: nothing to continue$"):
        collect(read_records(feed("  x"), "app"))


def test_lenient_skips_with_continuation(feed, collect):
    lines = feed("  lost", "2024-05-01T10:00:00 INFO a", "garbage", "  more garbage", "2024-05-01T10:00:02 INFO b")
    records = collect(read_records(lines, "app", strict=False))
    assert [item.message for item in records] == ["a", "b"]


def test_no_lines(feed, collect):
    assert collect(read_records(feed(), "app")) == []


def test_format(record):
    text = format_record(record(61, "crash\nat f", "WARN", "db"), width=4)
    assert text == "2024-05-01 10:01:01 WARN  db   | crash\n" + " " * 30 + " | at f"
    assert format_record(record(0, ""), BERLIN) == "2024-05-01 12:00:00 INFO  s |"
