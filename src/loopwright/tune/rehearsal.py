"""Whether a repair would hold, tried on the files in memory. Pure."""

from collections.abc import Callable, Collection
from dataclasses import replace

from loopwright.domain.errors import LoopwrightError
from loopwright.domain.findings import DIMENSIONS, Dimension, Finding, Proposal
from loopwright.domain.skill_files import SkillFiles
from loopwright.domain.tuning_engine import RANKS, Level
from loopwright.tune.diagnosis import diagnose, load
from loopwright.tune.fixes.edits import contents_of
from loopwright.tune.gate import judge
from loopwright.tune.skill.model import Skill

MOST = 40
"""Repairs that are tried for one list of proposals; reading and diagnosing a skill takes a while."""


def rehearsed(
    files: SkillFiles,
    skill: Skill,
    level: Level = "template",
    dimensions: Collection[Dimension] = DIMENSIONS,
    accepted: Collection[str] = (),
) -> Callable[[Proposal], bool]:
    """Tells of a proposal for this skill whether it would hold by itself, and may be made at that level."""
    was: list[tuple[Finding, ...]] = []
    tried: list[Proposal] = []

    def holds(proposal: Proposal) -> bool:
        if RANKS[proposal.level] > RANKS[level] or len(tried) >= MOST:
            return False
        tried.append(proposal)
        was[:] = was or [diagnose(skill, dimensions, accepted).findings]
        try:
            contents = contents_of(proposal, files.files)
        except LoopwrightError:
            return False
        kept = {file: data for file, data in files.files.items() if file not in contents}
        new = {file: data for file, data in contents.items() if data is not None}
        after = load(replace(files, files=kept | new))
        return not judge(proposal, skill, after, was[0], diagnose(after, dimensions, accepted).findings)

    return holds
