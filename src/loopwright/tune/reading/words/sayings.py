"""Sentences that a model is told to follow and that say a certain thing: of instructions, and of prompts in code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.skill.letters import among, small
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.once import once

SKIPPED = frozenset({"template", "script", "data"})
MEANT = frozenset({"instruction", "prompt"})
_END = re.compile(r"[.!?](?=[\s*_\"”)]|$)|[。！？\n]")
LONGEST = 900
"""Characters of a sentence: what is longer is no sentence."""


_STORY = re.compile(
    r"\b(?:an? (?:older|earlier|previous|former) (?:guide|version|draft|edition|release)|used to|formerly|no longer"
    r"|in the past|we stopped|has been replaced|was replaced)\b|旧版|以前的版本|曾经|早先的",
    re.IGNORECASE,
)


def is_story(text: str) -> bool:
    """It tells how things were done once; nobody is to do so."""
    return _STORY.search(text) is not None


@dataclass(frozen=True, slots=True)
class Saying:
    page: Page
    text: str
    start: int
    lead: str = ""
    """The line that a list goes on from, the head of a table, or the label above a line of a prompt."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def sentences(skill: Skill, groups: tuple[tuple[str, ...], ...]) -> Iterator[Saying]:
    """All sentences of blocks, with their leads, that have a stem (in small letters) of each of the groups."""
    for page in skill.pages.values():
        if page.kind in SKIPPED:
            continue
        low = small(page.text)
        there = stems_of(page.text, groups)
        if not all(there):
            continue
        for start, end, lead, said in _led(page):
            if has_each(said, there):
                yield from _split(page, start, end, lead, there)
        for prompt in skill.prompts:
            at = prompt.at
            if (
                at.file == page.path
                and at.use in MEANT
                and prompt.call >= 0
                and has_each(low[at.start : at.end], there)
            ):
                yield from _split(page, at.start, at.end, None, there)


def _split(page: Page, start: int, end: int, lead: str | None, there: tuple[tuple[str, ...], ...]) -> Iterator[Saying]:
    """`lead`: None in a prompt, whose lines are sentences of their own."""
    text = page.text[start:end]
    if lead is not None:
        text = text.replace("\r", " ").replace("\n", " ")
    begin, before = 0, lead.lower() if lead else ""
    for stop in (*[mark.end() for mark in _END.finditer(text)], len(text)):
        sentence = text[begin:stop].rstrip()
        bare = sentence.lstrip()
        if 8 <= len(bare) <= LONGEST and has_each(f"{before} {bare.lower()}", there):
            yield Saying(page, bare, start + begin + len(sentence) - len(bare), lead or "")
        begin = stop


@once
def _led(page: Page) -> Iterator[tuple[int, int, str, str]]:
    """Blocks that are meant, with the paragraph above a list that ends with a colon, or the head of a table.

    At last both as one text in small letters.
    """
    low = small(page.text)
    lead = head = last = ""
    for block in page.blocks:
        if block.kind == "row":
            head = block.text if last != "row" else head
        elif block.kind != "item" and block.kind != "code":
            words = block.text.rstrip(" *_")
            lead = words[-200:] if words.endswith((":", "：")) else ""
        last = block.kind
        if block.use in MEANT and last in ("paragraph", "item", "row", "quote"):
            above = head if last == "row" else lead if last == "item" else ""
            said = low[block.body : block.end]
            yield block.body, block.end, above, f"{above.lower()} {said}" if above else said


@lru_cache(maxsize=128)
def stems_of(text: str, groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Of each group the stems that the page has; the rest need not be looked for in its blocks."""
    found = []
    for group in groups:
        here = among(text, group)
        found.append(here)
        if not here:
            break
    return tuple(found)


def has_each(low: str, groups: tuple[tuple[str, ...], ...]) -> bool:
    """Whether a text in small letters has a stem of each group."""
    for group in groups:
        for stem in group:
            if stem in low:
                break
        else:
            return False
    return True
