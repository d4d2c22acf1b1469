"""Sentences that a model is told to follow and that say a certain thing: of instructions, and of prompts in code."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

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
        low = lowered(page.text)
        if page.kind in SKIPPED or not _has(low, groups):
            continue
        for start, end, wrapped in _meant(skill, page):
            if _has(low[start:end], groups):
                yield from _in(page, start, end, pattern, wrapped)


@lru_cache(maxsize=64)
def lowered(text: str) -> str:
    """In small letters, character by character."""
    low = text.lower()
    return low if len(low) == len(text) else text


def _has(low: str, groups: tuple[tuple[str, ...], ...]) -> bool:
    return all(any(stem in low for stem in group) for group in groups)


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
