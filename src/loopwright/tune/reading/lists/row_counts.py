"""Two tables that count the same things by the same rows, and differ in one row."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.lists.grid import Grid, plain
from loopwright.tune.skill.model import Skill

_COUNTED = re.compile(r"(?<![\w.\-])(\d{1,3})[- ]([a-z]{3,20}|[\u4e00-\u9fff]{1,3})(?![\w\u4e00-\u9fff])")
_PER = re.compile(
    r"\b(?:max|min|at most|at least|up to|every|each|after|within|per|timeout)\b|[<≤≥]|(?<![-=])>|最多|至少|每",
    re.IGNORECASE,
)
FEWEST = 2
"""Rows that both tables have, with a number of the same things."""


@dataclass(frozen=True, slots=True)
class RowCount:
    """At `start` a row of `grid` has another number than its twin; `right` is what more places of the skill say."""

    grid: Grid
    start: int
    end: int
    row: str
    noun: str
    wrong: str
    right: str
    other: Grid
    at: int


_Numbers = dict[tuple[str, str], tuple[str, int, int]]


def row_counts(skill: Skill, found: Sequence[Grid]) -> Iterator[RowCount]:
    counted = [(grid, numbers) for grid in found if len(numbers := _numbers(grid)) >= FEWEST]
    for number, (grid, mine) in enumerate(counted):
        for other, theirs in counted[:number]:
            common = mine.keys() & theirs.keys()
            odd = [key for key in common if mine[key][0] != theirs[key][0]]
            if len(common) < FEWEST or len(odd) != 1 or len(common) - len(odd) < 1:
                continue
            noun = odd[0][1]
            said = Counter(
                one[1] for page in skill.pages.values() for one in _COUNTED.finditer(page.text) if one[2] == noun
            )
            here, there = said[mine[odd[0]][0]], said[theirs[odd[0]][0]]
            if here < there:
                yield _count(grid, mine, other, theirs, odd[0])
            elif here > there:
                yield _count(other, theirs, grid, mine, odd[0])


def _count(grid: Grid, mine: _Numbers, other: Grid, theirs: _Numbers, key: tuple[str, str]) -> RowCount:
    wrong, start, end = mine[key]
    right, at, _ = theirs[key]
    return RowCount(grid, start, end, key[0], key[1], wrong, right, other, at)


def _numbers(grid: Grid) -> _Numbers:
    """By the first cell and the things counted the number, where a row counts them once."""
    labels = grid.column(0)
    if len({*labels}) < len(labels):
        return {}
    numbers: _Numbers = {}
    for label, row in zip(labels, grid.rows, strict=True):
        for cell in row[1:] if label else ():
            found = [*_COUNTED.finditer(grid.page.text, cell.start, cell.end)]
            nouns = Counter(one[2] for one in found)
            for one in found if not _PER.search(plain(cell.text)) else ():
                if nouns[one[2]] == 1:
                    numbers.setdefault((label.lower(), one[2]), (one[1], one.start(1), one.end(1)))
    return numbers
