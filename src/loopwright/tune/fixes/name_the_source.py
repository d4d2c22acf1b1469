"""A copied passage becomes the name of the file that has it."""

from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, other = skill.pages[finding.file], finding.facts["other"]
        told = bool(finding.facts.get("told"))
        first = page.text[finding.start : finding.end].lstrip()
        mark = "- " if first.startswith(("- ", "* ", "+ ")) else ""
        words = f"{mark}以 `{other}` 中的规定为准。" if page.language == "zh" else f"{mark}See `{other}`."
        level: FixLevel = "mechanical" if told else "template"
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="context_summarization", level=level,
            description=f"Name {other} in place of the copy", rationale=f"{other} says the same, word for word.",
            edits=(edit(page, finding.start, finding.end, words),), risk="low" if told else "medium",
            estimated_impact="the passage is read once, and changed in one place",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


FIXER = Fixer(frozenset({"duplicated-block"}), "mechanical", propose)
