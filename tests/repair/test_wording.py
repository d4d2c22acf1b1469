"""Which functions the words of a test speak of."""

from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.localize import compute_likenesses, extract_words
from loopwright.repair.source import SourceText

SHOP = '''class Basket:
    def discounted(self, total):
        """Members pay less."""
        return total * 9 // 10

    def add(self, item):
        self.items.append(item)
'''


def likeness(text: str) -> dict[str, float]:
    found = compute_likenesses({"shop.py": SourceText("shop.py", SHOP)}, text)
    return {getattr(node, "name", ""): value for node, value in found.items()}


def test_a_test_speaks_of_what_it_tests() -> None:
    found = likeness("def test_member_discounts():\n    assert Basket().discounted(10) == 9")
    assert found["discounted"] == 1 > found["add"] >= 0


def test_nothing_in_common() -> None:
    assert set(likeness("xyz").values()) == {0.0}


def test_words_lose_their_endings() -> None:
    assert extract_words("getItems items_added HTTPError") == {"get": 1, "item": 2, "add": 1, "http": 1}


@given(st.text(max_size=200))
def test_any_text_gives_shares(text: str) -> None:
    assert all(0 <= value <= 1 for value in likeness(text).values())
