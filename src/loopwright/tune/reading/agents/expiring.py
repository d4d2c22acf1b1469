"""Waits with a time limit, and what is done when it is over."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, Act, acts, block_of, in_code, is_drawn, names_given
from loopwright.tune.skill.model import Page, Skill

_OVER = re.compile(
    r"time[sd]?[_ -]?out|\bcatch\b|time is (?:up|over)|no (?:answer|response|result)|\?\.|超时|未返回|无响应|无结果",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?:agents?|workers?|waits?|tasks?|executors?|reviewers?|explorers?|代理|智能体|等待)[^|\n]{0,30}"
    r"(?:time[sd]?[_ -]?out|超时)"
    r"|(?:time[sd]?[_ -]?out|超时)[^|\n]{0,30}(?:agents?|workers?|waits?|代理|智能体)",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"timeout\w{0,20}\s{0,4}[:=]\s{0,4}[\w.]{1,40}", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*\Z")


@dataclass(frozen=True, slots=True)
class Expiring:
    """`target`: what takes the result, which is used as if the time were never over; `said`: where it is spoken of.

    `alone`: no other wait of the skill does so.
    """

    page: Page
    act: Act
    target: str
    said: str
    alone: bool


def expiring(skill: Skill) -> Iterator[Expiring]:
    """A wait whose result is used at once, where most others ask, or the skill says what is to be done."""
    waits = [
        act
        for act in acts(skill)
        if act.does == "wait" and act.call.name.startswith("wait") and act.limit in names_given(act.call)
        and in_code(skill, act.call)
        and not is_drawn(skill, act.call)
    ]  # fmt: skip
    lacking = [one for act in waits if (one := _unasked(skill, act, waits)) is not None]
    if not lacking:
        return
    asked = len(waits) - len(lacking)
    said = _said(skill)
    if len(lacking) < max(2, asked) and (asked > 1 or said):
        for page, act, target in lacking:
            yield Expiring(page, act, target, said, alone=len(lacking) == 1)


def _unasked(skill: Skill, act: Act, waits: list[Act]) -> tuple[Page, Act, str] | None:
    page = skill.pages[act.call.at.file]
    block = block_of(page, act.call.at.start)
    target = (act.call.target or "").split(".")[0]
    if block is None or not _NAME.match(target):
        return None
    later = (
        one.call.at.start for one in waits if one.call.at.file == page.path and one.call.at.start > act.call.at.start
    )
    end = min([block.end, *later])
    behind = _LIMIT.sub("", page.text[act.call.at.end : end])
    if _OVER.search(behind) or not re.search(rf"(?<![\w$.]){re.escape(target)}[.\[]", behind):
        return None
    return page, act, target


def _said(skill: Skill) -> str:
    for page in skill.pages.values():
        for block in page.blocks if _OVER.search(page.text) else ():
            if block.use in MEANT and block.kind in ("row", "item", "paragraph") and _SAID.search(block.text):
                return f"{page.path}:{block.line}"
    return ""
