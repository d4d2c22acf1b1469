"""Repairs: one file per kind, each from findings to proposals of exact edits."""

from collections.abc import Sequence

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.fixer import Fixer, proposals
from loopwright.tune.skill.model import Skill

FIXERS: tuple[Fixer, ...] = ()


def propose(skill: Skill, findings: Sequence[Finding]) -> tuple[Proposal, ...]:
    """What all fixers know to mend, in the order of the findings; no two of them touch the same bytes."""
    return proposals(FIXERS, skill, findings)
