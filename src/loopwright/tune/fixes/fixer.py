"""What a fixer is, and how the proposals of all of them become one list that can be worked off."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import overlap
from loopwright.tune.skill.model import Skill

LEVELS: tuple[FixLevel, ...] = ("mechanical", "template", "agent")
"""The surest first."""


@dataclass(frozen=True, slots=True)
class Fixer:
    """Mends findings of its `rules`; `propose` is pure, and may mend several with one proposal."""

    rules: frozenset[str]
    level: FixLevel
    propose: Callable[[Skill, tuple[Finding, ...]], Iterable[Proposal]]


def proposals(fixers: Sequence[Fixer], skill: Skill, findings: Sequence[Finding]) -> tuple[Proposal, ...]:
    """In the order of the findings, surer ones first. Hints are not mended.

    Of several that want the same bytes, or mend the same finding, the first is kept: what the others are about is
    found again in the next iteration. Files that are not all UTF-8 are left alone.
    """
    rank = {finding.fingerprint: n for n, finding in reversed([*enumerate(findings)])}
    offered: list[Proposal] = []
    for fixer in fixers:
        mine = tuple(finding for finding in findings if finding.rule in fixer.rules and finding.counts)
        if mine:
            offered += fixer.propose(skill, mine)
    offered.sort(key=lambda one: (min(rank[print] for print in one.fingerprints), LEVELS.index(one.level)))
    kept: list[Proposal] = []
    for proposal in offered:
        if _is_writable(skill, proposal) and not any(_clash(proposal, other) for other in kept):
            kept.append(proposal)
    return tuple(kept)


def _is_writable(skill: Skill, proposal: Proposal) -> bool:
    pages = (skill.pages.get(edit.file) for edit in proposal.edits)
    return all(page is not None and _is_utf8(page.text) for page in pages)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _clash(one: Proposal, other: Proposal) -> bool:
    if not {*one.fingerprints}.isdisjoint(other.fingerprints):
        return True
    shared = {*one.files}.intersection(other.files)
    if not shared:
        return False
    if not shared.isdisjoint({*one.creates, *one.deletes, *other.creates, *other.deletes}):
        return True
    return any(overlap(mine, theirs) for mine in one.edits for theirs in other.edits)
