"""What is missing in a list, a shape or a sentence is put where it belongs."""

from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        if "entry" not in finding.facts:
            continue
        at, words = int(finding.facts["entry_at"]), finding.facts["entry"]
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="template",
            description=f"Add “{words.strip()}”",
            rationale="Look whether it is worded as the rest.",
            edits=(edit(skill.pages[finding.file], at, at, words),), risk="low",
            estimated_impact="what is demanded has its place", verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


FIXER = Fixer(
    frozenset(
        {
            "goal-not-in-prompt",
            "request-not-persisted",
            "missing-constraints",
            "state-not-loaded",
            "broken-recovery",
        }
    ),
    "template",
    propose,
)
