"""Two lists of one choice that differ in one word."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from loopwright.tune.reading.lists.listings import Listing, listings
from loopwright.tune.reading.words.runs import times
from loopwright.tune.skill.model import Skill

MOST = 9
"""Words of a choice; what is longer is a vocabulary."""
SURE = 3
"""Words that two lists share, so that they are of one choice whatever is said of them."""


@dataclass(frozen=True, slots=True)
class Rival:
    """`wrong` stands in one list, and nowhere else, where `other` has `right`."""

    one: Listing
    start: int
    end: int
    wrong: str
    right: str
    other: Listing


def rivals(skill: Skill) -> Iterator[Rival]:
    groups: dict[frozenset[str], list[tuple[str, Listing]]] = {}
    for page in skill.pages.values():
        for one in listings(page):
            if len(one.values) <= MOST:
                for value in one.values:
                    groups.setdefault(frozenset(one.values) - {value}, []).append((value, one))
    uses = cache(partial(times, skill))
    for shared, found in groups.items():
        if len({value for value, _ in found}) > 1:
            yield from _odd(uses, shared, found)


def _odd(uses: Callable[[str], int], shared: frozenset[str], found: Sequence[tuple[str, Listing]]) -> Iterator[Rival]:
    for value, one in found:
        if sum(other == value for other, _ in found) > 1 or uses(value) != 1:
            continue
        others = [(other, two) for other, two in found if other != value and two is not one]
        if not others or one.page.kind == "script":
            continue
        right, two = max(others, key=lambda pair: uses(pair[0]))
        used = uses(right)
        same = bool(one.subject & two.subject)
        # Where neither is said elsewhere, either may be the slip; the later one is shown.
        later = (one.page.path, one.spans[0]) > (two.page.path, two.spans[0])
        marked = _both_marked(one, two)
        told = two.marked and (same or (marked and len(shared) >= SURE)) and (marked or len(shared) >= SURE)
        enough = used > 1 and (told or _is_usual(one, two, found))
        if enough or (later and used == 1 and marked):
            start, end = one.spans[one.values.index(value)]
            shown = two.spans[two.values.index(right)]
            yield Rival(one, start, end, one.page.text[start:end], two.page.text[shown[0] : shown[1]], two)


def _is_usual(one: Listing, two: Listing, found: Sequence[tuple[str, Listing]]) -> bool:
    """Several pages have the other list, in the order of this one, which is set off as values are."""
    same = [other for _, other in found if set(other.values) == set(two.values)]
    at = next(index for index, value in enumerate(one.values) if value not in two.values)
    like = len(one.values) == len(two.values) and one.values[:at] == two.values[:at]
    return one.marked and like and len(same) >= SURE and len({other.page.path for other in same}) > 1


def _both_marked(one: Listing, other: Listing) -> bool:
    """Set off from the text in both places, and not in the code of a product."""
    return one.marked and other.marked and not any(_is_code(listing) for listing in (one, other))


def _is_code(listing: Listing) -> bool:
    page = listing.page
    return any(
        block.kind == "code" and block.start <= listing.spans[0][0] < block.end and block.lang not in ("json", "")
        for block in page.blocks
    )
