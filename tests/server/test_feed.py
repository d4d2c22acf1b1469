"""The feed: numbered, kept over the death of its process, and honest where it cannot go on."""

import resource
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from loopwright.core.errors import StoreError
from loopwright.surfaces.server import offset_log as module
from loopwright.surfaces.server.offset_log import GONE, OffsetLog, OffsetRecord

SOURCES = ("/one loop", "/two loop")
NOTHING: Mapping[str, int] = {}
A, B, C = OffsetRecord(0, "loop-a", 0, 3), OffsetRecord(1, "loop-b", 4, 5), OffsetRecord(0, "loop-a", 3, 4)


class Opener:
    """Opens the feed again and again, as servers do one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[OffsetLog] = []

    def __call__(self, told: Mapping[str, int] = NOTHING, sources: Sequence[str] = SOURCES) -> OffsetLog:
        token = f"{len(self.opened):016x}" * 2
        self.opened.append(
            OffsetLog.opened(self.folder, sources, lambda: [told, *({} for _ in sources[1:])], lambda: token)
        )
        return self.opened[-1]

    @property
    def file(self) -> Path:
        (found,) = self.folder.glob("*.feed")
        return found


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[Opener]:
    opener = Opener(tmp_path / "feeds")
    yield opener
    for feed in opener.opened:
        feed.close()


def test_records_are_numbered_and_read_back_from_any_of_them(opener: Opener) -> None:
    feed = opener()
    assert feed.end == (0, 0)
    assert feed.append([A, B]) == 1
    assert feed.append([C]) == 3
    assert feed.after(0, 10) == (A, B, C)
    assert feed.after(1, 1) == (B,)
    assert feed.after(3, 10) == ()
    assert feed.after(4, 10) is None
    assert feed.end == (3, 4)
    assert feed.told == ({"loop-a": 4}, {"loop-b": 5})


def test_it_begins_with_what_there_is(opener: Opener) -> None:
    feed = opener({"loop-x": 7})
    assert feed.told == ({"loop-x": 7}, {})
    assert feed.after(0, 10) == ()


def test_another_process_goes_on_with_it(opener: Opener) -> None:
    first = opener({"loop-x": 7})
    first.append([A, OffsetRecord(0, "loop-x", 7, GONE)])
    first.close()
    second = opener({"loop-y": 1})
    assert second.name == first.name
    assert second.end == (2, 8)
    assert second.told == ({"loop-a": 3}, {})
    assert second.append([B]) == 3
    assert second.after(0, 9) == (A, OffsetRecord(0, "loop-x", 7, GONE), B)


@pytest.mark.parametrize("torn", [b"0", b"\0" * 500])
def test_a_record_that_was_cut_off_was_told_to_nobody(opener: Opener, torn: bytes) -> None:
    first = opener()
    first.append([A])
    kept = {path: path.read_bytes() for path in opener.folder.glob("*.feed*")}
    first.close()
    for path, data in kept.items():
        path.write_bytes(data + torn if path.suffix == ".feed-wal" else data)
    second = opener()
    assert second.name == first.name
    second.append([B])
    second.close()
    assert opener().after(0, 9) == (A, B)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\0" * 500,
        b'{"sources": ["/one loop"], "feed": "0", "first": 1}\n0 loop-a 0 3\n',
        b"SQLite format 3\0" * 99,
    ],
    ids=["empty", "zeros", "an earlier version's", "a strange head"],
)
def test_a_damaged_file_begins_anew_under_another_name(opener: Opener, damage: bytes) -> None:
    first = opener()
    first.append([A])
    first.close()
    opener.file.write_bytes(damage)
    second = opener({"loop-a": 9})
    assert second.name != first.name
    assert second.end == (0, 0)
    assert second.told == ({"loop-a": 9}, {})


@pytest.mark.parametrize("page", range(1, 4))
def test_a_damaged_page_begins_anew_too(opener: Opener, page: int) -> None:
    first = opener()
    first.append([A])
    first.close()
    with opener.file.open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xff" * 4096)
    assert opener().name != first.name


@pytest.mark.parametrize("change", ["DROP TABLE record", "DELETE FROM feed", "UPDATE feed SET sources = '[]'"])
def test_a_strange_database_begins_anew_too(opener: Opener, change: str) -> None:
    first = opener()
    first.close()
    with closing(sqlite3.connect(opener.file)) as database, database:
        database.execute(change)
    assert opener().name != first.name


def test_after_a_loss_of_power_it_begins_anew(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    first = opener()
    first.close()
    monkeypatch.setattr(module, "read_boot_id", lambda: "another")
    assert opener().name != first.name


def test_two_servers_have_a_feed_each_and_find_them_again(opener: Opener) -> None:
    first, second = opener(), opener()
    assert first.name != second.name
    first.append([A])
    second.append([B])
    first.close()
    again = opener()
    assert again.name == first.name
    assert again.after(0, 9) == (A,)
    assert second.after(0, 9) == (B,)


def test_other_projects_have_another_feed(opener: Opener) -> None:
    first = opener()
    first.close()
    assert opener(sources=SOURCES[:1]).name != first.name


def test_old_records_are_dropped_and_what_was_told_is_not(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RECORDS", 10)
    feed = opener({"loop-old": 2})
    records = [OffsetRecord(0, f"loop-{n}", 0, n + 1) for n in range(25)]
    for n, record in enumerate(records, 1):
        assert feed.append([record]) == n
    assert feed.after(0, 99) is None
    assert feed.after(feed.first - 1, 99) == tuple(records[feed.first - 1 :])
    assert 5 <= 25 - feed.first + 1 <= 10
    feed.close()
    again = opener()
    assert (again.name, again.first, again.end) == (feed.name, feed.first, (25, 25))
    assert again.told == feed.told
    assert again.told[0]["loop-old"] == 2
    assert again.after(again.first - 1, 99) == tuple(records[again.first - 1 :])
    again.append([A])
    assert again.after(25, 9) == (A,)


def test_nothing_is_kept_of_what_can_not_be_written(opener: Opener) -> None:
    feed = opener()
    feed.append([A])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        with pytest.raises(StoreError, match="the feed of changes"):
            feed.append([B])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert feed.told == ({"loop-a": 3}, {})
    assert feed.append([C]) == 2
    assert feed.after(0, 9) == (A, C)


def test_where_it_can_not_be_kept_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        OffsetLog.opened(tmp_path / "file" / "feeds", SOURCES, lambda: [{}, {}], lambda: "0" * 32)
