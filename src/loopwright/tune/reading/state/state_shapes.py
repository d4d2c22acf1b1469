"""What a skill shows its state to hold, and each place in which one of these fields is filled or read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.fields.keyed import LONGEST, keyed
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page, Skill
from loopwright.tune.skill.once import once

_ABOUT = re.compile(r"state|session|status|manifest|meta\.json|progress|状态|会话|进度", re.IGNORECASE)
_EMPTY = re.compile(r"[\"']?([A-Za-z_]\w{2,40})[\"']?\s?[:=]\s?(?:\[ ?\]|null|None|\{ ?\}|0|\"\"|'')(?=[\s,})\]/])")
_UNSET = re.compile(r"[:=]\s?(?:\[ ?\]|null|None|\{ ?\}|0|\"\"|'')(?=[\s,})\]/])")
"""Its end, which is found many times faster: pages without it have no such field."""
_FILLS = re.compile(
    r"\b(?:append|add|set|updat|record|stor|writ|increment|push|sav|fill|populat|mark|insert|track|persist|put|merge"
    r"|remov|clear|reset|register|log|initiali[sz]|sync|assign|collect|move)\w{0,4}\b"
    r"|更新|写入|追加|记录|设置|设为|加入|填|存|累加|清空|改为|置为|标记|合并|移除|登记",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:read|load|check|use|avoid|from|by|if|when|for|extract|consult|review|compare)\w{0,3}\b|读|取|按|据|若|如果|当",
    re.IGNORECASE,
)
_SET = re.compile(
    r"(?:\[[^\]\n]{0,40}\])?[\"'`]?(?:\s?(?:=(?![=>])|\+=|-=|\+\+|:\s?(?=[\w\"'`\[{$<(]))"
    r"|\.(?:push|add|append|unshift|splice|set|insert|extend|pop|shift)\()"
)
_BECOMES = re.compile(
    r"[`\"')*\]]*\s{1,2}(?:(?:is|are|gets?|must be|has been|will be) )?(?:now )?"
    r"(?:updated|populated|filled|set|written|incremented|stored|recorded|appended|extended|\+= ?|->|→|加一|置为|设为)"
)
_PARTED = re.compile(r"[A-Za-z_]\w{2,40}")
FEWEST, FAR = 4, 300
"""Fields of a state, and characters before it in which it is called one."""


@dataclass(frozen=True, slots=True)
class StateShape:
    """An object that shows the state as it begins: where each field stands; `empty`: those without a value yet."""

    page: Page
    block: Block
    fields: dict[str, int]
    empty: frozenset[str]


@dataclass(frozen=True, slots=True)
class Told:
    """A field of the state that is named outside of the shapes. `fills`: it is given a value there."""

    page: Page
    start: int
    end: int
    name: str
    fills: bool


@once
def state_shapes(skill: Skill) -> Iterator[StateShape]:
    for page in skill.pages.values():
        if len(page.text) > LONGEST or page.kind == "script" or _UNSET.search(page.text) is None:
            continue
        blocks: dict[int, dict[str, int]] = {}
        for one in keyed(page):
            if one.block.kind == "code":
                inner = blocks.setdefault(one.block.start, {})
                for name, (start, _) in one.keys.items():
                    inner.setdefault(name, start)
        for block in page.blocks:
            fields = blocks.get(block.start, {})
            empty = frozenset(_EMPTY.findall(block.text)) & fields.keys() if len(fields) >= FEWEST else frozenset()
            if empty and _is_of_state(page, block):
                yield StateShape(page, block, fields, empty)


def _is_of_state(page: Page, block: Block) -> bool:
    section = page.sections[block.section] if block.section >= 0 else None
    if section is not None and (section.concept == "state" or _ABOUT.search(section.title)):
        return True
    begin = max(0, block.start - FAR, section.body if section else 0)
    return _ABOUT.search(page.text, begin, block.start) is not None or _ABOUT.search(block.text[:120]) is not None


@once
def told_of_state(skill: Skill) -> Iterator[Told]:
    """Of names that are made of several words, and so are no words of a sentence."""
    shapes = state_shapes(skill)
    names = {name for shape in shapes for name in shape.fields if is_made(name)}
    if not names:
        return
    shown = {(shape.page.path, start) for shape in shapes for start in shape.fields.values()}
    for page in skill.pages.values():
        if page.kind in ("script", "data") or len(page.text) > LONGEST:
            continue
        for found in _PARTED.finditer(page.text):
            if found[0] not in names or (page.path, found.start()) in shown:
                continue
            block = page.blocks[block_at(page, found.start())]
            if block.use not in ("negative", "quotation") and not _begins_empty(page.text, found):
                yield Told(page, found.start(), found.end(), found[0], _fills(page, block, found))


def is_made(name: str) -> bool:
    return "_" in name.strip("_") or (name[:1].islower() and any(letter.isupper() for letter in name))


def _begins_empty(text: str, found: re.Match[str]) -> bool:
    at = found.start() - (text[found.start() - 1 : found.start()] in ("'", '"'))
    return _EMPTY.match(text, at) is not None


def _fills(page: Page, block: Block, found: re.Match[str]) -> bool:
    text = page.text
    if _SET.match(text, found.end()) is not None or _BECOMES.match(text, found.end()) is not None:
        return True
    if block.kind == "row":
        return False
    begin = max(text.rfind("\n", 0, found.start()) + 1, block.start, found.start() - 160)
    before = text[begin : found.start()]
    fills = max((one.start() for one in _FILLS.finditer(before)), default=-1)
    takes = max((one.start() for one in _TAKES.finditer(before)), default=-1)
    return fills >= 0 and fills >= takes
