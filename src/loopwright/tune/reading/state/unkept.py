"""What pages say of going on with an earlier run, and no step of them does."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loopwright.tune.reading.rules.families import KINDS, blocks_in
from loopwright.tune.reading.state.recovery import RESUME
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Block, Page, PageKind, Section, Skill
from loopwright.tune.skill.once import once

_AIM = re.compile(
    r"\b(?:resum(?:e|es|ing)|continu(?:e|es|ing)|restor(?:e|es|ing)) (?:an? |the )?(?:existing|previous|interrupted"
    r"|unfinished|paused|earlier|saved|incomplete)\b|(?:恢复|继续|续跑)(?:已有|现有|之前|上次|中断|未完成)",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:Phase|Step|Stage|阶段|步骤)\s*(?P<number>\d{1,2})\b|第\s*(?P<数>\d{1,2})\s*(?:阶段|步)", re.IGNORECASE
)
_ZERO = re.compile(r"\b(?:Phase|Stage)\s*0(?:\s?[-–]\s?\d)?(?![\d.])|阶段\s*0(?![\d.])", re.IGNORECASE)
_DUTIES = re.compile(
    r"^\W*(?:must|responsibilities|duties|core responsibilities|always|职责|必须|核心职责)\W*$", re.IGNORECASE
)
_DUTY = re.compile(
    r"\binterrupted\b|\borphan\w*|\bresum\w+|\brecover\w*|\breset\b[^.\n]{0,40}\bpending\b|\bcheckpoint\w*|恢复|中断|孤儿|断点|续跑",
    re.IGNORECASE,
)
_ROUTE = re.compile(r"(?:->|→|\|)\s*`?(?P<name>(?:handle|on|do|cmd)[A-Z]\w{2,30})`?")
_OF_RESUMING = re.compile(r"Resume|Recover|Continue|Restore")
_NOT_TOLD: frozenset[PageKind] = frozenset({"template", "reference", "script", "data"})
SHARE, STEPS, HANDLERS = 0.6, 3, 2
"""The share of a duty's words that a step which does it has; numbered steps of a page; handlers with a part."""
Kind = Literal["aim", "zero", "duty", "handler"]


@dataclass(frozen=True, slots=True)
class Unkept:
    """`end_at`: where the part ends that would keep it."""

    kind: Kind
    page: Page
    start: int
    end: int
    said: str
    end_at: int
    also: str = ""


def unkept(skill: Skill) -> Iterator[Unkept]:
    told = _told_in_main(skill)
    for page in skill.pages.values():
        if not told and page.kind in KINDS:
            yield from _aims(page)
        if page.kind == "role":
            yield from _duties(page)
    if not told:
        yield from _zero(skill)
    yield from _handlers(skill)


def _told_in_main(skill: Skill) -> bool:
    """SKILL.md has a part that says how an earlier run is gone on with."""
    page = skill.pages.get(skill.main)
    return page is not None and any(
        (RESUME.search(section.title) or (section.concept == "recovery" and "rror" not in section.title))
        and len(page.text[section.body : section.end].split()) > 12
        for section in page.sections
    )


@once
def _aims(page: Page) -> Iterator[Unkept]:
    """The page is to resume an existing run, by its first words, and none of its steps speaks of it."""
    found = _AIM.search(page.text)
    block = page.blocks[block_at(page, found.start())] if found else None
    if found is None or block is None or not _is_aim(page, block):
        return
    rest = (one for one in page.blocks if not _is_aim(page, one) and not _is_output(page, one))
    if not any(RESUME.search(one.text) or _AIM.search(one.text) for one in rest):
        yield Unkept("aim", page, found.start(), found.end(), found[0], _end_of_steps(page))


def _is_aim(page: Page, block: Block) -> bool:
    section = page.sections[block.section] if block.section >= 0 else None
    if section is None or block.kind == "heading":
        return block.kind != "heading"
    return section.concept == "goal" or (section.level == 1 and block.kind == "paragraph")


def _is_output(page: Page, block: Block) -> bool:
    return block.section >= 0 and page.sections[block.section].concept in ("output", "return")


def _end_of_steps(page: Page) -> int:
    """The end of the last numbered step."""
    ends = [section.end for section in page.sections if _STEP.match(section.title.strip())]
    return len(page.text[: max(ends)].rstrip()) if ends else len(page.text.rstrip())


