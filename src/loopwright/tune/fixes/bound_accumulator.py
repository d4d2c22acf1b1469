"""A growing list goes into the prompt with its last entries only."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.skill.model import Page, Skill

_ALL = re.compile(
    r"\b(?:all|every|each)(?: of)?(?: the)?[ \t]+|\b(?:the )?(?:full|entire|complete|whole)[ \t]+"
    r"|(?P<zh>(?:全部|所有|完整)的?|每一?[轮次个条]的?)",
    re.IGNORECASE,
)
_SO_FAR = re.compile(
    r",?[ \t]{0,4}\b(?:so far|until now|up to now|to date)\b|(?:到目前为止|迄今|至今)的?", re.IGNORECASE
)
KEPT = 3
"""Entries: the round before, and what led to it."""
ENTRIES = 10
"""Of a file to which all agents add; each entry is short."""


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, name = skill.pages[finding.file], finding.facts.get("name")
        if "file" in finding.facts and (at := page.text.rfind(".join(", finding.start, finding.end)) >= 0:
            yield _proposal(finding, finding.subject, edit(page, at, at, f".slice(-{ENTRIES})"), kept=ENTRIES)
        if not name:
            continue
        found = re.compile(re.escape(name) + r"(?![\w$])").search(page.text, finding.start, finding.end)
        if found is None:
            continue
        change = edit(page, found.end(), found.end(), f".slice(-{KEPT})")
        yield _proposal(finding, name, change)
        if (lead := lead_of(page, finding.start)) is not None:
            yield _proposal(finding, name, lead, change)


def lead_of(page: Page, start: int) -> Edit | None:
    """The line before it announces as much as comes."""
    begin = line_of(page, start)[0]
    first, last = line_of(page, max(0, begin - 1))
    last = start if page.text[begin:start].strip() else last
    bare = _SO_FAR.sub("", page.text[first:last])
    said = _ALL.sub(lambda found: f"最近 {KEPT} 次" if found["zh"] else f"the last {KEPT} ", bare, count=1)
    return edit(page, first, last, said) if said != page.text[first:last] else None


def _proposal(finding: Finding, name: str, *edits: Edit, kept: int = KEPT) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="sliding_window", level="mechanical",
        description=f"Put only the last {kept} entries of {name} into the prompt",
        rationale=f"{name} grows in every round; the latest entries are what the next round goes on from.",
        edits=edits, estimated_impact="the prompt stays the same length however long the run is",
        verification_steps=("diagnose the whole skill again", f"look whether {kept} entries are enough"),
    )  # fmt: skip


FIXER = Fixer(frozenset({"unbounded-accumulator"}), "mechanical", propose)
