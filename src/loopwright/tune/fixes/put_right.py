"""A path that leads nowhere becomes that of the only file of this name."""

from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        right, wrong = finding.facts.get("right", ""), finding.facts.get("wrong", "")
        change = _edit(skill, finding, wrong, right) if right and wrong and right != wrong else None
        if change:
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="mechanical",
                description=f"{wrong} becomes {right}",
                rationale=f"{right} is the skill's only file of this name; nothing is called {wrong}.",
                edits=(change,), estimated_impact="the reference leads to the file that is meant",
                verification_steps=("diagnose the whole skill again",),
            )  # fmt: skip


def _edit(skill: Skill, finding: Finding, wrong: str, right: str) -> Edit | None:
    """Where it was found; with the text of its link, where that is the path, too."""
    page = skill.pages[finding.file]
    at = page.text.find(wrong, finding.start, finding.end)
    if at < 0:
        return None
    label = f"[{wrong}]("
    if page.text.startswith(label, at - len(label)):
        return edit(page, at - len(label), at + len(wrong), f"[{right}]({right}")
    return edit(page, at, at + len(wrong), right)


FIXER = Fixer(frozenset({"dead-reference"}), "mechanical", propose)
