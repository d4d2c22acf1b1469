"""A wait gets the time limit that the skill's other waits have."""

from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill

USUAL = "600000"
"""Ten minutes, where the skill says nothing."""


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        index, parameter = int(finding.facts.get("call", "-1")), finding.facts.get("parameter", "")
        if not 0 <= index < len(skill.calls) or not parameter:
            continue
        page, call = skill.pages[finding.file], skill.calls[index]
        if not call.arguments or call.at.file != finding.file:
            continue
        last = call.arguments[-1].at.end
        value = finding.facts.get("value", "")
        level: FixLevel = "mechanical" if value else "template"
        joined = (
            "=" if "{" not in page.text[call.at.start : call.arguments[0].at.start] and call.arguments[0].name else ": "
        )
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="custom", level=level,
            description=f"Give {call.name} the limit {parameter}{joined}{value or USUAL}",
            rationale="The skill's other waits have this limit." if value else "An agent that hangs must not hold up "
            "the run; look if ten minutes fit.",
            edits=(edit(page, last, last, f", {parameter}{joined}{value or USUAL}"),),
            risk="low" if value else "medium",
            estimated_impact="the run goes on when an agent does not answer", verification_steps=("diagnose the whole "
            "skill again",),
        )  # fmt: skip


FIXER = Fixer(frozenset({"wait-without-limit"}), "mechanical", propose)
