"""A sentence that has many files read at the start says to read each when it is needed."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill

_NAMED = re.compile(r"\[[^\]\n]*\]\([^)\n]+\)|`[^`\n]+`")
_END = re.compile(r"[.。]?\s*\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        sentence = page.text[finding.start : finding.end]
        names = _NAMED.findall(sentence)
        if not names or "=>" in sentence:  # code
            continue
        chinese = page.language == "zh"
        listed = ("、" if chinese else ", ").join(names)
        words = (
            f"以下文件在用到的步骤才读，不要提前读：{listed}"
            if chinese
            else f"Read each of these only when the step at hand needs it: {listed}"
        )
        ending = _END.search(sentence)
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level="template",
            description="Read the files when they are needed, not all at the start",
            rationale="Most tasks need a part of them only.",
            edits=(edit(page, finding.start, finding.end, words + (ending[0] if ending else "")),), risk="medium",
            estimated_impact="the context holds what the task needs",
            verification_steps=("diagnose the whole skill again", "say at each step which file it needs"),
        )  # fmt: skip


FIXER = Fixer(frozenset({"eager-loading"}), "template", propose)
