"""Sections of SKILL.md that stand apart move to files of their own, which are read when they are needed."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.detectors.oversized_skill import MUCH, SOME, aside
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Section, Skill
from loopwright.tune.skill.tokens import tokens

_NO_NAME = re.compile(r"[^a-z0-9\u4e00-\u9fff]+")
_PHASE = re.compile(r"^(?:phase|step|stage)\s*\d|^第\s*[\d一二三四五六七八九十]+\s*[步阶]|^阶段\s*\d", re.IGNORECASE)
_STAYS = frozenset({"goal", "constraints", "when", "tools", "recovery", "auto", "limits", "steps"})
"""Sections that every use of the skill needs."""
LEAST = 400
"""Characters of a section that is worth a file."""
MOST = 0.4
"""The share of tables and code from which on a section is something to look things up in."""
_LINK = re.compile(r"\]\((?!https?:|#|/|mailto:)([^)\s]{1,300})\)")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        sections = _sections(page)
        creates: dict[str, str] = {}
        edits: list[Edit] = []
        for section in sections if _is_enough(page, sections) else ():
            name = _name(skill, section, creates)
            creates[name] = _file(page, section)
            edits.append(edit(page, section.body, section.end, _pointer(page, name)))
        if not edits:
            continue
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="context_summarization", level="template",
            description=f"Move {', '.join(section.title for section in sections)} to references/",
            rationale="They are looked things up in, not followed step by step.", edits=tuple(edits), creates=creates,
            risk="medium", estimated_impact="SKILL.md holds the procedure; the rest is read when it is needed",
            verification_steps=("diagnose the whole skill again", "say in each step which of the files it needs"),
        )  # fmt: skip


def _sections(page: Page) -> list[Section]:
    """Those that stand apart; where these are too little, what is mostly tables and code, or a phase by itself."""
    found = [one for one in aside(page) if one.end - one.body > LEAST]
    others = [one for one in page.sections if one.level == 2 and one not in found and one.end - one.body > LEAST]
    loose = sorted((one for one in others if _loose(page, one) > MOST), key=lambda one: one.body - one.end)
    phases = [one for one in others if _PHASE.search(one.title) and one not in loose]
    for one in (*loose, *(phases if len(phases) > 2 else ())):
        if _is_enough(page, found):
            break
        if one in phases or (one.concept not in _STAYS and not _has_steps(page, one)):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def _has_steps(page: Page, section: Section) -> bool:
    """It leads through the work, step by step."""
    inner = [one for one in page.sections if section.start < one.start < section.end]
    return sum(_PHASE.search(one.title) is not None for one in inner) > 1


def _loose(page: Page, section: Section) -> float:
    """The share of tables, code and background."""
    inside = (one for one in page.blocks if section.body <= one.start < section.end)
    apart = sum(len(one.text) for one in inside if one.kind in ("row", "code") or one.use in ("reference", "template"))
    return apart / max(1, section.end - section.body)


def _is_enough(page: Page, sections: list[Section]) -> bool:
    """Whether what stays is short enough."""
    moved = sum(tokens(page.text[section.body : section.end]) for section in sections)
    return page.tokens - moved < (SOME if page.tokens < MUCH else MUCH)


def _name(skill: Skill, section: Section, taken: dict[str, str]) -> str:
    stem = _NO_NAME.sub("-", section.title.lower()).strip("-")[:40] or "details"
    name, number = f"references/{stem}.md", 2
    while name in skill.files or name in taken:
        name, number = f"references/{stem}-{number}.md", number + 1
    return name


def _file(page: Page, section: Section) -> str:
    """The section with its title; links are made to lead where they led."""
    text = page.text[section.body : section.end].strip("\r\n")
    moved = _LINK.sub(lambda link: f"](../{link[1]})", text)
    return f"# {section.title}\n\n{moved}\n".replace("\r\n", "\n")


def _pointer(page: Page, name: str) -> str:
    words = (
        f"只在用到时才读 [{name}]({name})。" if page.language == "zh" else f"Read [{name}]({name}) when you need it."
    )
    return f"\n{words}\n\n"


FIXER = Fixer(frozenset({"oversized-skill"}), "template", propose)
