"""Words in a column of values that nothing else in the skill says."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.reading.words.runs import times
from loopwright.tune.skill.model import Page, Skill

_WORD = re.compile(r"[`*]{0,3}([A-Za-z][\w\-]{1,24})[`*]{0,3}\Z")
_SETTING = re.compile(r"(?:default )?values?|defaults?|settings?|types?|(?:默认)?值|默认|设定|类型", re.IGNORECASE)
"""Heads of columns in which each row has a value of its own thing."""
_NUMBER = re.compile(r"\d+")
FEWEST, OFTEN = 2, 3
"""Other values of the column, and how often the skill says each of them at least."""


@dataclass(frozen=True, slots=True)
class Alone:
    page: Page
    start: int
    end: int
    value: str
    head: str
    others: tuple[str, ...]


def cells_alone(skill: Skill) -> Iterator[Alone]:
    """Of columns whose other cells repeat few values, in letters of one kind."""
    pages = [page for page in skill.pages.values() if page.kind not in ("script", "data") and "|" in page.text]
    columns = [column for page in pages for column in (*_of_tables(page), *_of_drawings(page))]
    if not columns:
        return
    for page, head, cells in columns:
        counted = Counter(word for word, _ in cells)
        alone = [(word, at) for word, at in cells if times(skill, word.lower()) == 1]
        others = [word for word in counted if all(word != one for one, _ in alone)]
        if len(alone) != 1 or not FEWEST <= len(others) <= len(cells) / 2 or max(counted.values()) < FEWEST:
            continue
        word, at = alone[0]
        if _NUMBER.sub("#", word) in {_NUMBER.sub("#", other) for other in others}:
            continue  # L4 beside L2 and L3
        usual = all(times(skill, other.lower()) >= OFTEN for other in others)
        if usual and len({other.isupper() for other in (*others, word)}) == 1:
            yield Alone(page, at, at + len(word), word, head, tuple(others))


Column = tuple[Page, str, list[tuple[str, int]]]


def _of_tables(page: Page) -> Iterator[Column]:
    for grid in grids(page):
        for index, head in enumerate(grid.head):
            cells = [row[index] for row in grid.rows if index < len(row)]
            found = [_WORD.match(cell.text) for cell in cells]
            if index and len(cells) > FEWEST and all(found) and not _SETTING.fullmatch(head.strip("*` ")):
                yield page, head, [(m[1], cell.start + m.start(1)) for m, cell in zip(found, cells, strict=True) if m]


def _of_drawings(page: Page) -> Iterator[Column]:
    """Rows with bars in a fence of text."""
    for block in page.blocks:
        if block.kind != "code" or block.lang not in ("", "text", "txt") or " | " not in block.text:
            continue
        rows: list[list[tuple[str, int]]] = []
        at = block.body
        for line in block.text.split("\n"):
            cells, place = [], at
            for cell in line.split("|"):
                cells.append((cell.strip(), place + len(cell) - len(cell.lstrip())))
                place += len(cell) + 1
            if len(cells) > FEWEST and (not rows or len(cells) == len(rows[0])):
                rows.append(cells)
            at += len(line) + 1
        for index in range(1, len(rows[0]) if len(rows) > FEWEST else 0):
            cells = [row[index] for row in rows]
            words = [(m[1], start + m.start(1)) for text, start in cells if (m := _WORD.match(text))]
            if len(words) >= len(cells) - 1:
                yield page, "", words
