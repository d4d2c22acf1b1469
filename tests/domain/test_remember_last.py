"""Results are found again by the very objects they were made of: what is only equal may be told apart later."""

from loopwright.core.record import REMEMBERED, Record, remember_last


class Item(Record):
    name: str


def test_what_is_equal_is_not_the_same() -> None:
    calls = list[tuple[Item, ...]]()

    @remember_last
    def first(items: tuple[Item, ...], usual: str) -> Item | str:
        calls.append(items)
        return items[0] if items else usual

    one, same = Item(name="a"), Item(name="a")
    assert first((one, one), "x") is one
    assert first((*[one, one],), "x") is one
    assert len(calls) == 1, "another tuple of the same items"
    assert first((same, one), "x") is same
    assert first((one,), "x") is one
    assert first((one, same), "x") is one
    assert len(calls) == 4
    for n in range(REMEMBERED):
        first((Item(name=str(n)),), "x")
    assert first((), "other") == "other"
    assert first((one, one), "x") is one
    assert len(calls) == 4 + REMEMBERED + 2, "the oldest result is forgotten"
