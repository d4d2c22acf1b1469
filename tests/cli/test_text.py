"""Text on a terminal: never wider than asked, never steering it."""

import unicodedata
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.text import clean_line
from loopwright.surfaces.cli.text import (
    align_columns,
    clean_lines,
    colour_diff,
    fill_ages,
    fold_line,
    format_duration,
    format_stopwatch,
    last_line,
    mark_age,
    measure_width,
    shorten_text,
)


@given(st.text())
def test_clean_text_is_one_line_without_control_characters(text: str) -> None:
    cleaned = clean_line(text)
    assert not any(unicodedata.category(c).startswith("C") for c in cleaned)
    assert len(cleaned.splitlines()) <= 1


@given(st.text())
def test_clean_lines_keep_what_is_printed(text: str) -> None:
    assert "\x1b" not in clean_lines(text)
    assert clean_lines(text).count("\n") == text.count("\n")


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_short_text_fits(text: str, cells: int) -> None:
    assert measure_width(shorten_text(text, cells)) <= cells


def test_short_text_keeps_what_fits() -> None:
    assert shorten_text("abcdef", 6) == "abcdef"
    assert shorten_text("abcdefg", 6) == "abcde…"
    assert shorten_text("修复登录错误", 7) == "修复登…"


def test_an_escape_sequence_loses_its_escape() -> None:
    assert clean_line("\x1b[31mred\x07\n\u202egnol") == "[31mred gnol"


@given(st.text(alphabet="ab 修", max_size=200).map(str.rstrip), st.integers(min_value=20, max_value=60))
def test_a_folded_line_fits_and_loses_nothing(line: str, cells: int) -> None:
    pieces = fold_line(line, cells)
    assert " ".join(piece.strip() for piece in pieces).split() == line.split()
    longest = max((measure_width(word) for word in line.split()), default=0)
    indent = len(line) - len(line.lstrip())
    assert all(measure_width(piece) <= max(cells, longest + indent + 4) for piece in pieces)


def test_of_several_lines_the_last_one_is_shown() -> None:
    assert last_line("test_a PASSED\ntest_b \x1b[31mFAILED\n\n  \n") == "test_b [31mFAILED"
    assert last_line("\n \x07\n") == ""


cell = st.text(alphabet=st.characters(categories=("L", "N")), max_size=8)


@given(st.lists(st.tuples(cell, cell, st.just("|")), min_size=1, max_size=5))
def test_columns_stand_under_each_other(rows: list[tuple[str, str, str]]) -> None:
    assert len({measure_width(line[: line.rindex("|")]) for line in align_columns(rows)}) == 1


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-3, "0 s"), (0.4, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_800, "2 days")],
)
def test_durations(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (61, "1:01"), (3600, "1:00:00"), (3661.9, "1:01:01")])
def test_a_stopwatch(seconds: float, words: str) -> None:
    assert format_stopwatch(seconds) == words


def test_an_age_knows_time_zones() -> None:
    now = datetime(2026, 1, 22, 10, 0, tzinfo=timezone(timedelta(hours=1)))
    assert fill_ages(mark_age("2026-01-22T16:30:00+08:00"), now) == "30 min"


def test_a_coloured_diff_still_reads_the_same() -> None:
    diff = "@@ -1 +1 @@\n-a\n+b\n c"
    assert colour_diff(diff).split("\n")[1] == "\x1b[31m-a\x1b[0m"
    assert colour_diff(diff).endswith("\n c")
