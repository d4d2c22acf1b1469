import pytest

from textkit import Outline


def numbers(*levels: int) -> list[str]:
    outline = Outline()
    return [outline.heading(level, "title") for level in levels]


def test_chapters_are_counted():
    assert numbers(1, 1, 1) == ["1", "2", "3"]


def test_sections_are_counted_within_a_chapter():
    assert numbers(1, 2, 2, 3, 2) == ["1", "1.1", "1.2", "1.2.1", "1.3"]


def test_counting_starts_again_in_the_next_chapter():
    assert numbers(1, 2, 2, 1, 2) == ["1", "1.1", "1.2", "2", "2.1"]


def test_counting_starts_again_deep_down():
    assert numbers(1, 2, 3, 3, 2, 3, 1, 2, 3) == ["1", "1.1", "1.1.1", "1.1.2", "1.2", "1.2.1", "2", "2.1", "2.1.1"]


@pytest.mark.parametrize("levels", [(2,), (1, 3), (0,)])
def test_no_level_is_skipped(levels):
    with pytest.raises(ValueError, match="can not follow"):
        numbers(*levels)


def test_the_outline_as_text():
    outline = Outline()
    outline.heading(1, "Bread ")
    outline.heading(2, "Rye")
    assert outline.text() == "1 Bread\n1.1 Rye"
