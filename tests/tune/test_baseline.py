"""The file of accepted findings: what it holds, what is no longer true of it, and what is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.skills.accepted import Baseline, baseline_of, encode_baseline, parse_baseline
from loopwright.skills.findings import Finding
from tests.tables import each
from tests.tune.making import finding, page

PAGE = page("SKILL.md", "Read a.md, b.md and 第三.md.\n")
A, B, C = (finding(PAGE, name) for name in ("a.md", "b.md", "第三.md"))
WHEN = "2026-01-22T10:00:00+08:00"


def made(**found: tuple[Finding, ...]) -> Baseline:
    return baseline_of(found, version="1.2", created=WHEN)


def test_it_comes_back_as_it_was_written() -> None:
    baseline = made(one=(B, A), two=(C,))
    assert parse_baseline("x", encode_baseline(baseline)) == baseline


def test_one_entry_is_one_line_in_an_order_that_does_not_depend_on_the_finding() -> None:
    lines = encode_baseline(made(two=(C,), one=(B, A))).decode().splitlines()
    assert encode_baseline(made(one=(A, B), two=(C,))).decode().splitlines() == lines
    assert lines[0] == '{"schema": 1, "version": "1.2", "created": "2026-01-22T10:00:00+08:00", "entries": ['
    assert [json.loads(line.rstrip(","))["skill"] for line in lines[1:-1]] == ["one", "one", "two"]
    assert lines[-1] == "]}"


def test_nothing_found_is_a_baseline_too() -> None:
    assert parse_baseline("x", encode_baseline(made())) == made()
    assert json.loads(encode_baseline(made()))["entries"] == []


def test_what_is_accepted_of_one_skill_is_not_of_another() -> None:
    baseline = made(one=(A, B), two=(B,))
    assert baseline.accepted("one") == {A.fingerprint, B.fingerprint}
    assert baseline.accepted("two") == {B.fingerprint}
    assert baseline.accepted("three") == frozenset()


def test_what_no_longer_occurs_is_told_and_can_be_taken_out() -> None:
    baseline = made(one=(A, B), two=(A,))
    gone = baseline.gone("one", [B, C])
    assert [(entry.skill, entry.fingerprint) for entry in gone] == [("one", A.fingerprint)]
    left = baseline.without(gone)
    assert left.accepted("one") == {B.fingerprint}
    assert left.accepted("two") == {A.fingerprint}
    assert baseline.gone("one", [A, B]) == ()


def test_a_finding_that_moved_or_is_told_otherwise_is_still_accepted() -> None:
    moved = A.evolve(line=7, line_end=7, start=70, end=74, message="told otherwise", severity="low")
    assert moved.fingerprint in made(one=(A,)).accepted("one")


@each(
    ("data", "words"),
    [
        (b"", "is not JSON"), (b"\xff", "is not JSON"), (b"[" * 100_000, "is not JSON"), (b"[]", "is not a baseline"),
        (b"{}", "version"), (b'{"schema": 1, "version": "1", "created": "x"}', "created"),
        (b'{"schema": 0, "version": "1", "created": "2026-01-22T10:00:00Z"}', "schema"),
        (b'{"version": "1", "created": "2026-01-22T10:00:00Z", "entries": [{}]}', "entries.0.skill"),
    ],
)  # fmt: skip
def test_what_is_no_baseline_is_refused_with_what_helps(data: bytes, words: str) -> None:
    with pytest.raises(Invalid, match=r"mine\.json: .*--update-baseline") as caught:
        parse_baseline("mine.json", data)
    assert words in str(caught.value)


def test_a_newer_one_is_not_taken_for_a_broken_one() -> None:
    with pytest.raises(NewerSchema, match=r"mine\.json: has schema 2"):
        parse_baseline("mine.json", b'{"schema": 2, "findings": {}}')


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_comes_back(file: str, message: str) -> None:
    odd = A.evolve(file=file.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"), message=message)
    baseline = made(one=(odd,))
    assert parse_baseline("x", encode_baseline(baseline)) == baseline


@given(st.binary(max_size=60))
def test_any_bytes_are_refused_or_read(data: bytes) -> None:
    refused = False
    try:
        found = parse_baseline("x", data)
    except (Invalid, NewerSchema):
        refused = True
    assert refused or isinstance(found, Baseline)
