import pytest

from logweave import LogError, at_least, fold_repeats, matching, pipeline, reorder, take


@pytest.mark.parametrize("level, count", [("debug", 4), ("INFO", 3), ("Warning", 2), ("fatal", 0)])
def test_at_least(feed, record, collect, level, count):
    stream = feed(*(record(n, level=name) for n, name in enumerate(["DEBUG", "WARN", "INFO", "ERROR"])))
    assert len(collect(pipeline(stream, at_least(level)))) == count


def test_unknown_level():
    with pytest.raises(LogError):
        at_least("loud")


@pytest.mark.parametrize(
    "text, source, expected",
    [
        ("disk", None, ["Disk full", "no disk"]),
        ("disk*full", None, ["Disk full"]),
        ("d.sk", None, []),
        ("", "db", ["no disk"]),
        ("a*c", None, ["a\nb\nc"]),
    ],
)
def test_matching(feed, record, collect, text, source, expected):
    stream = feed(record(0, "Disk full"), record(1, "no disk", source="db"), record(2, "a\nb\nc"))
    assert [item.message for item in collect(pipeline(stream, matching(text, source)))] == expected


@pytest.mark.parametrize("limit, count", [(-1, 0), (0, 0), (2, 2), (5, 3)])
def test_take(feed, record, collect, limit, count):
    stream = feed(record(0), record(1), record(2))
    assert len(collect(pipeline(stream, take(limit)))) == count
    assert stream.closed


def test_no_stage(feed, record, collect):
    assert len(collect(pipeline(feed(record(1))))) == 1


def test_stage_may_be_used_twice(feed, record, collect):
    first_two = take(2)
    for _ in range(2):
        assert len(collect(pipeline(feed(*map(record, range(4))), first_two))) == 2


@pytest.mark.parametrize(
    "slack, given, expected",
    [
        (5, [1, 3, 2, 9, 8, 20], [1, 2, 3, 8, 9, 20]),
        (0, [1, 2, 3], [1, 2, 3]),
        (2, [10, 1, 11], [1, 10, 11]),
        (2, [1, 10, 3, 9], [1, 3, 9, 10]),
        (3, [], []),
    ],
)
def test_reorder(feed, record, collect, seconds, slack, given, expected):
    assert seconds(collect(pipeline(feed(*map(record, given)), reorder(slack)))) == expected


def test_reorder_is_stable(feed, record, collect):
    stream = feed(record(2, "a"), record(1, "b"), record(2, "c"), record(1, "d"))
    assert [item.message for item in collect(pipeline(stream, reorder(5)))] == ["b", "d", "a", "c"]


def test_fold_repeats(feed, record, collect, seconds):
    stream = feed(record(0, "a"), record(1, "a"), record(2, "a"), record(3, "b"), record(4, "b"), record(5, "a"))
    records = collect(pipeline(stream, fold_repeats()))
    assert [item.message for item in records] == ["a", "(repeated 2 times)", "b", "(repeated once)", "a"]
    assert seconds(records) == [0, 2, 3, 4, 5]


def test_fold_at_the_end(feed, record, collect):
    records = collect(pipeline(feed(record(0), record(1)), fold_repeats()))
    assert [item.message for item in records] == ["m", "(repeated once)"]


def test_fold_looks_at_source_and_level(feed, record, collect):
    stream = feed(record(0), record(1, source="t"), record(2, level="WARN", source="t"))
    assert len(collect(pipeline(stream, fold_repeats()))) == 3


def test_fold_within_a_gap(feed, record, collect, seconds):
    stream = feed(*map(record, [0, 4, 8, 20, 21]))
    records = collect(pipeline(stream, fold_repeats(within=5)))
    assert seconds(records) == [0, 8, 20, 21]
    assert [item.message for item in records] == ["m", "(repeated 2 times)", "m", "(repeated once)"]


def test_stages_in_a_row(feed, record, collect):
    stream = feed(*(record(n, "tick", "INFO" if n % 2 else "DEBUG") for n in range(8)))
    records = collect(pipeline(stream, at_least("info"), fold_repeats(), take(9)))
    assert [item.message for item in records] == ["tick", "(repeated 3 times)"]
    assert stream.closed
