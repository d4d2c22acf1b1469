"""Sections: each heading with all below it."""

import re

from loopwright.tune.skill.concepts import LONGEST, concept_of
from loopwright.tune.skill.model import Section
from loopwright.tune.skill.scanner import Piece

_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


def sections_of(text: str, starts: tuple[int, ...], pieces: list[Piece]) -> tuple[Section, ...]:
    """In the order of the page. A level that is left out (# then ###) makes no section of its own."""
    headings = [piece for piece in pieces if piece.kind == "heading"]
    parents, ends = _nesting([piece.level for piece in headings])
    last = len(starts) - (starts[-1] == len(text) and len(starts) > 1)
    sections = []
    for number, piece in enumerate(headings):
        following = headings[ends[number]] if ends[number] < len(headings) else None
        title = title_of(text[piece.body : piece.stop])
        sections.append(
            Section(
                title=title,
                level=piece.level,
                start=starts[piece.first],
                body=starts[piece.last + 1] if piece.last + 1 < len(starts) else len(text),
                end=starts[following.first] if following else len(text),
                line=piece.first + 1,
                line_end=following.first if following else last,
                parent=parents[number],
                concept=concept_of(title[:LONGEST]),
            )
        )
    return tuple(sections)


def title_of(heading: str) -> str:
    """The words of a heading without marks of emphasis."""
    words = heading.strip()
    return _EMPHASIS.sub("", words) if "*" in words or "_" in words else words


def _nesting(levels: list[int]) -> tuple[list[int], list[int]]:
    """For each heading its parent's number or -1, and the number of the heading that ends it."""
    parents, ends = [-1] * len(levels), [len(levels)] * len(levels)
    above: list[int] = []
    for number, level in enumerate(levels):
        while above and levels[above[-1]] >= level:
            ends[above.pop()] = number
        parents[number] = above[-1] if above else -1
        above.append(number)
    return parents, ends
