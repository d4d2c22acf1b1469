"""Where a range of characters lies: lines, columns of UTF-16, and the part of the line that is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.skills.detectors.text_spans import EXCERPT, count_utf16, locate_span
from loopwright.skills.findings import Finding
from tests.tune.making import finding, page


@pytest.mark.parametrize(
    ("text", "meant", "line", "column", "column_end"),
    [
        ("a b c", "b", 1, 3, 4), ("一\n二三四", "三", 2, 2, 3), ("😀 x", "x", 1, 4, 5), ("x 😀", "😀", 1, 3, 5),
        ("a\r\nbc\r\n", "c", 2, 2, 3), ("\tx", "x", 1, 2, 3),
    ],
)  # fmt: skip
def test_columns_count_what_editors_count(text: str, meant: str, line: int, column: int, column_end: int) -> None:
    at = locate_span(text, text.index(meant), text.index(meant) + len(meant))
    assert (at.line, at.line_end, at.column, at.column_end) == (line, line, column, column_end)


def test_a_range_of_several_lines_ends_in_its_last_and_marks_its_first() -> None:
    text = "one two\nthree\nfour\n"
    at = locate_span(text, 4, text.index("four") + 2)
    assert (at.line, at.line_end, at.column, at.column_end) == (1, 3, 5, 3)
    assert (at.excerpt, at.marked) == ("one two", (4, 7))


def test_a_range_that_ends_with_the_line_does_not_begin_the_next() -> None:
    at = locate_span("one\ntwo\n", 0, 4)
    assert (at.line, at.line_end) == (1, 1)


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "start " + "x" * 500 + " HERE " + "y" * 500
    at = locate_span(text, text.index("HERE"), text.index("HERE") + 4)
    assert len(at.excerpt) == EXCERPT
    assert at.excerpt.startswith("…x")
    assert at.excerpt.endswith("y…")
    assert at.excerpt[slice(*at.marked)] == "HERE"


def test_the_beginning_of_a_long_line_stays() -> None:
    text = "  HERE " + "y" * 500
    at = locate_span(text, 2, 6)
    assert at.excerpt.startswith("HERE y")
    assert at.marked == (0, 4)


def test_what_is_not_there_has_a_place_all_the_same() -> None:
    assert locate_span("", 5, 9) == (1, 1, 1, 1, "", (0, 0))


@given(st.text(st.sampled_from("ab \t\n\r😀一"), max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_any_range_has_a_place_in_the_text(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    at = locate_span(text, start, end)
    lines = text.split("\n")
    assert 1 <= at.line <= at.line_end <= len(lines)
    assert 1 <= at.column <= count_utf16(lines[at.line - 1]) + 1
    assert 1 <= at.column_end <= count_utf16(lines[at.line_end - 1]) + 2
    assert len(at.excerpt) <= EXCERPT
    begin, stop = at.marked
    assert 0 <= begin <= stop <= len(at.excerpt)
    shown = at.excerpt[begin:stop].strip("… \t\r")
    assert shown in text[start:end]


def test_a_finding_with_a_place_comes_back_from_json() -> None:
    known = finding(page("SKILL.md", "Read a.md\n"), "a.md").evolve(column=6, column_end=10, marked=(5, 9))
    assert Finding.model_validate(known.model_dump(mode="json")) == known
    assert Finding.model_validate_json(known.model_dump_json()) == known
