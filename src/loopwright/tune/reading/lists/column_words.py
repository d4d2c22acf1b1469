"""Columns of one name on two pages that have the same words but one: what one says, the other waits for in vain."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from loopwright.tune.reading.fields.keyed import LONGEST
from loopwright.tune.reading.lists.grid import grids, plain
from loopwright.tune.reading.lists.listings import subject_of
from loopwright.tune.skill.model import Page, Skill

_WORD = re.compile(r"[A-Za-z][A-Za-z_\-]{2,30}\Z")
_NO_HEAD = re.compile(
    r"(?:name|type|value|required|default|field|parameter|argument|input|source|file|path|role|phase|step|action|tool"
    r"|description|purpose|meaning|example|notes?|when|condition|output|result|priority|severity|level|table|section)s?\Z",
    re.IGNORECASE,
)
"""Heads that tables have whatever they are of."""
FEWEST, MOST = 2, 6
"""Words of a column that is a choice."""
SHARE, TWICE = 0.8, 2


@dataclass(frozen=True, slots=True)
class ColumnWord:
    """`word` stands in a column of one page alone; `right` in the column of that name elsewhere, and not here."""

    page: Page
    start: int
    end: int
    word: str
    right: str
    places: tuple[tuple[int, int], ...]
    where: str


@dataclass(frozen=True, slots=True)
class _Column:
    page: Page
    subject: frozenset[str]
    words: Mapping[str, int]


def column_words(skill: Skill) -> Iterator[ColumnWord]:
    columns = [column for page in skill.pages.values() for column in _columns(page)]
    told: set[tuple[str, str]] = set()
    for one, other in permutations(columns, 2) if len(columns) > 1 else ():
        if one.page is other.page or not one.subject & other.subject:
            continue
        mine, theirs = one.words.keys() - other.words.keys(), other.words.keys() - one.words.keys()
        if len(mine) != 1 or len(theirs) != 1 or len(one.words) != len(other.words):
            continue
        word, right = next(iter(mine)), next(iter(theirs))
        if (one.page.path, word) in told or not _is_alone(skill, one.page, word, right):
            continue
        told.add((one.page.path, word))
        start = one.words[word]
        line = other.page.text.count("\n", 0, other.words[right]) + 1
        yield ColumnWord(
            one.page, start, start + len(word), word, right, _places(one.page, word), f"{other.page.path}:{line}"
        )


def _columns(page: Page) -> Iterator[_Column]:
    if page.kind in ("script", "data") or len(page.text) > LONGEST:
        return
    for grid in grids(page):
        for index, head in enumerate(grid.head):
            if _NO_HEAD.match(head.rsplit(" ", 1)[-1]):
                continue
            cells = [row[index] for row in grid.rows if index < len(row)]
            words: dict[str, int] = {}
            for cell in cells:
                word = plain(cell.text)
                if _WORD.match(word):
                    words.setdefault(word, page.text.find(word, cell.start, cell.end))
            single = sum(bool(_WORD.match(plain(cell.text))) for cell in cells)
            if FEWEST <= len(words) <= MOST and single >= SHARE * len(cells):
                yield _Column(page, subject_of(head), words)


def _is_alone(skill: Skill, here: Page, word: str, right: str) -> bool:
    """No other page says the word, this one does not say the right one, and the others say that more than once."""
    others = [page for page in skill.pages.values() if page is not here]
    if _said(here, right) or any(_said(page, word) for page in others):
        return False
    return sum(_said(page, right) for page in others) >= TWICE


def _said(page: Page, word: str) -> int:
    return len(_places(page, word)) if word in page.text else 0


def _places(page: Page, word: str) -> tuple[tuple[int, int], ...]:
    whole = re.compile(rf"(?<![\w\-]){re.escape(word)}(?![\w\-])")
    return tuple(found.span() for found in whole.finditer(page.text))
