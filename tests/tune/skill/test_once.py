"""What is worked out once for a page holds for that page alone."""

from collections.abc import Iterator

from loopwright.tune.skill.model import Page
from loopwright.tune.skill.once import KEPT, once
from tests.tune.making import page


def test_it_is_read_once_for_each_page_also_for_one_with_the_same_text() -> None:
    read: list[Page] = []

    @once
    def words(one: Page) -> Iterator[str]:
        read.append(one)
        yield from one.text.split()

    first, same, other = page("a.md", "two words"), page("a.md", "two words"), page("b.md", "other words here")
    assert first == same
    assert [words(first), words(same), words(first), words(other), words(same)] == [
        ("two", "words"), ("two", "words"), ("two", "words"), ("other", "words", "here"), ("two", "words"),
    ]  # fmt: skip
    assert [id(one) for one in read] == [id(first), id(same), id(other)]


def test_what_is_dropped_is_read_again_and_not_taken_for_another_page() -> None:
    """The place in memory of a page that is gone may be another page's."""

    @once
    def text(one: Page) -> Iterator[str]:
        yield one.text

    assert all(text(page("a.md", f"page {number}")) == (f"page {number}",) for number in range(3 * KEPT))
