"""Whatever happens to the end of a journal, its whole lines are found; damage before them is not overlooked."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.record import JournalEvent
from loopwright.store.journal import ANY, draft_line, line_before, scan_lines

TS = "2026-01-22T10:00:00.000+08:00"


def line(seq: int, *, whole: bool = False, text: str = "x") -> bytes:
    state = {"title": text, "engine": {}} if whole else None
    patch = [{"op": "replace", "path": "/title", "value": text}]
    made = draft_line(
        seq=seq, ts=TS, actor="user", event=JournalEvent(type="edited"), epoch=None, schema=1, patch=patch, state=state
    )
    sealed = made.sealed(f"{seq:032x}")
    assert len(sealed) == len(made)
    return sealed


LINES = [line(1, whole=True), *(line(n, text="ä\n" * n) for n in range(2, 8))]
JOURNAL = b"".join(LINES)
ENDS = [sum(map(len, LINES[:n])) for n in range(len(LINES) + 1)]


def test_every_line_is_json_of_its_own() -> None:
    raw = [json.loads(text) for text in JOURNAL.splitlines()]
    assert [line["seq"] for line in raw] == list(range(1, 8))
    assert raw[0]["schema"] == 1
    assert all(("state" in line) != ("patch" in line) for line in raw)


def test_a_whole_journal_scans_whole() -> None:
    found = scan_lines(JOURNAL)
    assert ([line.seq for line in found.lines], found.end, found.rest) == ([*range(1, 8)], len(JOURNAL), "nothing")
    assert [line.end for line in found.lines] == ENDS[1:]


@given(st.integers(0, len(JOURNAL)))
def test_any_cut_leaves_the_whole_lines(cut: int) -> None:
    found = scan_lines(JOURNAL[:cut])
    assert found.end == max(end for end in ENDS if end <= cut)
    assert found.rest == ("nothing" if cut in ENDS else "torn")


@given(st.integers(0, len(JOURNAL) - 1), st.integers(1, 255))
def test_any_altered_byte_is_noticed(at: int, flip: int) -> None:
    data = bytearray(JOURNAL)
    data[at] ^= flip
    found = scan_lines(bytes(data))
    hit = max(n for n, end in enumerate(ENDS) if end <= at)
    assert len(found.lines) == hit
    assert found.rest == ("torn" if hit == len(LINES) - 1 else "damage")


@given(st.binary(min_size=1, max_size=40))
def test_garbage_at_the_end_is_a_torn_tail(garbage: bytes) -> None:
    found = scan_lines(JOURNAL + garbage)
    assert (found.end, found.rest) == (len(JOURNAL), "torn")


@pytest.mark.parametrize("lost", range(1, len(LINES) - 1))
def test_a_missing_line_is_damage(lost: int) -> None:
    found = scan_lines(b"".join(LINES[:lost] + LINES[lost + 1 :]))
    assert (len(found.lines), found.rest) == (lost, "damage")


def test_a_line_twice_is_damage() -> None:
    assert scan_lines(JOURNAL + LINES[-1]).rest == "damage"


def test_numbers_may_jump_only_to_a_whole_state() -> None:
    found = scan_lines(JOURNAL + line(20, whole=True) + line(21))
    assert ([line.seq for line in found.lines][-2:], found.rest) == ([20, 21], "nothing")
    assert scan_lines(JOURNAL + line(20)).rest == "damage"


def test_a_journal_begins_with_a_whole_state() -> None:
    assert scan_lines(line(1)).rest == "damage"
    assert len(scan_lines(line(5), after=ANY).lines) == 1


def test_the_last_line_is_found_from_the_end() -> None:
    last = line_before(JOURNAL, len(JOURNAL))
    assert last is not None
    assert last.seq == 7
    assert line_before(JOURNAL[:-1], len(JOURNAL) - 1) is None
