"""What a detector is: a rule with its words, and a pure function from a skill to findings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from loopwright.skills.detectors.text_spans import locate_span, replace_bad_bytes
from loopwright.skills.findings import Confidence, Dimension, Finding, FixStrategy, Severity
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page


@dataclass(frozen=True, slots=True)
class DetectorHit:
    """What a detector says of one place; the rule's words and levels hold where it says nothing else."""

    file: str
    start: int
    end: int
    subject: str
    message: str
    advice: str = ""
    severity: Severity | None = None
    phase: str | None = None
    also: tuple[str, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)


def top(page: Page) -> int:
    """Where a place ends that stands for the whole page: its first characters, as the `---` of a front matter."""
    return min(3, len(page.text))


@dataclass(frozen=True, slots=True)
class Detector:
    """`why` tells what the fault does to a model at work; `advice` what to do, where a hit says no more."""

    rule: str
    dimension: Dimension
    severity: Severity
    confidence: Confidence
    strategy: FixStrategy
    title: str
    why: str
    advice: str
    look: Callable[[Skill], Iterable[DetectorHit]]

    def findings(self, skill: Skill) -> tuple[Finding, ...]:
        """In the order of the files; each place of the same thing by itself."""
        all_of_it = (self._finding(skill, hit) for hit in self.look(skill))
        found = {(one.file, one.start, one.subject): one for one in all_of_it}
        return tuple(found[at] for at in sorted(found))

    def _finding(self, skill: Skill, hit: DetectorHit) -> Finding:
        page = skill.pages.get(hit.file)
        at = locate_span(page.text if page else "", hit.start, hit.end)
        return Finding(
            rule=self.rule,
            dimension=self.dimension,
            severity=hit.severity or self.severity,
            confidence=self.confidence,
            file=hit.file,
            line=at.line,
            line_end=at.line_end,
            start=hit.start,
            end=hit.end,
            excerpt=replace_bad_bytes(at.excerpt),
            subject=replace_bad_bytes(hit.subject),
            message=replace_bad_bytes(hit.message),
            why=self.why,
            advice=replace_bad_bytes(hit.advice or self.advice),
            strategy=self.strategy,
            phase=hit.phase and replace_bad_bytes(hit.phase),
            also=tuple(map(replace_bad_bytes, hit.also)),
            facts={name: replace_bad_bytes(fact) for name, fact in hit.facts.items()},
            column=at.column,
            column_end=at.column_end,
            marked=at.marked,
        )
