"""Where words can be put into a page, and what they have to look like there."""

import re

from loopwright.tune.reading.rules.families import blocks_in
from loopwright.tune.skill.model import Block, Page, Section

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")


def line_of(page: Page, position: int) -> tuple[int, int]:
    """Where the line that holds the position begins, and where its words end."""
    start = page.text.rfind("\n", 0, position) + 1
    end = page.text.find("\n", position)
    end = len(page.text) if end < 0 else end
    return start, end - page.text.startswith("\r", end - 1) if end > start else end


def end_of_words(page: Page, section: Section) -> int:
    """Behind the last block of the section, without the blank lines that follow."""
    inside = blocks_in(page, section.body, section.end)
    return inside[-1].end if inside else line_of(page, section.start)[1]


def marker_of(page: Page, block: Block) -> str:
    """How an entry of this list begins: `- `, with its indentation."""
    found = _ITEM.match(page.text, block.start)
    return re.sub(r"\d+", "1", found[0]) if found else "- "


def last_item(page: Page, start: int, end: int) -> Block | None:
    """The last entry of the outermost list in the stretch."""
    items = [block for block in blocks_in(page, start, end) if block.kind == "item"]
    least = min((block.level for block in items), default=0)
    return next((block for block in reversed(items) if block.level == least), None)


def heading(level: int, title: str) -> str:
    return f"{'#' * max(level, 1)} {title}"


def before_section(page: Page, start: int, words: str) -> str:
    """The words as they stand before a heading."""
    blank = "" if start == 0 or page.text[:start].replace("\r", "").endswith("\n\n") else "\n"
    return f"{blank}{words}\n\n"


def at_the_end(page: Page, words: str) -> str:
    """The words as they stand behind everything else."""
    text = page.text.replace("\r", "")
    gap = "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return f"{gap}{words}\n"
