"""Who makes which file, as one table says, against who does the step that ends with it, as another says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.lists.grid import Grid, plain

_FILE = re.compile(r"`([\w\-.{}<>/*]+(?:\.[a-z]{1,5}|/))`")
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The cell at `start` names `wrong`; by the table `other` it is `right` who makes `file`."""

    grid: Grid
    start: int
    end: int
    wrong: str
    right: str
    file: str
    other: Grid


def mismatches(found: Sequence[Grid]) -> Iterator[Mismatch]:
    for other in found:
        names = other.column(0)
        if len(set(names)) < FEWEST or len(set(names)) != len(names):
            continue
        owners = _owners(other)
        for grid in found:
            if grid is not other and owners:
                yield from _against(grid, other, {*names}, owners)


def _owners(grid: Grid) -> dict[str, str]:
    """Files that one row alone names."""
    found: dict[str, set[str]] = {}
    for row in grid.rows:
        for cell in row[1:]:
            for name in _FILE.findall(cell.text):
                found.setdefault(name, set()).add(plain(row[0].text))
    return {name: next(iter(owners)) for name, owners in found.items() if len(owners) == 1}


def _against(grid: Grid, other: Grid, names: set[str], owners: dict[str, str]) -> Iterator[Mismatch]:
    for column in range(len(grid.head)):
        values = grid.column(column)
        if len(values) < FEWEST or not {*values} <= names or len({*values}) < 2:
            continue
        for files in range(len(grid.head)):
            if files != column:
                yield from _column(grid, other, column, files, owners)


def _column(grid: Grid, other: Grid, column: int, files: int, owners: dict[str, str]) -> Iterator[Mismatch]:
    """Most rows agree; one does not."""
    agree, wrong = 0, []
    for row in grid.rows:
        named = [name for name in _FILE.findall(row[files].text) if name in owners] if files < len(row) else []
        makers = {owners[name] for name in named}
        if len(makers) == 1 and column < len(row):
            agree += plain(row[column].text) in makers
            if plain(row[column].text) not in makers:
                wrong.append((row[column], next(iter(makers)), named[0]))
    if len(wrong) == 1 and agree >= FEWEST:
        cell, right, file = wrong[0]
        yield Mismatch(grid, cell.start, cell.end, plain(cell.text), right, file, other)
