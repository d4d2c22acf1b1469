"""A row of a table that is of nothing goes, and cells that have changed places change back."""

from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        if "dead" in finding.facts:
            start = page.text.rfind("\n", 0, finding.start) + 1
            end = page.text.find("\n", start)
            gone = edit(page, start, end + 1, "") if end >= 0 else edit(page, start, len(page.text), "")
            yield _proposal(finding, "The row goes", "Nothing in the folder is called so.", "template", (gone,))
        elif "swap" in finding.facts:
            yield _proposal(
                finding, "The two cells change places", "Each speaks of the page of the other row.", "mechanical",
                tuple(_swap(page, finding)),
            )  # fmt: skip


def _swap(page: Page, finding: Finding) -> Iterator[Edit]:
    spans = [tuple(map(int, place.split(":"))) for place in finding.facts["swap"].split("\n")]
    texts = [page.text[start:end] for start, end in spans]
    for (start, end), text in zip(spans, reversed(texts), strict=True):
        yield edit(page, start, end, text)


def _proposal(finding: Finding, words: str, because: str, level: FixLevel, edits: tuple[Edit, ...]) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level=level,
        description=words, rationale=because, edits=edits, risk="low" if level == "mechanical" else "medium",
        estimated_impact="the table can be gone by", verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


FIXER = Fixer(frozenset({"tables-disagree"}), "template", propose)
