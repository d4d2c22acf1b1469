"""An agent answers in the word that its siblings have."""

from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, old, new = skill.pages[finding.file], finding.facts["old"], finding.facts["new"]
        if page.text[finding.start : finding.end] != old:
            continue
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="schema_enforcement", level="mechanical",
            description=f"Let the agent answer {new} in place of {old}", rationale="Its siblings answer so.",
            edits=(edit(page, finding.start, finding.end, new),), estimated_impact="one step reads all answers",
            verification_steps=("diagnose the whole skill again", f"see that nothing reads {old}"),
        )  # fmt: skip


FIXER = Fixer(frozenset({"differing-output-contract"}), "mechanical", propose)
