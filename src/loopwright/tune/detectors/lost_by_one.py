"""What prompts of one form, or pages of one family, all say but one of them, as several rules report it."""

import re
from collections.abc import Iterator
from typing import Literal

from loopwright.tune.detectors.detector import Hit
from loopwright.tune.reading.prompts.one_form import Lost, lost
from loopwright.tune.reading.rules.restraints import RESTRICTS
from loopwright.tune.skill.concepts import concept_of
from loopwright.tune.skill.model import Skill

Idea = Literal["rules", "goal", "return"]
_RULES = re.compile(r"constrain|\brules?\b|spec|style|quality|guard|boundar|must|约束|规范|规则|限制|风格|要求", re.I)
_GOALS = re.compile(r"\b(?:goal|objective|request|requirement|purpose)s?\b|目标|需求|目的", re.I)
_RETURNS = re.compile(r"\b(?:output|return|expected|format|deliver\w*|report)s?\b|输出|返回|交付|格式", re.I)
_BANS = re.compile(r"\b(?:do not|don't|never|must not|only)\b|不要|不得|禁止|不许|只", re.IGNORECASE)
"""The prompt restrains all the same, without a title for it."""


def lost_by_one(skill: Skill, idea: Idea) -> Iterator[Hit]:
    for one in lost(skill):
        if _idea(one) == idea and not (idea == "rules" and not one.line and _BANS.search(one.prompt.text)):
            yield _hit(skill, one)


def _idea(one: Lost) -> Idea | None:
    if one.line:
        return "rules" if RESTRICTS.search(one.line) and not _RETURNS.search(one.label) else None
    concept = concept_of(one.label)
    if concept in ("constraints", "limits") or _RULES.search(one.label):
        return "rules"
    if concept == "goal" or _GOALS.search(one.label):
        return "goal"
    return "return" if concept in ("output", "return") or _RETURNS.search(one.label) else None


def _hit(skill: Skill, one: Lost) -> Hit:
    first = next((line.strip() for line in one.prompt.text.splitlines() if line.strip()), "")
    where = f"{one.model.at.file}:{one.model.at.line}"
    what = f"the line “{one.line}”" if one.line else f"a part “{one.label}”"
    page = skill.pages[one.prompt.at.file].text
    stop = page.find("\n", one.prompt.at.start)
    entry = f"\n{one.said.strip()}" if one.line else f"\n\n{one.said.strip()}"
    return Hit(
        file=one.prompt.at.file, start=one.prompt.at.start, end=stop if stop >= 0 else one.prompt.at.end,
        subject=f"{one.line[:60] or one.label} in the prompt {first[:40]}",
        message=f"this prompt has lost {what}: the other {one.having} of its form have it ({where})",
        advice=f"Give it {what}, as the prompt at {where} has it.", also=(where,), phase=one.prompt.at.phase,
        facts={"entry_at": str(one.after), "entry": entry} if one.after >= 0 else {},
    )  # fmt: skip
