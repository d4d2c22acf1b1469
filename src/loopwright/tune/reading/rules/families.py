"""Parts of a skill that are of one kind: the phases, the roles, the actions; and what each of them is made of."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.skill.concepts import TITLES, concept_of, plain
from loopwright.tune.skill.model import Block, Concept, Page, PageKind, Section, Skill

KINDS: frozenset[PageKind] = frozenset({"phase", "action", "role"})
"""Pages that are worked through one by one, so that what one of them says does not hold for the next."""
_NO_MEMBER = re.compile(
    r"^(?:readme|index|_|orchestrator|state[-_]?schema|overview|common|shared|template)", re.IGNORECASE
)
_LABEL = re.compile(
    r"\s*(?:\*\*(?P<bold>[^*\n]{2,40}?)(?:\*\*\s*[:：]|[:：]\s*\*\*)|[\[【](?P<boxed>[^\]】\n]{2,30})[\]】](?!\()"
    r"|(?P<bare>[A-Z\u4e00-\u9fff][\w\u4e00-\u9fff /-]{1,28})[:：])"
)
_TAG = re.compile(r"<([A-Za-z][\w-]{2,40})>")
_TITLED = re.compile(
    r"[\W\d_]*(?:(?:phase|step|stage|role|agent|action|round|worker)\b|第\s*[\d一二三四五六七八九十]+\s*[阶步轮]|阶段|步骤|角色|动作)",
    re.IGNORECASE,
)
FEWEST = 3
"""Members that make a family."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a member says under a heading, a label or a tag of its own. `level` 0: a label."""

    concept: Concept | None
    title: str
    start: int
    body: int
    end: int
    level: int


@dataclass(frozen=True, slots=True)
class Member:
    """A page, or a section of one (then `section` is its index)."""

    page: Page
    name: str
    start: int
    end: int
    parts: tuple[Part, ...]
    section: int = -1


def families(skill: Skill) -> Iterator[tuple[Member, ...]]:
    """Pages of one folder and kind; then sections side by side that are titled as phases, roles or steps."""
    yield from page_families(skill)
    yield from section_families(skill)


def page_families(skill: Skill) -> Iterator[tuple[Member, ...]]:
    groups: dict[tuple[str, PageKind], list[Page]] = {}
    for path, page in skill.pages.items():
        folder, _, name = path.rpartition("/")
        if page.kind in KINDS and path != skill.main and path.endswith(".md") and not _NO_MEMBER.match(name):
            groups.setdefault((folder, page.kind), []).append(page)
    for pages in groups.values():
        if len(pages) >= FEWEST:
            yield tuple(Member(page, stem(page.path), 0, len(page.text), parts_of(page)) for page in pages)


def section_families(skill: Skill) -> Iterator[tuple[Member, ...]]:
    page = skill.pages.get(skill.main)
    groups: dict[tuple[int, int], list[int]] = {}
    for index, section in enumerate(page.sections if page else ()):
        if _TITLED.match(section.title):
            groups.setdefault((section.parent, section.level), []).append(index)
    for indices in groups.values():
        if page is not None and len(indices) >= FEWEST:
            yield tuple(_of_section(page, index) for index in indices)


def _of_section(page: Page, index: int) -> Member:
    section = page.sections[index]
    return Member(page, section.title, section.start, section.end, parts_of(page, section, index), index)


def stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


def parts_of(page: Page, within: Section | None = None, index: int = -1) -> tuple[Part, ...]:
    """The sections below, and what is labelled: `**Constraints:**`, `[约束]`, `<constraints>`; in order."""
    start, end = (within.start, within.end) if within else (0, len(page.text))
    found = [
        Part(s.concept, s.title, s.start, s.body, s.end, s.level)
        for number, s in enumerate(page.sections)
        if start <= s.start < end and number != index
    ]
    found += _labelled(blocks_in(page, start, end))
    return tuple(sorted(found, key=lambda part: part.start))


def blocks_in(page: Page, start: int, end: int) -> tuple[Block, ...]:
    """Those that begin in the stretch."""
    first = bisect_left(page.blocks, start, key=_start)
    return page.blocks[first : bisect_left(page.blocks, end, first, key=_start)]


def _start(block: Block) -> int:
    return block.start


def _labelled(blocks: Iterable[Block]) -> Iterator[Part]:
    for block in blocks:
        if block.kind in ("paragraph", "item", "quote"):
            match = _LABEL.match(block.text, 0, 60)
            title = next((group for group in match.groups() if group), "") if match else ""
            if match and match["bare"] and (block.kind == "item" or not titled(title)):
                title = ""
        elif block.kind == "html":
            tag = _TAG.match(block.text.strip())
            title = tag[1].replace("_", " ").replace("-", " ") if tag else ""
        else:
            continue
        if title:
            yield Part(concept_of(title), title, block.start, block.body, block.end, 0)


_WHOLE = frozenset(title for titles in TITLES.values() for title in titles)


def titled(label: str) -> bool:
    """The label is a usual title as it stands, not words that happen to hold one."""
    return plain(label) in _WHOLE


@lru_cache(maxsize=4096)
def same_title(title: str) -> str:
    """Titles that differ in numbers, case, marks and what stands in brackets are the same."""
    return re.sub(r"\s*[(（][^()（）]*[)）]\s*", " ", plain(title)).strip()
