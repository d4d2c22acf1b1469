"""Numbers of things that a line announces, against the list right below it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Block, Page, Skill

_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = "两三四五六七八九十"
_TOLD = re.compile(
    rf"(?<![\w.\-–])(?P<number>{'|'.join(_WORDS)}|[2-9]|1[0-2]) (?:[a-z\-]{{2,20}} ){{0,2}}(?P<noun>[a-z]{{3,20}}s)\b"
    rf"|(?P<zh>[{_CHINESE}]|[2-9])\s?(?:个|种|条|项|步|类|点)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[:：]\W{0,8}\Z")
_OTHER = re.compile(
    r"\b(?:at least|at most|up to|or more|or fewer|minimum|maximum|more than|less than|between|of the|of these|per|each"
    r"|every|first|last|top|within|after|any|choose|pick|select)\b|至少|至多|最多|不超过|以上|之一|其中|每|任选",
    re.IGNORECASE,
)
_UNITS = frozenset({
    "minutes", "hours", "seconds", "days", "weeks", "months", "years", "lines", "words", "tokens", "characters",
    "times", "rounds", "turns", "sentences", "spaces", "levels", "ways", "things", "pages", "hits", "items",
})  # fmt: skip
OFF, FEWEST = 1, 2
"""By how much a list may be off to be the one announced; entries of a list at least."""


@dataclass(frozen=True, slots=True)
class Miscount:
    page: Page
    start: int
    end: int
    words: str
    told: int
    items: int


def miscounts(skill: Skill) -> Iterator[Miscount]:
    for page in skill.pages.values():
        if page.kind not in ("script", "data", "template"):
            for index, block in enumerate(page.blocks[:-1]):
                if block.kind in ("paragraph", "heading") and page.blocks[index + 1].kind == "item":
                    yield from _below(page, block, index)


def _below(page: Page, block: Block, index: int) -> Iterator[Miscount]:
    last = block.text.rstrip().rsplit("\n", 1)[-1].rsplit(". ", 1)[-1]
    if block.use not in ("instruction", "prompt") or not (block.kind == "heading" or _ENDS.search(last)):
        return
    found = [*_TOLD.finditer(last)]
    if len(found) != 1 or _OTHER.search(last) or (found[0]["noun"] or "").lower() in _UNITS:
        return
    one = found[0]
    told, items = _number(one["number"] or one["zh"]), _items(page, index + 1)
    if items >= FEWEST and told != items and abs(told - items) <= OFF:
        start = page.text.find(last, block.start) + one.start()
        yield Miscount(page, start, start + len(one[0]), one[0], told, items)


def _items(page: Page, first: int) -> int:
    """Entries of the list's own depth, until something else than an entry or what belongs to one."""
    level, count = page.blocks[first].level, 0
    for block in page.blocks[first:]:
        if block.kind == "item" and block.level == level:
            count += 1
        elif block.kind in ("heading", "rule", "row", "html") or (
            block.level < level if block.kind == "item" else block.kind == "paragraph" and not block.level
        ):
            break
    return count


def _number(word: str) -> int:
    small = word.lower()
    if small.isdigit():
        return int(small)
    return _WORDS.index(small) + 2 if small in _WORDS else _CHINESE.index(small) + 2
