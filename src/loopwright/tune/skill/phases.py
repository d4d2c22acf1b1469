"""The course of a skill: its phases in order, and which of them a place belongs to."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, dirname

from loopwright.tune.skill.model import Block, Page, Phase, Section
from loopwright.tune.skill.tables import cells, rows

FEWEST = 2
"""Steps that make a course."""
TITLE = 80
"""Characters of a step's text that name it."""
_FOLDERS = ("phases", "actions", "steps", "stages")
"""Folders whose pages are steps of the course; the first that has enough of them is taken."""
_ASIDE = re.compile(
    r"(?:readme|index|orchestrator|state-?schema|.*schema|_.*|template|constraints|overview|.*-index)\.md\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:^|[^0-9])(\d{1,3})")
_STEP_FILE = re.compile(r"(?:step|phase|stage)[-_]?(\d{1,3})[a-z]?[-_.]", re.IGNORECASE)
_HEADED = re.compile(
    r"[\W_]*+(?:(?:phase|step|stage|阶段|步骤)\s*+[#:：-]?\s*+(?:\d|[IVX]+\b|[A-E]\b|[一二三四五六七八九十])"
    r"|第\s*+[0-9一二三四五六七八九十]++\s*+(?:阶段|步|阶|章))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\W_]*(\d{1,2})[.):、]\s*\S")
_FIRST_COLUMN = re.compile(r"(?:phase|stage|step|阶段|步骤|#|no\.?|序号|order|action|动作)s?\Z", re.IGNORECASE)
_COURSE = re.compile(
    r"workflow|process|procedure|\bsteps?\b|\bhow\b|execution|instructions|pipeline|\bflow\b|\bdo\b|流程|步骤|执行|过程|做法|ワークフロー|手順|절차|워크플로|단계|adım|süreç",
    re.IGNORECASE,
)
_MARK = re.compile(r"(\d{1,2})[.)、]\s?")
_PAGE = re.compile(r"(?<![\w./\-])[\w./\-]{1,200}\.md\b")


@dataclass(frozen=True, slots=True)
class Course:
    """`phases` in order; looked up by file, or by position where they are parts of SKILL.md."""

    phases: tuple[Phase, ...]
    by_file: Mapping[str, str]
    main: str
    begins: tuple[int, ...]
    parts: tuple[Phase, ...]

    def phase(self, file: str, position: int) -> str | None:
        """The path of the phase's file, or the title of its section."""
        if (path := self.by_file.get(file)) is not None:
            return path
        if file != self.main:
            return None
        index = bisect_right(self.begins, position) - 1
        return self.parts[index].name if index >= 0 and position < self.parts[index].end else None


def course(pages: Mapping[str, Page], main: str) -> Course:
    phases = tuple(_phases(pages, main))
    parts = tuple(sorted((phase for phase in phases if phase.file == main), key=lambda phase: phase.start))
    files = {phase.file: phase.file for phase in phases if phase.file != main}
    return Course(phases, files, main, tuple(phase.start for phase in parts), parts)


def _phases(pages: Mapping[str, Page], main: str) -> list[Phase]:
    page = pages.get(main)
    if files := _files(pages, main):
        return [_of_file(pages[path], number) for number, path in enumerate(_as_told(page, files), 1)]
    if page is None:
        return []
    titles = _titles(page)
    if sections := _headed(page, titles) or _numbered(page, titles):
        return [_of_section(page, index, number) for number, index in enumerate(sections, 1)]
    return _table(pages, page) or _steps(page)


def _files(pages: Mapping[str, Page], main: str) -> list[str]:
    found = [path for path in pages if path.endswith(".md") and path != main and not _ASIDE.match(basename(path))]
    folders = {folder: [path for path in found if basename(dirname(path)) == folder] for folder in _FOLDERS}
    for fewest in (FEWEST, 1):
        for folder in _FOLDERS:
            if len(folders[folder]) >= fewest:
                return sorted(folders[folder], key=_by_number)
    steps = [path for path in found if _STEP_FILE.match(basename(path))]
    return sorted(steps, key=_by_number) if len(steps) >= FEWEST else []


def _by_number(path: str) -> tuple[str, int, str]:
    found = _NUMBER.search(basename(path))
    return dirname(path), int(found[1]) if found else 1_000, path


def _as_told(page: Page | None, files: Sequence[str]) -> list[str]:
    """As numbered by their names; those without numbers as SKILL.md names them first."""
    if page is None or all(_NUMBER.search(basename(path)) for path in files):
        return list(files)
    place = {path: page.text.find(basename(path)) for path in files}
    return sorted(files, key=lambda path: (place[path] < 0, place[path], path))


