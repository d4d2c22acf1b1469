"""The same passage stands in several files that are read in one run."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.skill.model import Block, Page, Skill

KINDS = frozenset({"skill", "phase", "action", "role", "spec", "reference"})
SOURCES = frozenset({"spec", "reference", "skill"})
LEAST, LINES = 140, 3
"""Characters, and lines, that a passage has in common at least."""
CODE = 8
"""Lines of fenced text."""
EVERYWHERE = 4
"""Files that all carry a passage do so on purpose: each of them is to stand alone."""
LARGE = 10 * LEAST
"""Characters that two steps, or two roles, have in common without a page that both could name: less is left alone."""
_SPACE = re.compile(r"\s+")


class Line(NamedTuple):
    """A line of the page that says something; `key` is what it says."""

    key: str
    start: int
    end: int
    block: Block


class Shared(NamedTuple):
    page: Page
    start: int
    end: int
    other: Page
    place: int
    size: int
    lines: int


def look(skill: Skill) -> Iterator[Hit]:
    pages = [page for page in skill.pages.values() if page.kind in KINDS and page.path.lower().endswith(".md")]
    if len(pages) < 2:
        return
    lines = {page.path: _lines(page) for page in pages}
    shared = [*_shared(pages, lines)]
    carriers: dict[str, set[str]] = {}
    for one in shared:
        carriers.setdefault(_beginning(one), set()).update((one.page.path, one.other.path))
    for one in shared:
        yield _hit(skill, one, hint=len(carriers[_beginning(one)]) >= EVERYWHERE)
    yield from _of_code(skill, pages)


def _of_code(skill: Skill, pages: list[Page]) -> Iterator[Hit]:
    """The same fenced text on two pages."""
    where: dict[str, list[tuple[Page, Block]]] = {}
    for page in pages:
        for block in page.blocks:
            if block.kind == "code" and block.use != "negative" and block.text.count("\n") >= CODE:
                where.setdefault(_SPACE.sub(" ", block.text).strip(), []).append((page, block))
    for text, places in where.items():
        if len(text) >= 2 * LEAST and len({page.path for page, _ in places}) > 1:
            ranked = sorted(places, key=lambda at: (at[0].kind not in SOURCES or at[0].kind == "skill", at[0].path))
            (other, source), many = ranked[0], len({page.path for page, _ in places}) >= EVERYWHERE
            for page, block in ranked[1:]:
                if page is not other:
                    size, count = len(text), block.text.count("\n") + 1
                    one = Shared(page, block.start, block.end, other, source.start, size, count)
                    yield _hit(skill, one, hint=many and other.kind != "spec")


def _beginning(one: Shared) -> str:
    return one.page.text[one.start : one.start + 40]


def _lines(page: Page) -> tuple[Line, ...]:
    """Of all blocks that are words or tables; code and headings in between are passed over."""
    found: list[Line] = []
    for block in page.blocks:
        if block.kind in ("paragraph", "item", "row", "heading") and block.use in (
            "instruction",
            "reference",
            "prompt",
        ):
            key = _SPACE.sub(" ", block.text.strip("#|-*> \t")).casefold()
            if key.strip("-| :"):
                found.append(Line(key, block.start, block.end, block))
    return tuple(found)


def _shared(pages: list[Page], lines: dict[str, tuple[Line, ...]]) -> Iterator[Shared]:
    """The longest passages of each page that an earlier, or more general, page has, too."""
    ranked = sorted(pages, key=lambda page: (page.kind not in SOURCES or page.kind == "skill", page.path))
    where: dict[str, list[tuple[Page, int]]] = {}
    for page in ranked:
        own, at = lines[page.path], 0
        while at < len(own):
            places = where.get(own[at].key, ())
            found = ((_common(own, at, lines[other.path], place), other, place) for other, place in places)
            best = max(found, key=lambda one: one[0], default=None)
            count = best[0] if best else 0
            if best and count >= 2:
                run = own[at : at + count]
                size = sum(len(line.key) for line in run if line.block.kind != "heading")
                if size >= LEAST and sum(line.block.kind != "heading" for line in run) >= LINES:
                    place = lines[best[1].path][best[2]].start
                    yield Shared(page, run[0].start, run[-1].end, best[1], place, size, count)
                at += count
            else:
                at += 1
        for number, line in enumerate(own):
            if len(where.setdefault(line.key, [])) < 4:
                where[line.key].append((page, number))


def _common(one: tuple[Line, ...], at: int, other: tuple[Line, ...], place: int) -> int:
    count = 0
    while at + count < len(one) and place + count < len(other) and one[at + count].key == other[place + count].key:
        count += 1
    return count


def _hit(skill: Skill, one: Shared, *, hint: bool) -> Hit:
    page, other = one.page, one.other
    line = other.text.count("\n", 0, one.place) + 1
    told = any(ref.resolved == other.path and ref.at.file == page.path for ref in skill.references)
    shared = {page.kind, other.kind} & SOURCES
    much = one.size > (3 * LEAST if shared else LARGE) and {page.kind, other.kind} != {"reference"}
    return Hit(
        file=page.path, start=one.start, end=one.end,
        subject=f"{other.path}:{_SPACE.sub(' ', page.text[one.start : one.start + 80])[:40]}",
        message=f"{one.lines} lines stand in {other.path} (line {line}) word for word, too",
        advice=f"Keep them in {other.path} alone and name that file here.",
        severity="medium" if (told and shared) or much else "low", confidence="hint" if hint else None,
        also=(f"{other.path}:{line}",), facts={"other": other.path, "told": "yes" if told else ""},
    )  # fmt: skip


DETECTOR = Detector(
    rule="duplicated-block",
    dimension="context",
    severity="medium",
    confidence="likely",
    strategy="context_summarization",
    title="The same passage stands in several files",
    why="It is paid for twice in one context, and once one copy is changed the model reads two rules that differ.",
    advice="Keep it in one file and name that file at the other places.",
    look=look,
)
