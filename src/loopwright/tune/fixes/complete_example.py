"""An example gets the field that its schema asks for."""

from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        insert, at = finding.facts.get("insert"), finding.facts.get("at")
        if insert and at:
            page = skill.pages[finding.file]
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy,
                level="mechanical" if finding.facts.get("level") == "mechanical" else "template",
                description=f"The example gets {insert.strip(', ')}",
                rationale="The schema beside it asks for the field.",
                edits=(edit(page, int(at), int(at), insert),), estimated_impact="what follows the example is valid",
                verification_steps=("diagnose the whole skill again", "read whether the value fits the example"),
            )  # fmt: skip


FIXER = Fixer(frozenset({"example-breaks-schema"}), "mechanical", propose)
