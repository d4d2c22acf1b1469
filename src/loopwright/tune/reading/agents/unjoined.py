"""Agents that words of a page start, of whose end no other words speak."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, PARTS
from loopwright.tune.reading.words.spots import places
from loopwright.tune.skill.model import Block, Page, Section, Skill

_AGENTS = (
    r"(?:sub-?agents?|agents?|workers?|reviewers?|researchers?|explorers?|lanes|voices|teammates?|missions?"
    r"|background tasks?"
    r"|background jobs?)"
)
_ZH = r"(?:启动|派发?|拉起|创建)[^。；\n]{0,16}(?:代理|智能体|agent)"
_LAUNCHES = re.compile(
    rf"[\s*_\d.)-]*(?:then\s+|now\s+)?(?:launch|spawn|dispatch|start|fan out|kick off|fire(?: off)?|run"
    rf"|use)\b[^.;\n]{{0,60}}?"
    rf"\b{_AGENTS}\b|[\s*_\d.)、-]*(?:并行|同时|分别|然后)?{_ZH}",
    re.IGNORECASE,
)
_STARTS = re.compile(
    rf"\b(?:launch|spawn|dispatch|start|run|fan out|kick off|create|fire)\w*\b[^.;\n]{{0,60}}?\b{_AGENTS}\b|{_ZH}",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\bin parallel\b|\bconcurrently\b|\bsimultaneously\b|\bat once\b|\bone message\b|并行|同时", re.IGNORECASE
)
_BEHIND = re.compile(
    r"\bin the background\b|\bnon-?blocking\b|run_in_background\W{1,4}true|returns? (?:a |the )?`?job_?id"
    r"|\bimmediately returns?"
    r"|\breturns? immediately|后台(?:启动|运行|执行)",
    re.IGNORECASE,
)
_BEHIND_STEMS = ("background", "blocking", "immediately", "job", "后台")
_JOINS = re.compile(
    r"\bwait|\bpoll|\bawait|TaskOutput|\bblock(?:s|ing) |notif|callback|\bjoin(?:s|ed)?\b|\bmailbox\b|SendMessage"
    r"|\b(?:until|once|when|after|as soon as|before)\b[^.\n]{0,40}\b(?:complet|finish|return|done|ends?\b|report"
    r"|terminal)"
    r"|complet\w{1,20} status|track\w{0,20} (?:\w{1,30} )?complet|monitor\w{0,20} (?:\w{1,30} ){0,3}(?:progress|status"
    r"|complet)"
    r"|fire[- ]and[- ]forget|\bSTOP\b|等|轮询|通知|回调|直到|完成后|返回后",
    re.IGNORECASE,
)
_COLLECTS = re.compile(
    r"\b(?:returns?|returned|reports?|results?|findings|outputs?|collect\w*|gather\w*|merg\w+|synthesi\w+|aggregat\w+"
    r"|combin\w+"
    r"|consolidat\w+|integrat\w+|responses?|monitor\w*|status|deliver\w*|complet\w+|verdicts?|answers?|summar\w+"
    r"|reconcil\w+|compar\w+"
    r"|dedup\w*|synchronous\w*|converge\w*|finish\w*)|汇总|合并|收集|结果|整合|返回|报告|监控|输出|完成",
    re.IGNORECASE,
)
_WAITING = frozenset(
    {"monitor", "wait", "await", "collect", "join", "track", "poll", "gather", "watch", "监控", "等待", "收集", "汇总"}
)
_ARROW = re.compile(r"\s{0,20}(?:→|->|=>|➜|⟶)\s{0,20}")
_LABEL = re.compile(r"[\s*_`]*\*\*([^*\n]{2,30}?)[:：]?\*\*")
_LANGS = ("", "text", "txt", "md", "markdown")
NEAR = 60
"""Characters around a stem that what is said with it takes in."""
FEWEST = 3
"""Steps of a row of them, joined by arrows."""


@dataclass(frozen=True, slots=True)
class Unjoined:
    """`start` to `end`: the words that start them. `missing`: the step that a title names, and its list has not."""

    page: Page
    start: int
    end: int
    missing: str = ""


def unjoined(skill: Skill) -> Iterator[Unjoined]:
    for page in skill.pages.values():
        if page.kind not in PARTS:
            continue
        found = next(_behind(page), None)
        if found is not None:
            yield found
        else:
            yield from _apart(page)
        yield from _promised(page)


def _told(page: Page) -> Iterator[Block]:
    for block in page.blocks:
        if block.use in MEANT and (
            block.kind in ("paragraph", "item") or (block.kind == "code" and block.lang.lower() in _LANGS)
        ):
            yield block


def _says_behind(text: str) -> bool:
    around = ((max(0, at - NEAR), at + NEAR) for stem in _BEHIND_STEMS for at in places(text, stem))
    return any(_BEHIND.search(text, begin, end) for begin, end in around)


def _behind(page: Page) -> Iterator[Unjoined]:
    """They work in the background, and the page knows no word for their end."""
    if not _says_behind(page.text) or _JOINS.search(page.text, page.front.end if page.front else 0):
        return
    for block in _told(page):
        found = _BEHIND.search(page.text, block.body, block.end)
        starts = _STARTS.search(page.text, block.body, block.end) if found else None
        if starts is not None:
            yield Unjoined(page, starts.start(), starts.end())


def _apart(page: Page) -> Iterator[Unjoined]:
    """Several are started at once, and neither the section nor one behind it speaks of what they bring."""
    for block in _told(page):
        found = _LAUNCHES.match(page.text, block.body, block.end)
        line = page.text.find("\n", block.body, block.end)
        if found is None or not _APART.search(page.text, block.body, block.end if line < 0 else line):
            continue
        section = page.sections[block.section] if block.section >= 0 else None
        end = section.end if section else len(page.text)
        if not _COLLECTS.search(page.text, found.end(), end) and not _collected_later(page, section, end):
            yield Unjoined(page, found.start(), found.end())


def _collected_later(page: Page, section: Section | None, end: int) -> bool:
    """A title behind it says so, or the next step does."""
    later = [one for one in page.sections if one.start >= end]
    if any(_COLLECTS.search(one.title) for one in later):
        return True
    numbered = section is not None and any(char.isdigit() for char in section.title)
    return numbered and bool(later) and _COLLECTS.search(page.text, later[0].start, later[0].end) is not None


def _promised(page: Page) -> Iterator[Unjoined]:
    """`Plan → Dispatch → Monitor → Report` above a list of these steps that has no Monitor."""
    for index, section in enumerate(page.sections):
        title = section.title.rpartition(":")[2] if ":" in section.title else section.title
        steps = [step.strip(" *`").casefold() for step in _ARROW.split(title)]
        if len(steps) < FEWEST:
            continue
        items = [one for one in page.blocks if one.section == index and one.kind == "item"]
        labels = [found[1].strip().casefold() for one in items if (found := _LABEL.match(one.text))]
        missing = [step for step in steps if step not in labels]
        if len(missing) == 1 and missing[0] in _WAITING and len(labels) >= FEWEST - 1:
            yield Unjoined(page, section.start, section.body, missing[0])
