import asyncio

import pytest

from logweave import merge, pipeline, read_records, take


def test_by_time(feed, record, collect, seconds):
    streams = [feed(record(1), record(4), record(9)), feed(record(2), record(3)), feed()]
    assert seconds(collect(merge(streams))) == [1, 2, 3, 4, 9]


def test_nothing_to_merge(collect):
    assert collect(merge([])) == []


def test_same_time_in_order_of_sources(feed, record, collect):
    streams = [
        feed(record(1, "z"), record(1, "y")),
        feed(record(1, "a"), record(2, "b")),
        feed(record(0, "c"), record(1, "d")),
    ]
    assert [item.message for item in collect(merge(streams))] == ["c", "z", "y", "a", "d", "b"]


def test_zones_do_not_matter(feed, collect):
    one = read_records(feed("2024-05-01T10:00:00+02:00 INFO a"), "one")
    two = read_records(feed("2024-05-01T09:00:00 INFO b"), "two")
    assert [item.source for item in collect(merge([two, one]))] == ["one", "two"]


def test_generators_are_fine(record, collect, seconds):
    async def numbers(*values):
        for value in values:
            yield record(value)

    assert seconds(collect(merge([numbers(1, 3), numbers(2)]))) == [1, 2, 3]


def test_failure_ends_the_merge(feed, record, collect):
    good, bad = feed(record(1), record(5)), feed(record(2), OSError("gone"))
    with pytest.raises(OSError):
        collect(merge([good, bad]))
    assert good.closed and bad.closed


def test_failure_can_be_reported(feed, record, collect, seconds):
    seen = []
    streams = [feed(record(1), record(5)), feed(record(2), OSError("gone")), feed(ValueError("never"))]
    records = collect(merge(streams, lambda index, error: seen.append((index, str(error)))))
    assert seconds(records) == [1, 2, 5]
    assert seen == [(2, "never"), (1, "gone")]


def test_all_closed_at_the_end(feed, record, collect):
    streams = [feed(record(1)), feed()]
    collect(merge(streams))
    assert [stream.closed for stream in streams] == [True, True]


def test_early_stop_closes_the_sources(feed, record):
    streams = [feed(*map(record, range(9))), feed(*map(record, range(9)))]

    async def run():
        async for _ in pipeline(merge(streams), take(3)):
            pass
        return [stream.closed for stream in streams]

    assert asyncio.run(run()) == [True, True]


def test_reads_no_further_than_needed(feed, record, collect):
    stream = feed(*map(record, range(9)))
    collect(pipeline(merge([stream]), take(2)))
    assert stream.given <= 3
