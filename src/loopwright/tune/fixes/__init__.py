"""Repairs: one file per kind, each from findings to proposals of exact edits."""

from collections.abc import Sequence

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes import (
    bound_accumulator,
    limit_return,
    move_aside,
    name_the_source,
    pass_path,
    put_right,
    read_when_needed,
    save_each_round,
)
from loopwright.tune.fixes.fixer import Fixer, proposals
from loopwright.tune.skill.model import Skill

FIXERS: tuple[Fixer, ...] = (
    bound_accumulator.FIXER,
    limit_return.FIXER,
    move_aside.FIXER,
    name_the_source.FIXER,
    pass_path.FIXER,
    put_right.FIXER,
    read_when_needed.FIXER,
    save_each_round.FIXER,
)


def propose(skill: Skill, findings: Sequence[Finding]) -> tuple[Proposal, ...]:
    """What all fixers know to mend, in the order of the findings; no two of them touch the same bytes."""
    return proposals(FIXERS, skill, findings)
