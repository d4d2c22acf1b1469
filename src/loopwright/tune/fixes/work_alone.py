"""An agent that was told to start others is told to do the work alone."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.detectors.nested_spawn import BAN
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

USUAL = {"en": "Do all of it yourself; do not start other agents.", "zh": "由你自己完成，不要启动别的 agent。"}
_CJK = re.compile(r"[\u4e00-\u9fff]")
_LEAD = re.compile(r"[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?")
_STOP = re.compile(r"[.。;；!！]")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        start, end = int(finding.facts.get("line_start", "-1")), int(finding.facts.get("line_end", "-1"))
        if start < 0 or end > len(page.text) or end <= start:
            continue
        sentence, level = _sentence(skill, page, start, end)
        lead = _LEAD.match(page.text, start, end)
        begin = lead.end() if lead else start
        stop = begin + len(page.text[begin:end].rstrip())
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level=level,
            description="Let the agent do its work alone", rationale="Only the one that leads the run starts agents.",
            edits=(edit(page, begin, stop, sentence),), risk="medium", estimated_impact="no agent works that nobody "
            "waits for",
            verification_steps=("diagnose the whole skill again", "see that the work is not too much for one agent"),
        )  # fmt: skip


def _sentence(skill: Skill, page: Page, start: int, end: int) -> tuple[str, FixLevel]:
    """The ban as the agent's siblings have it, if it is in the same language."""
    chinese = bool(_CJK.search(page.text, start, end))
    for prompt in skill.prompts:
        for found in BAN.finditer(prompt.text):
            if bool(_CJK.search(found[0])) == chinese:
                return f"{found[0].strip()}{'。' if chinese else '.'}", "template"
    return USUAL["zh" if chinese else "en"], "template"


FIXER = Fixer(frozenset({"nested-spawn"}), "template", propose)
