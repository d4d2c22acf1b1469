"""What several rules ask of one page or skill, worked out once."""

from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import Generic, TypeVar

from loopwright.tune.skill.model import Page, Skill

Thing = TypeVar("Thing", bound=Page | Skill)
Found = TypeVar("Found")
KEPT = 128
"""Pages, or skills, whose answers are kept."""


class _Same(Generic[Thing]):
    """What equals itself alone: to compare all that two pages hold takes longer than to read them again."""

    __slots__ = ("thing",)

    def __init__(self, thing: Thing) -> None:
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing


def once(read: Callable[[Thing], Iterable[Found]]) -> Callable[[Thing], tuple[Found, ...]]:
    """All that `read` finds there, the same each time that it is asked."""

    @lru_cache(maxsize=KEPT)
    def kept(same: _Same[Thing]) -> tuple[Found, ...]:
        return tuple(read(same.thing))

    @wraps(read)
    def ask(thing: Thing) -> tuple[Found, ...]:
        return kept(_Same(thing))

    return ask
