import pytest

from textkit import Wrapper

RHYME = "the cow jumped over the moon"


def test_a_short_text_is_one_line():
    assert Wrapper(40).wrap(RHYME) == [RHYME]


def test_lines_are_filled_word_by_word():
    assert Wrapper(14).wrap(RHYME) == ["the cow jumped", "over the moon"]


def test_a_line_that_would_be_one_too_long_is_broken():
    assert Wrapper(13).wrap(RHYME) == ["the cow", "jumped over", "the moon"]


def test_an_indent_takes_room():
    assert Wrapper(12, indent="  ").wrap(RHYME) == ["  the cow", "  jumped", "  over the", "  moon"]


def test_a_quoted_text():
    assert Wrapper(11, indent="> ").wrap(RHYME) == ["> the cow", "> jumped", "> over the", "> moon"]


def test_a_long_word_gets_its_own_line():
    assert Wrapper(5).wrap("an extraordinary cow") == ["an", "extraordinary", "cow"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_to_wrap(text):
    assert Wrapper(10).wrap(text) == []
    assert Wrapper(10, indent="  ").wrap(text) == []


def test_paragraphs_stay_apart():
    assert Wrapper(8).fill("one two three\n\n\n\nfour") == "one two\nthree\n\nfour"


def test_an_indent_must_leave_room():
    with pytest.raises(ValueError, match="no room"):
        Wrapper(2, indent="  ")
