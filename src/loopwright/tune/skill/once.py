"""What several rules ask of one page, worked out once."""

from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import TypeVar

from loopwright.tune.skill.model import Page

Found = TypeVar("Found")
KEPT = 128
"""Pages whose answers are kept."""


class _Same:
    """A page that equals itself alone: to compare what two pages hold takes longer than to read them again."""

    __slots__ = ("page",)

    def __init__(self, page: Page) -> None:
        self.page = page

    def __hash__(self) -> int:
        return id(self.page)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.page is self.page


def once(read: Callable[[Page], Iterable[Found]]) -> Callable[[Page], tuple[Found, ...]]:
    """All that `read` finds on a page, the same each time that it is asked."""

    @lru_cache(maxsize=KEPT)
    def kept(same: _Same) -> tuple[Found, ...]:
        return tuple(read(same.page))

    @wraps(read)
    def ask(page: Page) -> tuple[Found, ...]:
        return kept(_Same(page))

    return ask
