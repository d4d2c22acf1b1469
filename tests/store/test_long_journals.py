"""A long journal that was whole is only compared with what it was, and damage in it is found all the same."""

from pathlib import Path

import pytest

from loopwright.store import state_reader
from loopwright.store.journal import JournalScan, scan_lines
from tests.store.making import files_at, journal_of, loop, retitle


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes of each stretch in which lines were looked for."""
    sizes = list[int]()

    def scan(data: bytes, start: int = 0, *, after: int | None = None) -> JournalScan:
        sizes.append(len(data))
        return scan_lines(data, start, after=after)

    monkeypatch.setattr(state_reader, "LONG", 1)
    monkeypatch.setattr(state_reader, "scan_lines", scan)
    return sizes


def drive(root: Path, steps: int) -> list[str]:
    with files_at(root) as store, store.lease("loop-1") as lease:
        for n in range(steps):
            retitle(store, f"title {n}", epoch=lease.epoch)
        return [incident.kind for incident in store.read("loop-1").engine.incidents]


def test_a_lease_costs_what_was_added_since(tmp_path: Path, scanned: list[int]) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
    assert drive(tmp_path, 20) == []
    size = journal_of(tmp_path).stat().st_size
    with files_at(tmp_path) as store:
        retitle(store, "by somebody else")
    scanned.clear()
    assert drive(tmp_path, 0) == []
    assert sum(scanned) < size / 10
    with files_at(tmp_path) as store:
        assert [entry.seq for entry in store.events("loop-1")] == list(range(1, store.read("loop-1").engine.rev + 1))


@pytest.mark.parametrize("harm", ["a byte", "what was remembered", "cut short", "remembered of another"])
def test_damage_is_found(tmp_path: Path, scanned: list[int], harm: str) -> None:
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
    drive(tmp_path, 20)
    journal = journal_of(tmp_path)
    checked, data = journal.with_name("loop-1.checked"), journal.read_bytes()
    half = data.index(b"\n", len(data) // 2) + 1
    match harm:
        case "a byte":
            journal.write_bytes(data[: half - 9] + b"x" + data[half - 8 :])
        case "what was remembered":
            checked.write_bytes(b"1 2 many\n")
        case "cut short":
            journal.write_bytes(data[:half])
        case "remembered of another":
            checked.write_bytes(b"%d 7 123\n" % len(data))
    incidents = drive(tmp_path, 1)
    assert ("state_rebuilt" in incidents) == (harm == "a byte")
    assert len([*journal.parent.glob("loop-1.events.ndjson.damaged-*")]) == (harm == "a byte")
    assert drive(tmp_path, 1) == incidents
