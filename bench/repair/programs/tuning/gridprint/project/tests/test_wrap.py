import pytest

from gridprint import dedent_list, paragraphs, wrap


def test_wrap_simple():
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_wrap_exact_fit():
    assert wrap("abc def", 7) == ["abc def"]


def test_wrap_empty_text():
    assert wrap("   ", 10) == []


def test_wrap_collapses_blanks():
    assert wrap("a   b\n c", 10) == ["a b c"]


def test_wrap_hanging_indent():
    assert wrap("one two three", 9, "* ", "  ") == ["* one two", "  three"]


def test_wrap_indent_is_repeated():
    assert wrap("one two", 5, "> ") == ["> one", "> two"]


def test_long_word_is_cut():
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]


def test_text_goes_on_after_a_long_word():
    assert wrap("a bcdefg h", 4) == ["a", "bcde", "fg h"]


def test_long_word_after_hanging_indent():
    assert wrap("abcdefg", 4, "", "  ") == ["ab", "  cd", "  ef", "  g"]


def test_word_wider_than_hanging_lines_only():
    assert wrap("abcd", 4, "", "  ") == ["abcd"]


def test_wrap_counts_cells():
    assert wrap("日本 語", 5) == ["日本", "語"]


def test_wrap_refuses_an_indent_without_room():
    with pytest.raises(ValueError):
        wrap("abc", 2, "  ")


def test_paragraphs():
    assert paragraphs("a\nb\n\n\n  c\n") == ["a b", "c"]


def test_paragraphs_of_nothing():
    assert paragraphs("\n \n") == []


def test_list_points_hang_under_their_text():
    text = "- one two three\n- four"
    assert dedent_list(text, 9) == ["- one two", "  three", "- four"]


def test_list_continuation_lines_are_joined():
    assert dedent_list("1. one\n   two\n2. x", 20) == ["1. one two", "2. x"]


def test_list_lead_in_without_bullet():
    assert dedent_list("intro\n- a", 20) == ["intro", "- a"]
