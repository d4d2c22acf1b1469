"""Tables that list the pages of one folder, and those that they leave out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname

from loopwright.tune.reading.lists.grid import Grid
from loopwright.tune.skill.model import Page, Skill

_ASIDE = re.compile(
    r"(?:readme|index|orchestrator|coordinator|.{0,80}schema|_.*|.{0,80}template|constraints|overview|shared|common|menu"
    r"|help|.{0,80}abort|.{0,80}cleanup"
    r"|.{0,80}init|main|shim|state|.{0,80}error.{0,80}|.{0,80}resume|.{0,80}recover.{0,80})\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(?:(?:phase|step|stage|action)[-_]?)?\d+[a-z]?[-_.]", re.IGNORECASE)
_FIRST = re.compile(r"(?:[a-z]{1,8}[-_]?)?0+[-_.]", re.IGNORECASE)
"""What is numbered 0 comes before what is counted."""
FEWEST, MOST = 3, 0.7
"""Members that a table lists, and the share of all members; also of its rows those that are of the family."""


@dataclass(frozen=True, slots=True)
class Gap:
    """`after`: the index of the row behind which the member belongs, or -1."""

    grid: Grid
    member: Page
    after: int
    listed: dict[str, int]
    """By path of a member the index of its row."""


def gaps(skill: Skill, grid: Grid) -> Iterator[Gap]:
    """Members of a family that the table lists but for one or two."""
    for members in _families(skill):
        listed = {page.path: index for page in members if (index := _row_of(grid, page)) >= 0}
        missing = [page for page in members if page.path not in listed]
        if len(listed) < FEWEST or not 0 < len(missing) <= max(1, len(members) // 4):
            continue
        if len(listed) < MOST * len(members) or 2 * len(set(listed.values())) < len(grid.rows):
            continue
        for page in missing:
            before_all = _FIRST.match(_stem(page)) and not any(_FIRST.match(basename(path)) for path in listed)
            if not _ASIDE.match(_stem(page)) and not before_all and not _near(grid, page):
                before = [listed[other.path] for other in members[: members.index(page)] if other.path in listed]
                yield Gap(grid, page, max(before, default=-1), listed)


def _families(skill: Skill) -> Iterator[list[Page]]:
    """Pages that are worked through, and rules that they go by, by folder; in the order of the course."""
    order = {phase.file: phase.order for phase in skill.phases}
    folders: dict[str, list[Page]] = {}
    for page in skill.pages.values():
        if page.kind in ("phase", "action", "role", "spec") and page.path.endswith(".md") and "/" in page.path:
            folders.setdefault(dirname(page.path), []).append(page)
    for pages in folders.values():
        if len(pages) > FEWEST:
            yield sorted(pages, key=lambda page: (order.get(page.path, 999), page.path))


def _row_of(grid: Grid, page: Page) -> int:
    """By its path in any cell, or by its name in a cell alone."""
    stem = _stem(page)
    short = _NUMBERED.sub("", stem)
    if page.path == grid.page.path:
        return -1
    for index, row in enumerate(grid.rows):
        text = grid.page.text[row[0].start : row[-1].end] if row else ""
        if page.path in text or f"]({basename(page.path)})" in text or f"](./{basename(page.path)})" in text:
            return index
        first = row[0].text.strip("`*_ ").lower() if row else ""
        if first and first in (stem.lower(), short.lower(), stem.lower().removeprefix("action-")):
            return index
    return -1


def _near(grid: Grid, page: Page) -> bool:
    """The lines around the table speak of it."""
    text = grid.page.text
    around = text[max(0, grid.start - 300) : grid.start] + text[grid.end : grid.end + 400]
    return page.path in around or f"]({basename(page.path)})" in around or f"`{_stem(page)}`" in around


def _stem(page: Page) -> str:
    return basename(page.path).rsplit(".", 1)[0]
