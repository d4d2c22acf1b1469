"""What several rules ask of one page or skill, worked out once."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar

from loopwright.tune.skill.model import Page, Skill

Thing = TypeVar("Thing", bound=Page | Skill)
Found = TypeVar("Found")
KEPT = 128
"""Pages, or skills, whose answers are kept."""


def once(read: Callable[[Thing], Iterable[Found]]) -> Callable[[Thing], tuple[Found, ...]]:
    """All that `read` finds there, the same each time that it is asked. It is known again by being the very same:

    to compare all that two pages hold takes longer than to read them again.
    """
    kept: dict[int, tuple[Thing, tuple[Found, ...]]] = {}

    @wraps(read)
    def ask(thing: Thing) -> tuple[Found, ...]:
        known = kept.get(id(thing))
        if known is not None and known[0] is thing:
            return known[1]
        found = tuple(read(thing))
        for oldest in list(kept)[: len(kept) + 1 - KEPT]:
            kept.pop(oldest, None)
        kept[id(thing)] = (thing, found)
        return found

    return ask
