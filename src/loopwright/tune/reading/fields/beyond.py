"""Fields that a sentence marks as the skill marks its fields, and that the shape it shows does not have."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.fields.declared import MEMBERS
from loopwright.tune.reading.fields.keyed import LONGEST, data_of
from loopwright.tune.reading.files.runfiles import file_names
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_LIST = re.compile(r"`([A-Za-z_]\w{2,40})\[\]`")
_OF = re.compile(r"`([A-Za-z_]\w{0,40})\.([A-Za-z_]\w{1,40})(?:\[\])?`")
_INPUT = re.compile(r"\binputs?\b|\barguments?\b|\bparameters?\b|输入|参数", re.IGNORECASE)
FEWEST = 2
"""Fields marked so that the shape has, so that the mark says that a name is a field of it."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """`name` at `start` is no key of any object; `others`, marked alike, are."""

    page: Page
    start: int
    end: int
    name: str
    others: tuple[str, ...]
    where: str


def beyond(skill: Skill) -> Iterator[Beyond]:
    """`hotspots[]`, where `differences[]` and `suggestions[]` are keys; `result.x`, where two others of it are."""
    shown: dict[str, str] = {}
    for page in skill.pages.values():
        for one in data_of(page):
            for key, (start, _) in one.keys.items():
                shown.setdefault(key, f"{page.path}:{page.text.count(chr(10), 0, start) + 1}")
    declared = {step for schema in skill.schemas for field in schema.fields for step in field.path.split(".")}
    groups: dict[str, list[tuple[Page, int, str]]] = {}
    files = file_names(skill)
    for page in skill.pages.values() if len(shown) > FEWEST else ():
        if page.kind not in ("script", "data") and len(page.text) <= LONGEST:
            for found in _LIST.finditer(page.text):
                if not _comes_in(page, found.start()):
                    groups.setdefault("[]", []).append((page, found.start(1), found[1]))
            for found in _OF.finditer(page.text):
                if f"{found[1]}.{found[2]}" in files or found[2] in MEMBERS:
                    continue
                groups.setdefault(found[1], []).append((page, found.start(2), found[2]))
    for named in groups.values():
        others = tuple(dict.fromkeys(name for _, _, name in named if name in shown))
        known = {*shown, *declared, *(one.removesuffix("[]") for one in declared)}
        strange = [one for one in named if one[2] not in known]
        if len(others) < FEWEST or len(strange) != 1 or _is_told(skill, strange[0][2]):
            continue
        page, start, name = strange[0]
        block = page.blocks[block_at(page, start)]
        if block.use in ("instruction", "prompt") and block.kind not in ("code", "heading"):
            yield Beyond(page, start, start + len(name), name, others, shown[others[0]])


def _is_told(skill: Skill, name: str) -> bool:
    """Elsewhere the name stands alone."""
    return any(f"`{name}`" in page.text for page in skill.pages.values())


def _comes_in(page: Page, at: int) -> bool:
    """Its section tells what the skill is given."""
    tag = page.text.rfind("\n<", 0, at)
    if tag >= 0 and _INPUT.search(page.text, tag, page.text.find("\n", tag + 1)):
        return True
    number = page.blocks[block_at(page, at)].section
    section = page.sections[number] if number >= 0 else None
    return section is not None and (section.concept == "input" or _INPUT.search(section.title) is not None)
