import asyncio

import pytest

from logweave import count_levels, counts_text, histogram


def rows(result):
    return [(start.strftime("%H:%M:%S"), count) for start, count in result]


def test_histogram(feed, record):
    stream = feed(*map(record, [0, 5, 9, 10, 19]))
    assert rows(asyncio.run(histogram(stream, 10))) == [("10:00:00", 3), ("10:00:10", 2)]


def test_histogram_shows_quiet_intervals(feed, record):
    stream = feed(*map(record, [3, 61]))
    assert rows(asyncio.run(histogram(stream, 20))) == [
        ("10:00:00", 1),
        ("10:00:20", 0),
        ("10:00:40", 0),
        ("10:01:00", 1),
    ]


def test_intervals_start_at_full_hours(feed, record):
    stream = feed(record(-1), record(1900))
    assert rows(asyncio.run(histogram(stream, 1800))) == [("09:30:00", 1), ("10:00:00", 0), ("10:30:00", 1)]


def test_histogram_of_nothing(feed):
    assert asyncio.run(histogram(feed(), 10)) == []


def test_histogram_wants_order_and_length(feed, record):
    with pytest.raises(ValueError):
        asyncio.run(histogram(feed(record(30), record(5)), 10))
    with pytest.raises(ValueError):
        asyncio.run(histogram(feed(), 0))


def test_count_levels(feed, record):
    streams = {
        "web": feed(record(0), record(1, level="ERROR"), record(2)),
        "db": feed(record(0), OSError("gone")),
        "idle": feed(),
    }
    counts = asyncio.run(count_levels(streams))
    assert list(counts) == ["web", "db", "idle"]
    assert counts_text(counts) == (
        "db: failed (gone)\nidle: nothing\nweb: 1 ERROR, 2 INFO\ntotal: 1 ERROR, 2 INFO"
    )


def test_total_adds_up(feed, record):
    counts = asyncio.run(count_levels({"a": feed(record(0)), "b": feed(record(0), record(1, level="WARN"))}))
    assert counts_text(counts).splitlines()[-1] == "total: 1 WARN, 2 INFO"
