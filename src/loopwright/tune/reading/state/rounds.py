"""Rounds that are counted, or work that is ordered again, where nothing compares the count with a limit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, PARTS
from loopwright.tune.reading.agents.uncovered import is_of_faults
from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.skill.letters import among, has
from loopwright.tune.skill.limits import limit_in
from loopwright.tune.skill.model import Block, Page, Skill

_COUNTER = re.compile(r"iteration|round|attempt|retr(?:y|ies)|cycle|revision|loop", re.IGNORECASE)
_RAISED = re.compile(r"(?<![\w$.])([\w$.]++)(?:\+\+|\s?\+=\s?1\b)")
_COMPARED = re.compile(r"(?<![\w$.])([\w$.]++)\s?(?:[<>]=?|≥|≤|===?)\s?([\w$.?]++)")
_MAX = re.compile(r"max|limit|\d", re.IGNORECASE)
_LIMIT = re.compile(r"(?i:max|limit)|\b(?:break|return|throw)\b")
_BACK = re.compile(
    r"\b(?:back to|loop(?:s|ing)? back|return to|go(?:es)? (?:back )?to|jump to|restart from)\s+(?:the\s+)?[`*\"]{0,3}"
    r"(?:phase|step|stage|loop|[A-Z])"
    r"|\bloop back\b|回到|返回(?:阶段|步骤)|跳回",
    re.IGNORECASE,
)
_LANGS = frozenset({"", "js", "javascript", "ts", "typescript", "pseudo", "pseudocode", "python", "py", "text"})
_AGAIN = re.compile(
    r"\b(?:create|spawn|add|dispatch|trigger|insert|queue|start|launch)(?:s|ing)?\s+(?:an?\s+|the\s+|new\s+|another\s+)*[`*\"]{0,3}"
    r"(?:revisions?|rework|re-?do|fix|retry|re-?review|correction|GC)[\w<>-]{0,20}[`*\"]{0,3}\s+(?:tasks?|rounds?|cycles?|loops?)\b"
    r"|(?:创建|新建|派发|追加|触发)[^，。；\n]{0,8}(?:返工|修订|重做|修复|修正)[^，。；\n]{0,4}任务",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"revis|rework|re-?do|\bfix|retr[iy]|re-?review|correct|\bgc\b|cycle|\brounds?\b|iteration|attempts\b|返工|修订|重做|修复|修正|轮|次",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|\b(?:once|twice|one|two|three)\b|max|limit|already|[一二两三]", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:max(?:imum)?|at most|up to|no more than|limit(?:ed)?)\b\W{0,4}(?:to\s|of\s)?(?:\d|one|two|three|<)"
    r"|\b\d+ ?(?:max|times)\b|\b(?:once|twice|thrice)\b"
    r"|\bsecond\b[^|\n]{0,40}(?:pause|stop|user|escalat|end)|\balready (?:re|fix)"
    r"|(?:最多|至多|不超过|上限)\W{0,4}[\d一二两三]",
    re.IGNORECASE,
)
_RETRY = re.compile(
    r"\bretr(?:y|ied|ies)\b|\btry (?:it )?again|\bre-?(?:run|start|spawn)\b|重试|重派|重跑", re.IGNORECASE
)
_ENDS = re.compile(
    r"\d|\b(?:once|twice|one|single|user|ask|next|manual\w*|resume|suggest\w*)\b|一次|用户|询问|手动", re.IGNORECASE
)
_AGENT = re.compile(r"agent|worker|\bCLI\b|task|spawn|teammate|代理|智能体|任务", re.IGNORECASE)
_STEMS = ("revision", "rework", "redo", "re-do", "fix", "retry", "correction", "返工", "修订", "重做", "修复", "修正")
_PLACES = ("code", "row", "item", "paragraph")
"""Where the order itself stands, before what only speaks of it."""


@dataclass(frozen=True, slots=True)
class Uncounted:
    """`words`: what goes on; `where`: a place that compares the same count, empty where the skill has none."""

    page: Page
    start: int
    end: int
    words: str
    where: str


def uncounted(skill: Skill) -> Iterator[Uncounted]:
    yield from _raised(skill)
    yield from _ordered(skill)
    yield from _retried(skill)


def _blocks(skill: Skill) -> Iterator[tuple[Page, Block]]:
    for page in skill.pages.values():
        if page.kind in PARTS:
            yield from ((page, block) for block in page.blocks if block.use in MEANT)


def _raised(skill: Skill) -> Iterator[Uncounted]:
    """Code goes back after it has raised the count, whatever that is; elsewhere a comparison ends it."""
    if not any(("++" in page.text or "+= 1" in page.text) and _BACK.search(page.text) for page in skill.pages.values()):
        return
    codes = [(page, block) for page, block in _blocks(skill) if block.kind == "code" and block.lang.lower() in _LANGS]
    compared = {
        _bare(found[1]): f"{page.path}:{page.text.count(chr(10), 0, block.body + found.start()) + 1}"
        for page, block in codes for found in _comparisons(block.text)
    }  # fmt: skip
    for page, block in codes:
        for found in _RAISED.finditer(block.text) if _BACK.search(block.text) else ():
            where = compared.get(_bare(found[1]))
            if where is None or not _COUNTER.search(found[1]) or _is_guarded(block.text, _bare(found[1])):
                continue
            start = block.body + found.start()
            yield Uncounted(page, start, block.body + found.end(), found[0], where)
            break


def _comparisons(code: str) -> Iterator[re.Match[str]]:
    """Of a count with its limit."""
    return (found for found in _COMPARED.finditer(code) if _COUNTER.search(found[1]) and _MAX.search(found[2]))


def _bare(name: str) -> str:
    return name.rpartition(".")[2].casefold().replace("_", "").removeprefix("current")


def _is_guarded(code: str, counter: str) -> bool:
    """A comparison of the count stands before it, in a condition around it or one that leaves, or right behind it."""
    if any(_bare(found[1]) == counter for found in _comparisons(code)):
        return True
    return limit_in(code, 0, len(code)) is not None and _LIMIT.search(code) is not None and "max" in code.lower()


def _ordered(skill: Skill) -> Iterator[Uncounted]:
    """Words order the work again each time that it is refused, and no words of the skill say how often at most."""
    found: list[tuple[Page, Block, re.Match[str]]] = []
    about = {page.path for page in skill.pages.values() if among(page.text, _STEMS)}
    for page, block in _blocks(skill):
        if block.kind not in _PLACES or page.path not in about:
            continue
        match = _AGAIN.search(block.text)
        if match is not None and (block.kind != "code" or block.lang.lower() in _LANGS):
            found.append((page, block, match))
    if not found or any(_says_limit(page) for page in {id(page): page for page, _, _ in found}.values()):
        return
    main = skill.pages[skill.main]
    if _says_limit(main):
        return
    page, block, match = min(found, key=lambda one: _PLACES.index(one[1].kind))
    yield Uncounted(page, block.body + match.start(), block.body + match.end(), match[0], "")


def _retried(skill: Skill) -> Iterator[Uncounted]:
    """A table of failures has agents tried again, and no words of the skill say how often."""
    for page in skill.pages.values():
        for grid in grids(page) if page.kind in PARTS and has(page.text, "retry") else ():
            if not is_of_faults(grid):
                continue
            found = [(block, match) for block in grid.blocks if (match := _RETRY.search(block.text)) is not None]
            found = [
                (block, match) for block, match in found if not _ENDS.search(block.text) and _AGENT.search(block.text)
            ]
            if not found or any(_says_limit(one) for one in skill.pages.values() if one.kind in PARTS):
                continue
            block, match = found[0]
            yield Uncounted(page, block.body, block.end, block.text.strip(" |"), "")
            return


def _says_limit(page: Page) -> bool:
    """A line about such work says a number, or a limit."""
    return any(
        _ABOUT.search(line) and (_MOST.search(line) or limit_in(line, 0, len(line)) is not None)
        for line in page.text.splitlines() if _NUMBER.search(line)
    )  # fmt: skip