def _numbered(page: Page) -> dict[int, Section]:
    found: dict[int, Section] = {}
    for section in page.sections:
        step = re.match(r"(?:Phase|Stage|阶段)\s*(\d{1,2})(?![\d.])", section.title.strip(), re.IGNORECASE)
        if step:
            found.setdefault(int(step[1]), section)
    return found


def _zero(skill: Skill) -> Iterator[Unkept]:
    """Phase 0 is spoken of, the role begins with Phase 1, and no page has it."""
    pages = [page for page in skill.pages.values() if page.kind not in _NOT_TOLD and "hase 0" in page.text]
    said = next(((page, found) for page in pages if (found := _ZERO.search(page.text))), None)
    if said is None or any(_ZERO.match(s.title.strip()) for page in skill.pages.values() for s in page.sections):
        return
    if any(re.search(r"(?:^|/)(?:phase[-_]?)?0{1,2}[-_.]", path) for path in skill.pages):
        return
    for page in skill.pages.values():
        numbers = _numbered(page)
        if page.kind in ("role", "skill") and len(numbers) >= STEPS and 1 in numbers and _speaks_of_runs(skill):
            where = f"{said[0].path}:{said[0].text.count(chr(10), 0, said[1].start()) + 1}"
            first = numbers[1]
            stop = page.text.find("\n", first.start)
            yield Unkept("zero", page, first.start, stop, said[1][0], first.start, where)


def _speaks_of_runs(skill: Skill) -> bool:
    page = skill.pages[skill.main]
    return RESUME.search(page.text) is not None


@once
def _duties(page: Page) -> Iterator[Unkept]:
    """A duty that has to do with interrupted work, and no step of the role that does it."""
    steps = [section for section in page.sections if _STEP.match(section.title.strip())]
    if len(steps) < STEPS:
        return
    for section in page.sections:
        if not _DUTIES.match(section.title):
            continue
        for block in blocks_in(page, section.body, section.end):
            if block.kind == "item" and _DUTY.search(block.text) and not _is_done(page, section, block):
                end = len(page.text[: steps[0].end].rstrip().rstrip("-").rstrip())
                yield Unkept("duty", page, block.start, block.end, block.text.strip(), end)


def _is_done(page: Page, section: Section, duty: Block) -> bool:
    words = stems(duty.text)
    need = {*words}
    for block in page.blocks:
        if section.start <= block.start < section.end or block.kind == "front" or not words:
            continue
        near = {*stems(block.text)}
        if block.section >= 0:
            near |= {*stems(page.sections[block.section].title)}
        if len(need & near) >= SHARE * len(need):
            return True
    return False


def _handlers(skill: Skill) -> Iterator[Unkept]:
    """A table leads to handleResume, the other handlers have a part of their own, and it has none."""
    pages = [page for page in skill.pages.values() if page.kind not in _NOT_TOLD and _OF_RESUMING.search(page.text)]
    routes = [(page, found) for page in pages for found in _ROUTE.finditer(page.text)]
    names = {found["name"] for _, found in routes}
    titles = " ".join(s.title for page in skill.pages.values() for s in page.sections)
    having = {name for name in names if re.search(rf"\b{name}\b", titles)}
    for name in sorted(names - having):
        if len(having) < HANDLERS or not _OF_RESUMING.search(name) or _defined(skill, name):
            continue
        model = _last_handler(skill, having)
        page, found = next((one for one in routes if one[1]["name"] == name and one[0] is model[0]), routes[0])
        if found["name"] != name:
            page, found = next(one for one in routes if one[1]["name"] == name)
        yield Unkept(
            "handler", page, found.start("name"), found.end("name"), name, model[1] if model[0] is page else -1,
            f"{model[0].path}:{model[0].text.count(chr(10), 0, model[1])}",
        )  # fmt: skip


def _defined(skill: Skill, name: str) -> bool:
    """As a function, or as the label of a paragraph."""
    own = re.compile(rf"\b(?:function|const|def|async)\s+{name}\b|^\W{{0,8}}{name}\W{{0,4}}[:：(]", re.MULTILINE)
    return any(own.search(page.text) for page in skill.pages.values() if name in page.text)


def _last_handler(skill: Skill, having: set[str]) -> tuple[Page, int]:
    """The page of the handlers, and where the last one ends."""
    found = [
        (page, section)
        for page in skill.pages.values()
        for section in page.sections
        if any(name in section.title for name in having)
    ]
    page, section = found[-1]
    return page, len(page.text[: section.end].rstrip().removesuffix("---").rstrip())
