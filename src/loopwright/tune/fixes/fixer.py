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


def proposals(
    fixers: Sequence[Fixer],
    skill: Skill,
    findings: Sequence[Finding],
    holds: Callable[[Proposal], bool] | None = None,
) -> tuple[Proposal, ...]:
    """In the order of the findings, surer ones first. Hints are not mended.

    Of several that want the same bytes, or mend the same finding, the first is kept: what the others are about is
    found again in the next iteration. Where there are several for a finding, `holds` may tell which of them mends it.
    Files that are not all UTF-8 are left alone.
    """
    rank = {finding.fingerprint: n for n, finding in reversed([*enumerate(findings)])}
    offered: list[Proposal] = []
    for fixer in fixers:
        mine = tuple(finding for finding in findings if finding.rule in fixer.rules and finding.counts)
        if mine:
            offered += (one for one in fixer.propose(skill, mine) if _is_writable(skill, one))
    offered.sort(key=lambda one: (min(rank[print] for print in one.fingerprints), LEVELS.index(one.level)))
    kept: list[Proposal] = []
    for proposal in offered:
        if not any(_clash(proposal, other) for other in kept):
            kept.append(_best(proposal, offered, kept, holds) if holds else proposal)
    return tuple(kept)


def _best(
    first: Proposal, offered: Sequence[Proposal], kept: Sequence[Proposal], holds: Callable[[Proposal], bool]
) -> Proposal:
    """The first of those for the same findings that holds; the first of all where none does, or there is no other."""
    others = [one for one in offered if not {*one.fingerprints}.isdisjoint(first.fingerprints)]
    if len(others) < 2:
        return first
    free = (one for one in others if not any(_clash(one, other) for other in kept))
    return next((one for one in free if holds(one)), first)


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
