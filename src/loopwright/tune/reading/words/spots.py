"""Finds rare words in long texts without trying a large pattern at every character."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache

from loopwright.tune.skill.letters import CJK, among, has, small, wide
from loopwright.tune.skill.model import Block, Page

BEFORE, AFTER = 40, 120
"""Characters around a stem that the pattern may take in."""


def spotted(text: str, patterns: Mapping[str, re.Pattern[str]]) -> list[re.Match[str]]:
    """Where a pattern holds around its stem (in small letters), in order; a stem that does not occur costs nothing."""
    found: dict[tuple[int, int], re.Match[str]] = {}
    for stem in among(text, tuple(patterns)):
        pattern = patterns[stem]
        for at in places(text, stem):
            match = pattern.search(text, max(0, at - BEFORE), at + AFTER)
            if match is not None and match.start() < at + len(stem) and at < match.end():
                found[match.span()] = match
    return [found[span] for span in sorted(found)]


def begun(text: str, stems: tuple[str, ...], pattern: re.Pattern[str], *, name: bool = False) -> list[re.Match[str]]:
    """Where the pattern holds from one of these stems on; `name`: from the beginning of the name that holds it."""
    found: dict[int, re.Match[str]] = {}
    for stem in among(text, stems):
        for at in places(text, stem):
            least = at - BEFORE
            while name and at > max(least, 0) and (text[at - 1].isalnum() or text[at - 1] == "_"):
                at -= 1
            match = pattern.match(text, at)
            if match is not None:
                found[at] = match
    return [found[at] for at in sorted(found)]


@lru_cache(maxsize=1024)
def places(text: str, stem: str) -> tuple[int, ...]:
    """Where the stem stands, in large or small letters. Several rules look for the same stems of a page."""
    if (stem[0] > CJK and not wide(text)) or not has(text, stem):
        return ()
    found: list[int] = []
    low = small(text)
    at = low.find(stem)
    while at >= 0:
        found.append(at)
        at = low.find(stem, at + len(stem))
    return tuple(found)


def on_lines(text: str, sign: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """All matches of a pattern that holds the sign and no end of a line: only lines with the sign are looked at."""
    at = text.find(sign)
    while at >= 0:
        end = text.find("\n", at)
        yield from pattern.finditer(text, text.rfind("\n", 0, at) + 1, end + 1 if end >= 0 else len(text))
        at = text.find(sign, end) if end >= 0 else -1


def block_at(page: Page, position: int) -> int:
    """The index of the block that holds the position, or of the last one before it; -1 before the first."""
    return bisect_right(page.blocks, position, key=_start) - 1


def _start(block: Block) -> int:
    return block.start
