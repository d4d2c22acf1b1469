"""Tables with their heads and cells, and what a cell names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.skill.model import Block, Page
from loopwright.tune.skill.once import once
from loopwright.tune.skill.tables import Cell, cells, rows

_LINK = re.compile(r"\[([^\]]{0,200})\]\(([^)]{0,300})\)")
LONGEST = 40
"""Rows of a table that is looked at; longer ones are reference."""
_MARKS = re.compile(r"[`*_\"“”]")


@dataclass(frozen=True, slots=True)
class Grid:
    """`rows` are without head and separator; `blocks` are theirs."""

    page: Page
    start: int
    end: int
    section: int
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    blocks: tuple[Block, ...]

    def column(self, index: int) -> list[str]:
        return [plain(row[index].text) if index < len(row) else "" for row in self.rows]


@once
def grids(page: Page) -> Iterator[Grid]:
    """Of instructions; with a head and two rows at least."""
    if "|" not in page.text:
        return
    for table in rows(page.blocks):
        if not 4 <= len(table) <= LONGEST or table[0].use in ("negative", "quotation", "template"):
            continue
        head = tuple(plain(cell.text) for cell in cells(page.text, table[0].start, table[0].end))
        body = tuple(tuple(cells(page.text, row.start, row.end)) for row in table[2:])
        yield Grid(page, table[0].start, table[-1].end, table[0].section, head, body, tuple(table[2:]))


@lru_cache(maxsize=4096)
def plain(cell: str) -> str:
    """Without marks; of a link its text."""
    return _MARKS.sub("", _LINK.sub(r"\1", cell)).strip()
