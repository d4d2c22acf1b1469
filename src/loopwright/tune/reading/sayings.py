"""Sentences that a model is told to follow and that say a certain thing: of instructions, and of prompts in code."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loopwright.tune.skill.letters import BEYOND, CJK, small, wide
from loopwright.tune.skill.model import Page, Skill

SKIPPED = frozenset({"template", "script", "data"})
MEANT = frozenset({"instruction", "prompt"})
_STOP = re.compile(r"[.!?](?=\s|$)|[;。；！？\n]")


@dataclass(frozen=True, slots=True)
class Saying:
    page: Page
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def sayings(skill: Skill, stems: Iterable[Iterable[str]], pattern: re.Pattern[str]) -> Iterator[Saying]:
    """Sentences in which the pattern holds. Of each group of `stems` (small letters) a block has to have one.

    The pattern meets a wrapped paragraph as one line, and each line of a prompt by itself.
    """
    groups = tuple(tuple(group) for group in stems)
    for page in skill.pages.values():
        if page.kind in SKIPPED:
            continue
        low = small(page.text)
        there = _there(low, groups)
        if not all(there):
            continue
        for start, end, wrapped in _meant(skill, page):
            if _has(low[start:end], there):
                yield from _in(page, start, end, pattern, wrapped)


def _there(low: str, groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Of each group the stems that the page has; the rest need not be looked for in its blocks."""
    latin = not wide(low)
    found = []
    for group in groups:
        here = tuple(stem for stem in group if not (latin and CJK < stem[0] < BEYOND) and stem in low)
        found.append(here)
        if not here:
            break
    return tuple(found)


def _has(low: str, groups: tuple[tuple[str, ...], ...]) -> bool:
    for group in groups:
        for stem in group:
            if stem in low:
                break
        else:
            return False
    return True


def _meant(skill: Skill, page: Page) -> Iterator[tuple[int, int, bool]]:
    for block in page.blocks:
        if block.kind in ("paragraph", "item", "row", "quote") and block.use in MEANT:
            yield block.body, block.end, True
    for prompt in skill.prompts:
        if prompt.at.file == page.path and prompt.at.use in MEANT and prompt.call >= 0:
            yield prompt.at.start, prompt.at.end, False


def _in(page: Page, start: int, end: int, pattern: re.Pattern[str], wrapped: bool) -> Iterator[Saying]:
    text = page.text[start:end]
    if wrapped:
        text = text.replace("\r", " ").replace("\n", " ")
    for found in pattern.finditer(text):
        begin, stop = 0, len(text)
        for mark in _STOP.finditer(text):
            if mark.end() <= found.start():
                begin = mark.end()
            elif mark.start() >= found.end():
                stop = mark.start()
                break
        sentence = text[begin:stop]
        lead = len(sentence) - len(sentence.lstrip())
        yield Saying(page, sentence.strip(), start + begin + lead)
