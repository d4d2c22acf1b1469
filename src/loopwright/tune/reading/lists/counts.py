"""Numbers of things that the text tells, against the rows of the table that lists them."""

import re
from dataclasses import dataclass
from itertools import pairwise

from loopwright.tune.reading.lists.grid import Grid

_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = "零一二三四五六七八九十"
_COUNT = re.compile(
    rf"\b({'|'.join(_ENGLISH[2:])}|\d{{1,2}}) (?:\w+ )?([a-z]{{3,20}}s)\b|([两{_CHINESE[2:]}]"
    rf"|\d{{1,2}})\s?(?:个|种|条|项|步|类|张)\s?([\u4e00-\u9fff]{{2,4}})",
    re.IGNORECASE,
)
NEAR, OFF = 400, 2
"""Characters before a table in which its size is told; by how much it may be off to be the same thing still."""


@dataclass(frozen=True, slots=True)
class Count:
    told: int
    words: str
    start: int
    end: int
    rows: int


def miscounted(grid: Grid) -> Count | None:
    """Where the title of its section, or the text right before it, tells another number of what the table lists."""
    page = grid.page
    section = page.sections[grid.section] if grid.section >= 0 else None
    start = max(grid.start - NEAR, section.start if section else 0)
    lines = page.text[start : grid.start]
    if section is not None and section.body <= grid.start and lines.count("\n|") > 1:
        return None
    for found in _COUNT.finditer(lines):
        told, noun = _number(found[1] or found[3]), (found[2] or found[4]).lower()
        titled = section is not None and start + found.start() < section.body
        if (
            told != len(grid.rows)
            and abs(told - len(grid.rows)) <= OFF
            and (_heads(grid, noun) or (titled and _counts(grid)))
        ):
            return Count(told, found[0], start + found.start(), start + found.end(), len(grid.rows))
    return None


def missing_number(grid: Grid) -> tuple[int, int] | None:
    """The one number that a counting column leaves out, and the index of the row before it."""
    column = grid.column(0)
    if len(column) < 4 or not all(cell.isdigit() for cell in column):
        return None
    numbers = [int(cell) for cell in column]
    jumps = [index for index, (one, two) in enumerate(pairwise(numbers)) if two - one != 1]
    if numbers[0] not in (0, 1) or len(jumps) != 1 or numbers[jumps[0] + 1] - numbers[jumps[0]] != 2:
        return None
    return numbers[jumps[0]] + 1, jumps[0]


def _number(word: str) -> int:
    small = word.lower()
    if small.isdigit():
        return int(small)
    if small in _ENGLISH:
        return _ENGLISH.index(small)
    return 2 if small == "两" else _CHINESE.index(small)


def _heads(grid: Grid, noun: str) -> bool:
    """The noun is the title of the table's first columns."""
    one = noun.removesuffix("s")
    return any(title.lower() in (noun, one) for title in grid.head[:2])


def _counts(grid: Grid) -> bool:
    """The rows are numbered from 1, so that the table lists all of them."""
    column = grid.column(0)
    return column == [str(n) for n in range(1, len(column) + 1)]
