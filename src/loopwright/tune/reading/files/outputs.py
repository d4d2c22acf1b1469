"""Files that a table says a step leaves behind, against the page of the step."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from loopwright.tune.reading.lists.grid import Grid
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.tables import Cell

_MADE = re.compile(r"(?:outputs?|produces?|writes?|leaves? behind|creates?|产出|产物|输出|写出?)\Z", re.IGNORECASE)
_LINK = re.compile(r"\]\((?:\./)?([^)#\s]{1,200}\.md)\)")
_FILE = re.compile(r"`((?:[\w\-.${}]+/)*([\w\-]{3,60}\.(?:jsonl?|ya?ml|csv|tsv|md)))`")
FEWEST = 3
"""Rows whose files the pages of their steps name, so that one that is not named is a slip."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The cell's file at `start` stands on no other page, least of all on `step`, which says what it writes."""

    grid: Grid
    start: int
    end: int
    file: str
    step: str


def unknown_outputs(skill: Skill, grid: Grid) -> Iterator[Unknown]:
    column = next((index for index, title in enumerate(grid.head) if _MADE.match(title)), -1)
    if column < 0:
        return
    named, strange = 0, []
    for row in grid.rows:
        step = _step(skill, grid, row)
        for found in _FILE.finditer(row[column].text) if step and column < len(row) else ():
            if found[2] in skill.pages[step].text:
                named += 1
            elif not any(found[2] in page.text for page in skill.pages.values() if page is not grid.page):
                start = row[column].start + found.start(1)
                strange.append(Unknown(grid, start, start + len(found[1]), found[1], step))
    writing = {one.at.file for one in skill.artefacts if one.mode != "read"} if strange else set()
    if named >= FEWEST and len(strange) == 1 and strange[0].step in writing:
        yield strange[0]


def _step(skill: Skill, grid: Grid, row: tuple[Cell, ...]) -> str:
    """The one page that the row links to, of those that are worked through."""
    links = {
        normpath(join(dirname(grid.page.path), found)) for cell in row for found in _LINK.findall(cell.text)
    } & skill.pages.keys()
    pages = [path for path in sorted(links) if skill.pages[path].kind in ("phase", "action", "role")]
    return pages[0] if len(pages) == 1 else ""
