import pytest

from gridprint import clip, display_width, pad, strip_codes

RED = "\x1b[31m"
RESET = "\x1b[0m"


def test_plain_text_is_one_cell_a_letter():
    assert display_width("hello") == 5


def test_colour_codes_take_no_room():
    assert display_width(f"{RED}hello{RESET}") == 5
    assert strip_codes(f"{RED}hello{RESET}") == "hello"


def test_wide_characters_take_two_cells():
    assert display_width("日本") == 4


def test_combining_marks_take_no_cell():
    assert display_width("e\u0301") == 1


@pytest.mark.parametrize(
    "align, expected",
    [("l", "ab   "), ("r", "   ab"), ("c", " ab  ")],
)
def test_pad(align, expected):
    assert pad("ab", 5, align) == expected


def test_pad_leaves_long_text_alone():
    assert pad("abcdef", 3) == "abcdef"


def test_pad_wide_text():
    assert pad("日本", 6, "r") == "  日本"


def test_pad_unknown_alignment():
    with pytest.raises(ValueError):
        pad("a", 4, "x")


def test_clip_short_text_is_unchanged():
    assert clip("abc", 3) == "abc"


def test_clip_ends_in_marker():
    assert clip("abcdef", 4) == "abc…"


def test_clip_does_not_split_a_wide_character():
    assert clip("日本語", 4) == "日…"


def test_clip_closes_an_open_colour():
    assert clip(f"{RED}abcdef{RESET}", 3) == f"{RED}ab…{RESET}"


def test_clip_needs_no_reset_after_a_closed_colour():
    assert clip(f"{RED}a{RESET}bcdef", 3) == f"{RED}a{RESET}b…"


def test_clip_without_room_for_the_marker():
    assert clip("abcdef", 2, marker="...") == ""
