"""A diagnosis: what the detectors of some dimensions find in a skill. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from loopwright.skills.accepted import find_reason, split_suppressed
from loopwright.skills.detectors import DETECTORS
from loopwright.skills.detectors.detector import Detector
from loopwright.skills.files import SkillFiles
from loopwright.skills.findings import DIMENSIONS, Dimension, Finding, FixLevel, Silenced
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.read import read_skill

SLIPS = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What a mistake of a detector looks like: it is told as a dimension that did not run, and takes nothing else along."""


@dataclass(frozen=True)
class SkillDiagnosis:
    """`findings` in the order of files and places. `silenced`: those that the skill or a baseline accepts.

    `checked`: the rules that were looked for; `problems`: what went wrong, by dimension.
    """

    findings: tuple[Finding, ...]
    silenced: tuple[Silenced, ...]
    checked: tuple[str, ...]
    problems: dict[Dimension, str]

    def of(self, dimension: Dimension) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.dimension == dimension)


def load_skill(files: SkillFiles) -> Skill:
    """The skill in these files."""
    return read_skill(files.name, files.files, files.catalogues, unread=files.unread, above=files.above)


def rules_of(dimensions: Collection[Dimension]) -> tuple[Detector, ...]:
    return tuple(detector for detector in DETECTORS if detector.dimension in dimensions)


def diagnose_skill(
    skill: Skill, dimensions: Collection[Dimension] = DIMENSIONS, accepted: Collection[str] = ()
) -> SkillDiagnosis:
    """Everything that the detectors of these dimensions find. `accepted`: fingerprints of what is known already."""
    found: list[Finding] = []
    problems: dict[Dimension, str] = {}
    detectors = rules_of(dimensions)
    for detector in detectors:
        try:
            found += detector.findings(skill)
        except SLIPS as error:
            problems[detector.dimension] = f"{detector.rule} could not be checked: {error!r}; please report it"
    kept, silenced = split_accepted(skill, found, accepted)
    return SkillDiagnosis(kept, silenced, tuple(detector.rule for detector in detectors), problems)


def split_accepted(
    skill: Skill, found: Iterable[Finding], accepted: Collection[str]
) -> tuple[tuple[Finding, ...], tuple[Silenced, ...]]:
    """What stays, and what a comment in the skill or the baseline accepts."""
    kept, silenced = map(_merged, split_suppressed(skill, found))
    known = [finding for finding in kept if finding.fingerprint in accepted]
    return (
        _in_order(finding for finding in kept if finding.fingerprint not in accepted),
        tuple(Silenced(finding=one, reason=find_reason(skill, one)) for one in _in_order((*silenced, *known))),
    )


def _merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same thing in one file is one finding, at its first place; the others are told besides."""
    by_print: dict[str, list[Finding]] = {}
    for finding in findings:
        by_print.setdefault(finding.fingerprint, []).append(finding)
    return tuple(
        first.evolve(also=tuple(dict.fromkeys((*first.also, *(f"{one.file}:{one.line}" for one in more)))))
        for first, *more in by_print.values()
    )


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.file, f.start, f.rule, f.subject)))


def list_fixable(skill: Skill, findings: Collection[Finding]) -> dict[str, FixLevel]:
    """By fingerprint who can mend it, for those that have a repair without a model."""
    proposals = propose_mechanical_fixes(skill, tuple(findings))
    return {print: proposal.level for proposal in reversed(proposals) for print in proposal.fingerprints}
