"""Lists of words that stand for a choice: alternatives in a line, cells of a column, labels of entries, titles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.lists.alternatives import WORD, alternatives
from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page
from loopwright.tune.skill.once import once

_ONE = re.compile(WORD)
_LABEL = re.compile(rf"(?:\*\*`?|`)({WORD})(?:`?\*\*|`)|({WORD})(?=[:：]| [—–-] )")
_FOLDERS = frozenset({"path", "docs", "src", "app", "lib", "tests", "scripts", "assets", "references", "templates"})
"""Words of paths, whose parts are no choice."""
_MARKS = "`*_\"' "
_SUBJECT = re.compile(r"[a-z]{3,}|[\u4e00-\u9fff]{2}")
_NO_SUBJECT = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "one",
        "must",
        "can",
        "each",
        "are",
        "its",
        "this",
        "that",
        "value",
        "values",
        "type",
        "name",
        "list",
        "string",
        "field",
        "column",
        "default",
        "possible",
        "allowed",
        "valid",
        "not",
        "use",
        "using",
        "only",
    ]
)
FEWEST, LONGEST = 3, 200_000
"""Words of a choice that can be told from another one; characters of a page that is read."""
ABOVE, LINE = 200, 60
"""Characters of what introduces a list, and of the line before it, that tell what the choice is of."""


@dataclass(frozen=True, slots=True)
class Listing:
    """`values` in small letters, with where each stands; `subject`: words that say what they are values of.

    `marked`: set off from the text by quotes, backticks, emphasis, a table or a title.
    """

    page: Page
    values: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    subject: frozenset[str]
    marked: bool


@once
def listings(page: Page) -> Iterator[Listing]:
    if len(page.text) > LONGEST:
        return
    yield from _in_lines(page)
    if page.kind not in ("script", "data"):
        yield from _in_columns(page)
        yield from _in_items(page)
        yield from _in_titles(page)


def _in_lines(page: Page) -> Iterator[Listing]:
    text, taken = page.text, -1
    for one in alternatives(text):
        index = block_at(page, one.start())
        block = page.blocks[index] if index >= 0 else None
        cut = block is not None and block.kind == "row" and "|" in one[0].replace("\\|", "")
        if block is None or cut or one.start() < taken or block.use in ("negative", "quotation"):
            continue
        words = [word for word in _ONE.finditer(text, one.start(), one.end()) if word[0].lower() not in ("or", "and")]
        values = tuple(word[0].lower() for word in words)
        if len({*values}) == len(values) >= FEWEST and not _FOLDERS & {*values}:
            taken = one.end()
            line = max(text.rfind("\n", 0, one.start()) + 1, one.start() - LINE)
            marked = text[one.start()] in _MARKS or "|" in one[0]
            spans = tuple(word.span() for word in words)
            yield Listing(page, values, spans, subject_of(text[line : one.start()]), marked)


def _in_columns(page: Page) -> Iterator[Listing]:
    for grid in grids(page):
        title = _section(page, grid.start)
        for index, head in enumerate(grid.head):
            cells = [row[index] for row in grid.rows if index < len(row)]
            words = [cell.text.strip(_MARKS) for cell in cells]
            if len(words) >= FEWEST and len({*words}) == len(words) and all(map(_ONE.fullmatch, words)):
                spans = tuple(
                    (start := page.text.find(word, cell.start, cell.end), start + len(word))
                    for cell, word in zip(cells, words, strict=True)
                )
                yield Listing(page, tuple(map(str.lower, words)), spans, subject_of(f"{head} {title}"), True)


def _in_items(page: Page) -> Iterator[Listing]:
    run: list[tuple[str, int]] = []
    for number, block in enumerate(page.blocks):
        found = _LABEL.match(block.text) if block.kind == "item" else None
        if found is not None:
            run.append((found[1] or found[2], block.body + found.start(1 if found[1] else 2)))
        if run and (found is None or number + 1 == len(page.blocks)):
            if len({word for word, _ in run}) == len(run) >= FEWEST:
                yield _labelled(page, run)
            run = []


def _labelled(page: Page, run: list[tuple[str, int]]) -> Listing:
    line = page.text.rfind("\n", 0, run[0][1])
    above = page.text[max(0, line - ABOVE) : max(line, 0)].rstrip()
    told = above.rsplit("\n", 1)[-1] + " " + _section(page, run[0][1])
    return Listing(
        page, tuple(word.lower() for word, _ in run), tuple((at, at + len(word)) for word, at in run),
        subject_of(told), True,
    )  # fmt: skip


def _in_titles(page: Page) -> Iterator[Listing]:
    groups: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for section in page.sections:
        title = section.title.strip(_MARKS)
        if _ONE.fullmatch(title):
            groups.setdefault((section.parent, section.level), []).append((title, page.text.find(title, section.start)))
    for (parent, _), titles in groups.items():
        if len({word for word, _ in titles}) == len(titles) >= FEWEST and parent >= 0:
            above = page.sections[parent].title
            yield Listing(
                page, tuple(word.lower() for word, _ in titles), tuple((at, at + len(word)) for word, at in titles),
                subject_of(above), False,
            )  # fmt: skip


def _section(page: Page, at: int) -> str:
    """The title of the section that the place lies in."""
    index = block_at(page, at)
    number = page.blocks[index].section if index >= 0 else -1
    return page.sections[number].title if number >= 0 else ""


def subject_of(text: str) -> frozenset[str]:
    """What the words are about, without their plural."""
    words = _SUBJECT.findall(text.lower().replace("_", " "))
    return frozenset(word.removesuffix("s") if word < "\u4e00" else word for word in words) - _NO_SUBJECT
