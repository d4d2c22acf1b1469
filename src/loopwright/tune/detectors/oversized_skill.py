"""SKILL.md is so long that every use of the skill pays for what most uses do not need."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.skill.model import Block, Page, Section, Skill

SOME, MUCH, FAR_TOO_MUCH = 3000, 5000, 9000
"""Tokens. The format's own recommendation is to stay below 5,000 and 500 lines."""
_ASIDE = re.compile(
    r"^(?:[\W\d_]*)(?:appendix|annex|reference|glossary|faq|changelog|history|examples?|catalog|cheat ?sheet"
    r"|lookup|background|troubleshooting)|附录|参考|全文|词汇|对照|示例|历史|一览",
    re.IGNORECASE,
)
SHARE = 0.25
"""Of the file: what stands apart, such as tables, code and appendices."""


def look(skill: Skill) -> Iterator[Hit]:
    page = skill.pages.get(skill.main)
    if page is None:
        return
    lines = page.text.count("\n") + 1
    sections = aside(page)
    apart = sum(_length(section) for section in sections)
    if page.tokens < MUCH and not (page.tokens > SOME and apart > len(page.text) / 2):
        return
    loose = sum(
        len(block.text)
        for block in page.blocks
        if block.kind in ("row", "code") or block.use in ("reference", "template")
    )
    share = max(apart, loose) / max(1, len(page.text))
    largest = max(sections or page.sections, key=_length, default=None)
    at = largest if largest is not None and largest.level > 1 else None
    heavy = share > SHARE
    yield Hit(
        file=page.path, start=at.start if at else 0, end=at.body if at else min(len(page.text), 3), subject="SKILL.md",
        message=f"SKILL.md has about {page.tokens:,} tokens in {lines} lines; {share:.0%} of it is reference material",
        advice="Move what only some tasks need (tables, catalogues, long examples) to files in references/"
        " and say when to read each.",
        severity="high" if page.tokens > FAR_TOO_MUCH and heavy else "medium", confidence=None if heavy else "hint",
    )  # fmt: skip


def _is_loose(block: Block) -> bool:
    return block.kind in ("row", "code") or block.use in ("reference", "template")


def aside(page: Page) -> tuple[Section, ...]:
    return tuple(section for section in page.sections if section.level == 2 and _ASIDE.search(section.title))


def _length(section: Section) -> int:
    return section.end - section.start


DETECTOR = Detector(
    rule="oversized-skill",
    dimension="context",
    severity="medium",
    confidence="likely",
    strategy="context_summarization",
    title="SKILL.md is too long",
    why="All of SKILL.md is loaded whenever the skill is used; what this task does not need hides what it does need.",
    advice="Keep the procedure in SKILL.md and move reference material to files that are read when needed.",
    look=look,
)
