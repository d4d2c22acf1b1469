"""Two rows of a table whose cells have changed places: each speaks of the page of the other row."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename

from loopwright.tune.reading.lists.grid import Grid

_LINK = re.compile(r"\]\(([^)\s]{1,120})\)|`([\w./\-]{1,120}\.md)`")
_WORDS = re.compile(r"[a-z]{4,}")
_COMMON = frozenset(
    {"phase", "phases", "action", "actions", "role", "roles", "step", "steps", "spec", "specs", "from", "with"}
)
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Swapped:
    """Cell `column` of rows `one` and `other`."""

    grid: Grid
    column: int
    one: int
    other: int


def swapped(grid: Grid) -> Iterator[Swapped]:
    if len(grid.rows) < FEWEST or ".md" not in grid.page.text[grid.start : grid.end]:
        return
    pages = [_page_words(row[0].text + " " + " ".join(cell.text for cell in row[1:])) for row in grid.rows]
    if sum(map(bool, pages)) < FEWEST:
        return
    own = [words - set().union(*(o for j, o in enumerate(pages) if j != i)) for i, words in enumerate(pages)]
    for column in range(len(grid.head)):
        cells = [
            {*_WORDS.findall(row[column].text.lower())}
            if column < len(row) and not _LINK.search(row[column].text)
            else set()
            for row in grid.rows
        ]
        said = [{index for index, words in enumerate(own) if cell & words} for cell in cells]
        pairs = [
            (i, j) for i in range(len(said)) for j in range(i)
            if said[i] == {j} and said[j] == {i}
        ]  # fmt: skip
        if len(pairs) == 1:
            yield Swapped(grid, column, pairs[0][1], pairs[0][0])


def _page_words(row: str) -> set[str]:
    found = _LINK.search(row)
    return {*_WORDS.findall(basename(found[1] or found[2]).rsplit(".", 1)[0].lower())} - _COMMON if found else set()
