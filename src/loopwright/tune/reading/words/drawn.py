"""What flows, trees and lists in fences say, line by line: steps that are drawn are followed like sentences."""

import re
from collections.abc import Iterator

from loopwright.tune.reading.words.sayings import MEANT, SKIPPED, Saying, has_each, stems_of
from loopwright.tune.skill.model import Block, Page, Skill
from loopwright.tune.skill.once import once

_LANGS = frozenset({"", "text", "txt", "plaintext", "plain", "pseudo", "pseudocode", "flow", "ascii"})
_MARKS = " \t│├└┌┐┘┤┬┴─━+|`-=>*•→↓▼v"
_CODE = re.compile(r"[;{]\s*\Z|\A(?:const|let|var|return|if \(|for \(|while \(|function|import|def|[{}\[\]<\"'$#/])|=>")
_WORDS = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,40}\W{1,9}[A-Za-z]{2,40}\W{1,9}[A-Za-z\d]|[\u4e00-\u9fff]{4}")
_MORE = re.compile(r"[ \t]{4,}\+ ?[\w./-]+\.\w+")
"""A line that goes on with more of what the line above has."""
LONGEST = 300


def drawn(skill: Skill, groups: tuple[tuple[str, ...], ...]) -> Iterator[Saying]:
    """Lines that have a stem (in small letters) of each of the groups."""
    for page in skill.pages.values():
        lines = _lines(page) if page.kind not in SKIPPED else ()
        there = stems_of(page.text, groups) if lines else ()
        for saying in lines if there and all(there) else ():
            if has_each(saying.text.lower(), there):
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
    at, last = block.body, None
    for line in block.text.splitlines(keepends=True):
        said = line.strip(_MARKS + "\r\n")
        more = _MORE.match(line)
        if more is not None and last is not None and last.end < at:
            last = Saying(page, page.text[last.start : at + len(line.rstrip())], last.start)
        elif last is not None:
            yield last
            last = None
        if more is None and 12 <= len(said) <= LONGEST and _WORDS.search(said) and not _CODE.search(said):
            last = Saying(page, said, at + line.index(said))
        at += len(line)
    if last is not None:
        yield last
