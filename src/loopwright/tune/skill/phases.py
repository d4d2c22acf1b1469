"""The course of a skill: its phases in order, and which of them a place belongs to."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopwright.tune.skill.model import Block, Page, Phase, Section

_FOLDERS = ("phases", "actions", "steps", "stages", "workflow", "tasks")
"""Folders whose pages are steps of the course; the first that has some is taken."""
_NUMBER = re.compile(r"(?:^|[^0-9])(\d{1,3})")
_STEP_FILE = re.compile(r"(?:step|phase|stage)-?_?(\d{1,3})[a-z]?[-_.]", re.IGNORECASE)
_HEADED = re.compile(
    r"[\W_]*(?:(?:phase|step|stage|阶段|步骤)\s*[#:]?\s*(\d+(?:\.\d+)?)|第\s*([0-9一二三四五六七八九十]+)\s*(?:阶段|步|阶|章))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\W_]*(\d{1,2})[.):、]\s*\S")
_HAN = {char: number for number, char in enumerate("零一二三四五六七八九十")}
FEWEST = 2
"""Steps that make a course."""


@dataclass(frozen=True, slots=True)
class Course:
    """`phases` in order; looked up by file, or by position where they are sections of one file."""

    phases: tuple[Phase, ...]
    by_file: Mapping[str, str]
    begins: Mapping[str, tuple[int, ...]]
    sections: Mapping[str, tuple[Phase, ...]]

    def phase(self, file: str, position: int) -> str | None:
        """The path of the phase's file, or the title of its section."""
        if (path := self.by_file.get(file)) is not None:
            return path
        begins = self.begins.get(file)
        if not begins:
            return None
        index = bisect_right(begins, position) - 1
        if index < 0:
            return None
        phase = self.sections[file][index]
        return phase.name if position < phase.end else None


def course(pages: Mapping[str, Page], main: str) -> Course:
    phases = tuple(_phases(pages, main))
    own = {phase.file: phase.file for phase in phases if phase.section < 0 and phase.file != main}
    inner = [phase for phase in phases if phase.file not in own]
    ordered = tuple(sorted(inner, key=lambda phase: phase.start))
    return Course(phases, own, {main: tuple(p.start for p in ordered)} if ordered else {}, {main: ordered})


def _phases(pages: Mapping[str, Page], main: str) -> list[Phase]:
    files = _files(pages, main)
    if files:
        order = _order_told(pages.get(main), files)
        return [_of_file(pages[path], number) for number, path in enumerate(order, 1)]
    page = pages.get(main)
    if page is None:
        return []
    sections = _headed(page) or _numbered(page)
    if sections:
        return [_of_section(page, index, number) for number, index in enumerate(sections, 1)]
    return _steps(page)


def _files(pages: Mapping[str, Page], main: str) -> list[str]:
    for folder in _FOLDERS:
        found = [
            path
            for path, page in pages.items()
            if path.endswith(".md")
            and path != main
            and (f"{folder}/" in path.rsplit("/", 1)[0] + "/" and path.split("/")[-2] == folder)
            and not path.rsplit("/", 1)[-1].lower().startswith(("readme", "_", "orchestrator"))
        ]
        if found:
            return sorted(found, key=_by_number)
    found = [path for path in pages if path.endswith(".md") and _STEP_FILE.match(path.rsplit("/", 1)[-1])]
    return sorted(found, key=_by_number) if len(found) >= FEWEST else []


def _by_number(path: str) -> tuple[str, int, str]:
    folder, _, name = path.rpartition("/")
    found = _NUMBER.search(name)
    return (folder, int(found[1]) if found else 1_000, name)


def _order_told(page: Page | None, files: Sequence[str]) -> list[str]:
    """As numbered by their names; those without numbers as SKILL.md names them first."""
    if page is None or all(_NUMBER.search(path.rsplit("/", 1)[-1]) for path in files):
        return list(files)
    place = {path: page.text.find(path.rsplit("/", 1)[-1]) for path in files}
    return sorted(files, key=lambda path: (place[path] < 0, place[path], files.index(path)))


def _of_file(page: Page, order: int) -> Phase:
    return Phase(page.path, order, page.path, 0, len(page.text), tokens=page.tokens)


def _share(page: Page, start: int, end: int) -> int:
    """Tokens of a part, by its share of the page's characters."""
    return round(page.tokens * (end - start) / max(1, len(page.text)))


def _of_section(page: Page, index: int, order: int) -> Phase:
    section = page.sections[index]
    tokens = _share(page, section.start, section.end)
    return Phase(section.title, order, page.path, section.start, section.end, index, tokens)


def _headed(page: Page) -> list[int]:
    """Sections titled "Phase 1: …", "Step 2", 阶段 3, of the highest level that has two."""
    return _outermost(page, [index for index, s in enumerate(page.sections) if _HEADED.match(_title(page, s))])


def _numbered(page: Page) -> list[int]:
    """Sections titled "1. …" that count from 0 or 1."""
    found = _outermost(page, [index for index, s in enumerate(page.sections) if _NUMBERED.match(_title(page, s))])
    numbers = [int(m[1]) for index in found if (m := _NUMBERED.match(_title(page, page.sections[index])))]
    return found if numbers and numbers[0] in (0, 1) and numbers == sorted(numbers) else []


def _title(page: Page, section: Section) -> str:
    """The heading as it is written, without its marks; `title` may have lost its number."""
    line = page.text[section.start : page.text.find("\n", section.start) if section.line_end else None]
    return line.lstrip("# ").strip() or section.title


def _outermost(page: Page, found: list[int]) -> list[int]:
    levels = sorted({page.sections[index].level for index in found})
    for level in levels:
        same = [index for index in found if page.sections[index].level == level]
        if len(same) >= FEWEST:
            parents = [page.sections[index].parent for index in same]
            family = max(set(parents), key=lambda parent: (parents.count(parent), -parent))
            kept = [index for index in same if page.sections[index].parent == family]
            return kept if len(kept) >= FEWEST else same
    return []


def _steps(page: Page) -> list[Phase]:
    """The longest numbered list of instructions, as a last resort."""
    runs: list[list[Block]] = []
    last = -2
    for index, block in enumerate(page.blocks):
        if block.kind != "item" or not _marked(page, block) or block.use != "instruction":
            continue
        number = int(_marked(page, block) or 0)
        if number in (0, 1) or not runs or index - last > 12:
            runs.append([])
        runs[-1].append(block)
        last = index
    best = max(runs, key=len, default=[])
    if len(best) < 3:
        return []
    ends = [*(block.start for block in best[1:]), best[-1].end]
    return [
        Phase(
            block.text.strip().split("\n", 1)[0][:80],
            number,
            page.path,
            block.start,
            end,
            -1,
            _share(page, block.start, end),
        )
        for number, (block, end) in enumerate(zip(best, ends, strict=True), 1)
    ]


_MARK = re.compile(r"(\d{1,2})[.)]\s")


def _marked(page: Page, block: Block) -> str | None:
    if block.level > 1:
        return None
    found = _MARK.match(page.text[block.start : block.start + 12].lstrip())
    return found[1] if found else None
