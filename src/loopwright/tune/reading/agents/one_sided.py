"""Words that say what happens when all goes well, with none beside them for the other case."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, PARTS
from loopwright.tune.skill.letters import has
from loopwright.tune.skill.model import Block, Page, Skill

_IF_THERE = re.compile(
    r"\b(?:if|when|where)\s+(?:[\w`-]+\s+){0,4}?(?:sub-?agents?|agents?|workers?|teammates?|delegation"
    r"|agent teams?)\s+(?:(?:is|are)\s+"
    r"(?:available|supported|installed|configured|present|enabled)\b|exists?\b)"
    r"|(?:如果|若|当)[^，。\n]{0,16}(?:代理|智能体|agent)[^，。\n]{0,8}(?:可用|支持|已启用)",
    re.IGNORECASE,
)
_AGENTS = ("agent", "worker", "teammate", "delegation", "代理", "智能体")
_ELSE = re.compile(
    r"\bnot (?:be )?(?:available|supported|installed|configured|present|possible|enabled)|unavailable|\botherwise\b"
    r"|\belse\b"
    r"|\bif not\b|\bwithout\b|fall ?back|\bmissing\b|\binstead\b|\bno (?:sub-?agents?|agents?|such)\b|\babsent\b"
    r"|\bfails?\b"
    r"|sequential|one after another|yourself|inline|unless|\bskip\b|\bonly\b|不可用|否则|没有|不支持|未启用|缺|回退"
    r"|降级|依次|自己|自行",
    re.IGNORECASE,
)
_GATE = re.compile(
    r"\bonly (?:proceed|continue|move on|go on|advance)\b[^.\n]{0,80}\b(?:after|when|if|once)\b[^.\n]{0,60}\b(?:pass"
    r"|succe|green|clean)"
    r"|(?:通过|成功)(?:后|之后)?(?:才|方可)(?:能|可)?(?:继续|进入|往下)",
    re.IGNORECASE,
)
_GATES = ("only proceed", "only continue", "only move on", "only go on", "only advance", "继续", "进入", "往下")
_BADLY = re.compile(
    r"\bfail|\berrors?\b|\bred\b|\bnot (?:pass|clean|green|succeed)|doesn['’]t|reject|\botherwise\b|\bissues?\b|\bfix"
    r"|\bbreak"
    r"|\bblock|\bretr|roll(?:s|ed)? back|refus|offline|no network|unreachable|\bcan(?:not|'t|’t| not)\b"
    r"|already (?:there|on disk|exists)|失败|否则|错误|未通过|不通过|重试",
    re.IGNORECASE,
)
_FETCHES = re.compile(r"^[ \t]*(?:\$[ \t]+)?(?:sudo[ \t]+)?git[ \t]+clone\b[^\n]*", re.MULTILINE)
_STEP = re.compile(r"\W*(?:step|phase|stage|步骤|阶段|第\s*[\d一二三四五六七八九]+\s*[步阶]|\d)", re.IGNORECASE)
_NAMES = re.compile(r"`[^`\n]{1,60}`|\"[^\"\n]{1,40}\"|\d+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*(?=\S)|[；;]\s*|\n+")
AROUND = 2
"""Blocks to each side in which the other case may be said."""
ALIKE = 2
"""Blocks that say the other case in the same words."""
BEGIN = 3
"""Words at the beginning that blocks of one kind have in common."""


@dataclass(frozen=True, slots=True)
class OneSided:
    """The words from `start` to `end`; `says` what its like say of the other case, at `model`."""

    page: Page
    start: int
    end: int
    case: str
    says: str = ""
    model: str = ""


def one_sided(skill: Skill) -> Iterator[OneSided]:
    for page in skill.pages.values():
        if page.kind not in PARTS:
            continue
        told = [
            block for block in page.blocks if block.use in MEANT and block.kind in ("paragraph", "item", "row", "code")
        ]
        yield from _unlike_siblings(page, [block for block in told if block.kind in ("paragraph", "item")])
        agents, gates = (any(has(page.text, word) for word in words) for words in (_AGENTS, _GATES))
        for index, block in enumerate(told):
            if block.kind == "code":
                yield from _fetched(page, block)
                continue
            if agents and (found := _IF_THERE.search(block.text)) and not _ELSE.search(_section(page, block)):
                yield OneSided(page, block.body + found.start(), block.body + found.end(), "there are none")
            if gates and (found := _GATE.search(block.text)) and not _BADLY.search(_beside(page, told, index, found)):
                yield OneSided(page, block.body + found.start(), block.body + found.end(), "it does not pass")


def _section(page: Page, block: Block) -> str:
    section = page.sections[block.section] if block.section >= 0 else None
    return page.text[section.start : section.end] if section else page.text


def _beside(page: Page, told: list[Block], index: int, found: re.Match[str]) -> str:
    """The blocks around it in its section, with its title and without the words themselves."""
    own = told[index]
    near = [
        one
        for one in told[max(0, index - AROUND) : index + AROUND + 1]
        if one.section == own.section and one is not own
    ]
    title = page.sections[own.section].title if own.section >= 0 else ""
    return "\n".join([title, own.text[: found.start()], own.text[found.end() :], *(one.text for one in near)])


def _fetched(page: Page, block: Block) -> Iterator[OneSided]:
    """A step fetches what all later ones need, and no word says what holds when that does not come."""
    section = page.sections[block.section] if block.section >= 0 else None
    found = _FETCHES.search(block.text) if section and _STEP.match(section.title) else None
    if found is not None and not _BADLY.search(_section(page, block)):
        yield OneSided(page, block.body + found.start(), block.body + found.end(), "it fails")


def _unlike_siblings(page: Page, told: list[Block]) -> Iterator[OneSided]:
    """Several blocks that begin alike say the same of the other case, and one says nothing of it."""
    begun: dict[str, list[Block]] = {}
    for block in told:
        words = _plain(block.text[:200]).split(None, BEGIN)[:BEGIN]
        if len(words) == BEGIN and "#" in words:
            begun.setdefault(" ".join(words), []).append(block)
    for blocks in begun.values():
        if not ALIKE < len(blocks) <= 12:
            continue
        said = [(block, _other_case(block)) for block in blocks]
        lacking = [block for block, mine in said if not mine]
        for block in lacking if len(lacking) == 1 else ():
            first, says = next((one, mine) for one, mine in said if mine)
            shared = [text for text in says if all(text in mine for one, mine in said if one is not block)]
            if shared:
                yield OneSided(
                    page, block.body, block.body + len(block.text), "it can not be done so", says[shared[0]],
                    f"{page.path}:{first.line}",
                )  # fmt: skip


def _other_case(block: Block) -> dict[str, str]:
    """By its words without names each of its sentences on the other case, as it is written."""
    parts = (one.strip() for one in _SENTENCE.split(block.text))
    return {_plain(one): one for one in parts if _BADLY.search(one) or _ELSE.search(one)}


def _plain(text: str) -> str:
    return _NAMES.sub("#", text).strip().casefold()
