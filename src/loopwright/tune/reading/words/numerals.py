"""Where numbers and signs stand in a page, so that no large pattern is tried at every character of it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from loopwright.tune.reading.words.spots import places
from loopwright.tune.skill.letters import among, small

WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_DIGITS = re.compile(r"\d(?<![^\W_].)", re.DOTALL)
_SIGNS = re.compile(r"[<>≥≤](?==?\s*\d)")


@lru_cache(maxsize=64)
def numerals(text: str) -> tuple[int, ...]:
    """Where digits begin, and words for small numbers; not behind a letter, as within other words."""
    found = [match.start() for match in _DIGITS.finditer(text)]
    for word in among(text, WORDS):
        found += [at for at in places(text, word) if not text[at - 1 : at].isalnum()]
    return tuple(sorted(found))


def from_numbers(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """All matches of a pattern that begins with a number."""
    after = 0
    for at in numerals(text):
        found = pattern.match(text, at) if at >= after else None
        if found is not None:
            after = found.end()
            yield found


def to_numbers(
    text: str, pattern: re.Pattern[str], group: str, before: int, last: tuple[str, ...]
) -> Iterator[re.Match[str]]:
    """All matches whose `group` begins with a number, at most `before` characters behind where the match begins.

    `last`: what the words before it end with, in small letters.
    """
    low = small(text)
    spots = tuple(at for at in numerals(text) if low[max(0, at - before) : at].rstrip().endswith(last))
    return _around(text, spots, pattern, group, before)


def to_signs(text: str, pattern: re.Pattern[str], group: str, before: int) -> Iterator[re.Match[str]]:
    """All matches whose `group` begins with a sign of comparison, before a number."""
    return _around(text, tuple(match.start() for match in _SIGNS.finditer(text)), pattern, group, before)


def _around(
    text: str, spots: tuple[int, ...], pattern: re.Pattern[str], group: str, before: int
) -> Iterator[re.Match[str]]:
    after = 0
    for at in spots:
        begin = max(after, at - before)
        found = pattern.search(text, begin, at + before) if at >= after else None
        while found is not None and found.start(group) < at:
            found = pattern.search(text, found.start() + 1, at + before)
        if found is not None and found.start(group) == at:
            after = found.end()
            yield found
