"""The course of a skill: its phases in order, and which of them a place belongs to."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from posixpath import basename, dirname

from loopwright.tune.skill.blocks import Section
from loopwright.tune.skill.model import Phase
from loopwright.tune.skill.page import Page

FEWEST = 2
"""Steps that make a course."""
_FOLDERS = ("phases", "actions", "steps", "stages")
"""Folders whose pages are steps of the course; the first that has some is taken."""
_ASIDE = re.compile(r"(?:readme|index|orchestrator|.*schema|_.*|template|overview)\.md\Z", re.IGNORECASE)
_NUMBER = re.compile(r"(?:^|[^0-9])(\d{1,3})")
_STEP = re.compile(
    r"\W*+(?:(?:phase|step|stage|阶段|步骤)\s*+[#:：-]?\s*+(?:\d|[IVX]+\b|[A-E]\b|[一二三四五六七八九十])"
    r"|第\s*+[0-9一二三四五六七八九十]++\s*+(?:阶段|步|阶|章)|\d{1,2}[.):、]\s*+\S)",
    re.IGNORECASE,
)


def phases(pages: Mapping[str, Page], main: str) -> tuple[Phase, ...]:
    """Pages of a folder of phases; else the sections of SKILL.md that are numbered as steps."""
    files = [path for path in pages if path.endswith(".md") and path != main and not _ASIDE.match(basename(path))]
    for folder in _FOLDERS:
        if steps := sorted((path for path in files if basename(dirname(path)) == folder), key=_by_number):
            return tuple(
                Phase(path, order, path, 0, len(pages[path].text), tokens=pages[path].tokens)
                for order, path in enumerate(steps, 1)
            )
    page = pages.get(main)
    if page is None:
        return ()
    found = [index for index, section in enumerate(page.sections) if _STEP.match(section.title)]
    levels = [page.sections[index].level for index in found]
    level = next((one for one in sorted({*levels}) if levels.count(one) >= FEWEST), 0)
    steps_here = [index for index in found if page.sections[index].level == level]
    return tuple(_of_section(page, page.sections[index], order, index) for order, index in enumerate(steps_here, 1))


def _by_number(path: str) -> tuple[str, int, str]:
    found = _NUMBER.search(basename(path))
    return dirname(path), int(found[1]) if found else 1_000, path


def _of_section(page: Page, section: Section, order: int, index: int) -> Phase:
    """Its tokens by its share of the page's characters."""
    share = round(page.tokens * (section.end - section.start) / max(1, len(page.text)))
    return Phase(section.title, order, page.path, section.start, section.end, index, share)


class Course:
    """Which phase a place belongs to."""

    def __init__(self, steps: tuple[Phase, ...]) -> None:
        self._files = {phase.file for phase in steps if phase.section < 0}
        self._parts = [phase for phase in steps if phase.section >= 0]

    def phase(self, file: str, at: int) -> str | None:
        """The path of the phase's file, or the title of its section."""
        if file in self._files:
            return file
        index = bisect_right(self._parts, at, key=lambda part: part.start) - 1
        part = self._parts[index] if index >= 0 else None
        return part.name if part and part.file == file and at < part.end else None
