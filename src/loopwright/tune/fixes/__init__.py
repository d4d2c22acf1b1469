"""Repairs: one file per kind, each from findings to proposals of exact edits."""

from collections.abc import Callable, Sequence

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes import put_right, right_name
from loopwright.tune.fixes.fixer import Fixer, proposals
from loopwright.tune.skill.model import Skill

FIXERS: tuple[Fixer, ...] = (put_right.FIXER, right_name.FIXER)


def propose(
    skill: Skill, findings: Sequence[Finding], holds: Callable[[Proposal], bool] | None = None
) -> tuple[Proposal, ...]:
    """What all fixers know to mend, in the order of the findings; no two of them touch the same bytes.

    `holds` is asked where there are several repairs of one finding; see `rehearsal`.
    """
    return proposals(FIXERS, skill, findings, holds)
