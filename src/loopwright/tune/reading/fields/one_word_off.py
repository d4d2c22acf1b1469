"""Names that are said once, in code or in backticks, and differ in one word from a field that the skill shows."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from loopwright.tune.reading.fields.keyed import LONGEST
from loopwright.tune.reading.fields.near_names import Known, known_names
from loopwright.tune.reading.fields.spelled import Spelled
from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_TAKEN = re.compile(r"(?<![\w$.])([A-Za-z_]\w{0,40})\??\.([a-z]\w{3,40})(?![\w(])")
_TICKED = re.compile(r"`([a-z]\w{3,40})`")
_NAME = re.compile(r"[A-Za-z_]\w{2,60}")
_GROUPS = (
    ("path", "file", "dir", "folder", "location", "filename", "filepath"),
    ("time", "ms", "at", "ts", "s", "sec", "secs", "seconds", "timestamp", "date", "min", "minutes"),
    ("count", "num", "total", "n", "number", "nr"), ("id", "key", "ref", "sha", "commit", "rev", "revision", "hash"),
    ("name", "title", "label"), ("status", "state", "phase", "stage"), ("list", "items", "entries"),
    ("msg", "message", "text", "note", "notes", "reason", "comment"), ("errors", "failures", "failed", "fails"),
    ("result", "results", "outcome", "output"), ("max", "limit"), ("completed", "done", "finished"),
    ("started", "begun", "created"),
)  # fmt: skip
"""Words that authors use for one thing, as a part of a name."""
FEWEST, OFTEN, PREFIX, STEM = 3, 2, 4, 6
"""Fields that the skill shows; how often the right name is said; letters that two forms of one word have in common."""


def one_word_off(skill: Skill) -> Iterator[Spelled]:
    known = {name: one for name, one in known_names(skill).items() if len(words_of(name)) > 1}
    pages = [page for page in skill.pages.values() if len(page.text) <= LONGEST]
    counted = Counter(word for page in pages for word in _NAME.findall(page.text))
    for page in pages:
        for found in _TICKED.finditer(page.text) if page.kind not in ("script", "data") else ():
            if found[1] not in known and counted[found[1]] > FEWEST and len(words_of(found[1])) > 1:
                known[found[1]] = Known(found[1], page, found.start(1))
    if len(known) < FEWEST:
        return
    assigned = {one.name for one in skill.assignments}
    for page in pages:
        if page.kind in ("script", "data"):
            continue
        for start, name, root in _named(page):
            if counted[name] == 1 and name not in known and name not in assigned:
                right = _right(name, known, counted)
                if right is not None and (not root or _holds(pages, root, known)) and _is_told(page, start):
                    yield Spelled(page, start, start + len(name), name, right.name, right.where)


def _named(page: Page) -> Iterator[tuple[int, str, str]]:
    """With the variable it is a field of, where it is written so."""
    if "_" not in page.text and "." not in page.text:
        return
    yield from ((found.start(2), found[2], found[1]) for found in _TAKEN.finditer(page.text))
    yield from ((found.start(1), found[1], "") for found in _TICKED.finditer(page.text))


def _right(name: str, known: Mapping[str, Known], counted: Counter[str]) -> Known | None:
    mine = words_of(name)
    near = [one for one in known.values() if counted[one.name] >= OFTEN and _is_near(mine, words_of(one.name))]
    return near[0] if len(mine) > 1 and len(near) == 1 else None


def _is_near(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    if len(mine) != len(theirs) or {*mine} == {*theirs}:
        long = [{word[:STEM] for word in words if len(word) > PREFIX} for words in (mine, theirs)]
        return long[0] == long[1] and len(long[0]) > 1 and abs(len(mine) - len(theirs)) < OFTEN
    apart = [(one, other) for one, other in zip(mine, theirs, strict=True) if one != other]
    if len(apart) != 1:
        return False
    one, other = apart[0]
    stems = (
        one[:PREFIX] == other[:PREFIX] and min(len(one), len(other)) >= PREFIX and one.rstrip("s") != other.rstrip("s")
    )
    return stems or any(one in group and other in group for group in _GROUPS)


def _holds(pages: list[Page], root: str, known: Mapping[str, Known]) -> bool:
    """Elsewhere fields that the skill shows are taken from the variable."""
    taken = re.compile(rf"(?<![\w$.]){re.escape(root)}\??\.([a-z]\w{{3,40}})")
    return any(name in known for page in pages if f"{root}." in page.text for name in taken.findall(page.text))


def _is_told(page: Page, at: int) -> bool:
    block = page.blocks[block_at(page, at)]
    return block.kind != "heading" and block.use in ("instruction", "prompt")
