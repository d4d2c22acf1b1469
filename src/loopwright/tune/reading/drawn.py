"""What flows, trees and lists in fences say, line by line: steps that are drawn are followed like sentences."""

import re
from collections.abc import Iterable, Iterator

from loopwright.tune.reading.sayings import MEANT, SKIPPED, Saying
from loopwright.tune.skill.model import Block, Page, Skill
from loopwright.tune.skill.once import once

_LANGS = frozenset({"", "text", "txt", "plaintext", "plain", "pseudo", "pseudocode", "flow", "ascii"})
_MARKS = " \t│├└┌┐┘┤┬┴─━+|`-=>*•→↓▼v"
_CODE = re.compile(r"[;{]\s*\Z|\A(?:const|let|var|return|if \(|for \(|while \(|function|import|def|[{}\[\]<\"'$#/])|=>")
_WORDS = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,40}\W{1,9}[A-Za-z]{2,40}\W{1,9}[A-Za-z\d]|[\u4e00-\u9fff]{4}")
LONGEST = 300


def drawn(skill: Skill, stems: Iterable[Iterable[str]]) -> Iterator[Saying]:
    """Lines that have one of each group of `stems` (small letters)."""
    groups = tuple(tuple(group) for group in stems)
    for page in skill.pages.values():
        if page.kind not in SKIPPED:
            for saying in _lines(page):
                low = saying.text.lower()
                if all(any(stem in low for stem in group) for group in groups):
                    yield saying


@once
def _lines(page: Page) -> Iterator[Saying]:
    for block in page.blocks:
        if block.kind == "code" and block.use in MEANT and block.lang.lower() in _LANGS:
            yield from _of_block(page, block)


def _of_block(page: Page, block: Block) -> Iterator[Saying]:
    """Not where it holds code, or a prompt."""
    if "({" in block.text or "prompt:" in block.text or "message:" in block.text:
        return
    at = block.body
    for line in block.text.splitlines(keepends=True):
        said = line.strip(_MARKS + "\r\n")
        if 12 <= len(said) <= LONGEST and _WORDS.search(said) and not _CODE.search(said):
            yield Saying(page, said, at + line.index(said))
        at += len(line)