def _of_file(page: Page, order: int) -> Phase:
    return Phase(page.path, order, page.path, 0, len(page.text), tokens=page.tokens)


def _share(page: Page, start: int, end: int) -> int:
    """Tokens of a part, by its share of the page's characters."""
    return round(page.tokens * (end - start) / max(1, len(page.text)))


def _part(page: Page, name: str, order: int, start: int, end: int, section: int = -1) -> Phase:
    return Phase(name, order, page.path, start, end, section, _share(page, start, end))


def _of_section(page: Page, index: int, order: int) -> Phase:
    section = page.sections[index]
    return _part(page, section.title, order, section.start, section.end, index)


def _titles(page: Page) -> list[str]:
    """The headings as they are written; `title` may have lost its number."""
    found = []
    for section in page.sections:
        end = page.text.find("\n", section.start)
        found.append(page.text[section.start : end if end >= 0 else None].lstrip("# ").strip())
    return found


def _headed(page: Page, titles: list[str]) -> list[int]:
    """Sections titled "Phase 1: …", "Step 2", 阶段三, of the highest level that has some."""
    return _family(page, [index for index, title in enumerate(titles) if _HEADED.match(title)])


def _numbered(page: Page, titles: list[str]) -> list[int]:
    """Sections titled "1. …" that count from 0 or 1, in a section about the course: no principles, no topics."""
    marks = [_NUMBERED.match(title) for title in titles]
    found = _family(page, [index for index, mark in enumerate(marks) if mark])
    numbers = [int(mark[1]) for index in found if (mark := marks[index])]
    if not numbers or numbers[0] not in (0, 1) or numbers != sorted(set(numbers)):
        return []
    parent = page.sections[found[0]].parent
    return found if parent < 0 or page.sections[parent].level == 1 or _about_course(page.sections[parent]) else []


def _family(page: Page, found: list[int]) -> list[int]:
    """Those of one parent, and of the highest level that has several."""
    for level in sorted({page.sections[index].level for index in found}):
        same = [index for index in found if page.sections[index].level == level]
        if len(same) >= FEWEST:
            parents = [page.sections[index].parent for index in same]
            counts = {parent: parents.count(parent) for parent in set(parents[:200])}
            most = max(counts, key=lambda parent: (counts[parent], -parent))
            return [index for index in same if page.sections[index].parent == most] if counts[most] >= FEWEST else same
    return []


def _table(pages: Mapping[str, Page], page: Page) -> list[Phase]:
    """A table of phases or actions, whose rows name their pages or nothing."""
    for table in rows(page.blocks):
        head = cells(page.text, table[0].start, table[0].end)
        if len(table) < FEWEST + 2 or not head or not _FIRST_COLUMN.match(head[0].text.strip("*_` ")):
            continue
        files = [path for row in table[2:] if (path := _named(pages, page, row)) is not None]
        if len(files) >= FEWEST and len(set(files)) == len(files):
            return [_of_file(pages[path], number) for number, path in enumerate(files, 1)]
    return []


def _named(pages: Mapping[str, Page], page: Page, row: Block) -> str | None:
    found = (match[0].removeprefix("./") for match in _PAGE.finditer(page.text, row.start, row.end))
    return next((path for path in found if path in pages and path != page.path), None)


def _steps(page: Page) -> list[Phase]:
    """The longest numbered list of instructions in a section about the course, as a last resort."""
    runs: list[list[Block]] = []
    last = ""
    for block in page.blocks:
        if block.kind != "item" or block.level > 1 or block.use != "instruction" or not _of_course(page, block):
            continue
        mark = _MARK.match(page.text[block.start : block.start + 12].lstrip())
        if mark is None:
            continue
        if not runs or mark[1] in ("0", "1") or f"{int(last) + 1}" != mark[1]:
            runs.append([])
        last = mark[1]
        runs[-1].append(block)
    best = max(runs, key=len, default=[])
    if len(best) < FEWEST + 1:
        return []
    ends = [*(block.start for block in best[1:]), best[-1].end]
    named = ((block, block.text.strip().split("\n", 1)[0][:TITLE], end) for block, end in zip(best, ends, strict=True))
    return [_part(page, name, number, block.start, end) for number, (block, name, end) in enumerate(named, 1)]


def _of_course(page: Page, block: Block) -> bool:
    return block.section < 0 or _about_course(page.sections[block.section])


def _about_course(section: Section) -> bool:
    return section.concept == "steps" or (section.concept in (None, "goal") and bool(_COURSE.search(section.title)))
