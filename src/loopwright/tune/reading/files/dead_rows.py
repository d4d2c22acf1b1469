"""Rows of a table that lists the files of a folder, for which there is no file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname

from loopwright.tune.reading.lists.grid import Grid, plain
from loopwright.tune.skill.model import Skill

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+\Z|[a-z][a-z0-9]{2,30}\Z")
_NUMBER = re.compile(r"\A\d+[-_.]")
FEWEST, MOST = 4, 0.8
"""Rows that have a file of the folder, and their share of all rows."""


@dataclass(frozen=True, slots=True)
class DeadRow:
    grid: Grid
    index: int
    name: str
    folder: str
    others: tuple[str, ...]


def dead_rows(skill: Skill, grid: Grid) -> Iterator[DeadRow]:
    names = [plain(row[0].text) if row else "" for row in grid.rows]
    # What leads to a file names it itself.
    if len(names) <= FEWEST or any("](" in cell.text or ".md" in cell.text for row in grid.rows for cell in row):
        return
    folders: dict[str, set[str]] = {}
    for path in skill.files:
        if "/" in path:
            stem = basename(path).split(".", 1)[0]
            folders.setdefault(dirname(path), set()).update((stem, _NUMBER.sub("", stem)))
    stems = {
        *(step for path in skill.files for step in path.split("/")),
        *(s for inner in folders.values() for s in inner),
    }
    for folder, inner in folders.items():
        there = [name for name in names if name in inner]
        dead = [index for index, name in enumerate(names) if name not in inner]
        if len(there) < FEWEST or len(there) < MOST * len(names) or len(dead) != 1:
            continue
        name = names[dead[0]]
        if _NAME.match(name) and name not in stems and f"{folder}/" in grid.page.text:
            yield DeadRow(grid, dead[0], name, folder, tuple(there))
