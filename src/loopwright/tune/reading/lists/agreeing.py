"""Tables that give a thing two numbers, shares that do not add up, and rows that lack a cell."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.lists.grid import Grid, plain
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.tables import Cell

_MEASURED = re.compile(r"[<>≤≥~=]{0,2}\s?-?\d+(?:[.,]\d+)?\s?(?:%|[A-Za-z\u4e00-\u9fff]{1,8})?\Z")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s?%\Z")
_SHARED = re.compile(r"\bweights?\b|\bshares?\b|\ballocation\b|\bportion\b|权重|占比|比重|分配", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:total|sum|overall)\b|合计|总计|总和", re.IGNORECASE)
FEWEST = 3
OFF = 30.0
"""By how much shares may miss the whole to be shares of it."""


@dataclass(frozen=True, slots=True)
class Double:
    """The cell gives another number than the other table does for the same row and column."""

    grid: Grid
    cell: Cell
    row: str
    other: Grid
    right: str


@dataclass(frozen=True, slots=True)
class Sum:
    """`cell`: the first one of the column; `one`: the cell that another table gives otherwise, where there is one."""

    grid: Grid
    head: str
    cell: Cell
    total: float


@dataclass(frozen=True, slots=True)
class Ragged:
    page: Page
    start: int
    end: int
    cells: int
    heads: int


def doubles(found: Sequence[Grid]) -> Iterator[Double]:
    """Of tables that have three rows or more in common and agree in most of them."""
    labelled = [(grid, _labels(grid)) for grid in found]
    for number, (grid, rows) in enumerate(labelled):
        for other, others in labelled[:number]:
            common = rows.keys() & others.keys()
            if len(common) >= FEWEST and grid.head[0].lower() == other.head[0].lower():
                yield from _differing(grid, rows, other, others, common)


def _differing(
    grid: Grid, rows: dict[str, tuple[Cell, ...]], other: Grid, others: dict[str, tuple[Cell, ...]], common: set[str],
) -> Iterator[Double]:  # fmt: skip
    heads = [head.lower() for head in other.head]
    for index, head in enumerate(grid.head):
        if not index or head.lower() not in heads:
            continue
        second = heads.index(head.lower())
        pairs = [(rows[name][index], others[name][second], name) for name in sorted(common)
                 if index < len(rows[name]) and second < len(others[name])]  # fmt: skip
        measured = [pair for pair in pairs if all(_MEASURED.match(plain(cell.text)) for cell in pair[:2])]
        odd = [pair for pair in measured if plain(pair[0].text) != plain(pair[1].text)]
        if len(odd) == 1 and len(measured) >= FEWEST and grid.page is not other.page:
            one, two, name = odd[0]
            # The table whose shares add up is right.
            if _total(other, second) not in (None, 100.0) and _total(grid, index) == 100.0:
                yield Double(other, two, name, grid, plain(one.text))
            else:
                yield Double(grid, one, name, other, plain(two.text))


def _labels(grid: Grid) -> dict[str, tuple[Cell, ...]]:
    found = {plain(row[0].text).lower(): row for row in grid.rows if row and row[0].text}
    return found if len(found) == len(grid.rows) else {}


def _total(grid: Grid, index: int) -> float | None:
    shares = [_SHARE.match(cell) for cell in grid.column(index) if cell]
    return sum(float(one[1]) for one in shares if one) if shares and all(shares) else None


def sums(grid: Grid) -> Iterator[Sum]:
    """Columns of weights that are no whole."""
    if any(_WHOLE.search(cell) for cell in grid.column(0)):
        return
    for index, head in enumerate(grid.head):
        total = _total(grid, index) if index and len(grid.rows) >= FEWEST and _SHARED.search(head) else None
        if total is not None and 0 < abs(total - 100) <= OFF:
            yield Sum(grid, head, grid.rows[0][index], total)


def ragged(skill: Skill) -> Iterator[Ragged]:
    """Rows with other than as many cells as their head has, where all others have as many."""
    for page in skill.pages.values():
        if page.kind not in ("script", "data") and "|" in page.text:
            for lines in _tables(page):
                widths = [len(_parts(page.text[start:end])) for start, end in lines]
                odd = [index for index, width in enumerate(widths) if width != widths[0]]
                if len(lines) > FEWEST and widths[0] > 2 and len(odd) == 1:
                    start, end = lines[odd[0]]
                    yield Ragged(page, start, end, widths[odd[0]], widths[0])


def _tables(page: Page) -> Iterator[list[tuple[int, int]]]:
    """Rows without separators, of tables and of what is drawn as one in a fence of text."""
    run: list[tuple[int, int]] = []
    for block in page.blocks:
        if block.kind == "row" and block.use not in ("negative", "quotation"):
            if not set(page.text[block.start : block.end]) <= set("|-: \n\r"):
                run.append((block.start, block.end))
            continue
        if run:
            yield run
            run = []
        if block.kind == "code" and block.lang in ("", "text", "txt") and " | " in block.text:
            yield from _drawn(page, block.body, block.end)
    if run:
        yield run


def _drawn(page: Page, start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    run: list[tuple[int, int]] = []
    at = start
    for line in page.text[start:end].split("\n"):
        if line.count(" | ") >= 2 and not set(line) & set("{}[]<>$`=;"):
            if not set(line) <= set("|-: +"):
                run.append((at, at + len(line)))
        elif run:
            yield run
            run = []
        at += len(line) + 1
    if run:
        yield run


_INNER = re.compile(r"`[^`\n]*`")


def _parts(row: str) -> list[str]:
    return _INNER.sub("x", row).replace("\\|", "x").strip().strip("|").split("|")
