"""Files that are said to carry something over to the next run, and that nobody is told to read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.rules.clauses import NEGATION, sentence_at, speaks
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_CARRIES = re.compile(
    r"\b(?:persists?|survives?|bridges?|carri?e[sd]? (?:over|context)|remembers?)\b[^.\n]{0,60}"
    r"|\bacross (?:iterations|sessions|runs|conversations|rounds|invocations)\b|跨(?:会话|轮次?|次)|(?:持久|留存)",
    re.IGNORECASE,
)
_STEMS = ("persist", "surviv", "bridge", "carri", "carry", "remember", "across", "跨", "持久", "留存")
_NAME = re.compile(r"`(?:[\w./<>{}~$-]*/)?(?P<name>[\w-]+\.(?:md|txt|jsonl?|ya?ml))`")
_READ = re.compile(
    r"\b(?:re-?)?(?:read|load|open|parse|consult|review|inspect|restore|resume|inject|feed|fed|pass|import|query|search"
    r"|cat|grep|display|show|print|view|look)(?:s|ed|ing)?\b|--(?:resume|context|file)\b"
    r"|读|加载|载入|打开|查|参考|恢复|注入|依据|对照|显示|列出",
    re.IGNORECASE,
)
AROUND, MANY, SHORT = 160, 200, 1_500
"""Characters around a name in which it may be read; names of a page; characters of a section that is about it."""


@dataclass(frozen=True, slots=True)
class Unread:
    page: Page
    name: str
    start: int
    end: int


def unread(skill: Skill) -> Iterator[Unread]:
    own = {path.rsplit("/", 1)[-1] for path in skill.files}
    seen: set[str] = set()
    for page in skill.pages.values():
        if page.kind in ("script", "data", "template", "reference") or not any(s in page.text for s in _STEMS):
            continue
        for found in islice(_NAME.finditer(page.text), MANY):
            name = found["name"]
            if name in seen or name in own or not _carries(page, found):
                continue
            seen.add(name)
            if not _is_read(skill, name):
                yield Unread(page, name, *found.span())


def _carries(page: Page, found: re.Match[str]) -> bool:
    sentence = sentence_at(page, found.start())
    if sentence is None or not speaks(page.blocks[block_at(page, found.start())], page):
        return False
    return _CARRIES.search(sentence.text) is not None and not NEGATION.search(sentence.text)


def _is_read(skill: Skill, name: str) -> bool:
    for page in skill.pages.values():
        at = page.text.find(name)
        while at >= 0:
            block = page.blocks[block_at(page, at)]
            begin, stop = max(block.start, at - AROUND), min(block.end, at + len(name) + AROUND)
            section = block.section
            if section >= 0 and page.sections[section].end - page.sections[section].body < SHORT:
                begin, stop = page.sections[section].body, page.sections[section].end
            if _READ.search(page.text[begin:stop].replace(name, "")):
                return True
            at = page.text.find(name, at + 1)
    return False
