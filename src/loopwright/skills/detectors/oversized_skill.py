"""SKILL.md is longer than the format recommends: every use of the skill pays for all of it."""

from collections.abc import Iterator

from loopwright.skills.detectors.detector import Detector, DetectorHit, top
from loopwright.skills.reader.model import Skill

TOKENS, LINES = 5_000, 500
"""What agentskills.io recommends at most."""
FAR = 2
"""So many times as much weighs more."""
MARGIN = 1.2
"""So far above one of the two is too long; above both, any."""


def detect_oversized_skill(skill: Skill) -> Iterator[DetectorHit]:
    page = skill.pages.get(skill.main)
    if page is None:
        return
    lines = page.text.rstrip("\n").count("\n") + 1
    over = sorted((page.tokens / TOKENS, lines / LINES))
    if over[0] <= 1 and over[1] <= MARGIN:
        return
    yield DetectorHit(
        file=page.path,
        start=0,
        end=top(page),
        subject=skill.main,
        message=f"SKILL.md has about {page.tokens:,} tokens in {lines:,} lines; {TOKENS:,} and {LINES} are recommended",
        severity="medium" if page.tokens > FAR * TOKENS else None,
    )


DETECTOR = Detector(
    rule="oversized-skill",
    dimension="context",
    severity="low",
    confidence="certain",
    strategy="context_summarization",
    title="SKILL.md is too long",
    why="All of it is in the model's context window whenever the skill is used, before any work is done.",
    advice="Move what only some tasks need to files in references/, and say when to read each.",
    look=detect_oversized_skill,
)
