"""A growing list goes into the prompt with its last entries only."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill

KEPT = 3
"""Entries: the round before, and what led to it."""


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, name = skill.pages[finding.file], finding.facts.get("name")
        if not name:
            continue
        found = re.compile(re.escape(name) + r"(?![\w$])").search(page.text, finding.start, finding.end)
        if found is None:
            continue
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="sliding_window", level="mechanical",
            description=f"Put only the last {KEPT} entries of {name} into the prompt",
            rationale=f"{name} grows in every round; the latest entries are what the next round goes on from.",
            edits=(edit(page, found.end(), found.end(), f".slice(-{KEPT})"),),
            estimated_impact="the prompt stays the same length however long the run is",
            verification_steps=("diagnose the whole skill again", f"look whether {KEPT} entries are enough"),
        )  # fmt: skip


FIXER = Fixer(frozenset({"unbounded-accumulator"}), "mechanical", propose)
