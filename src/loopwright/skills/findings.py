"""What a diagnosis finds in a skill, and what is proposed to mend it."""

import hashlib
from typing import Literal, Self

from pydantic import Field, model_validator

from loopwright.core.record import Items, Record, is_absent

Dimension = Literal["context", "memory", "dataflow", "agent"]
DIMENSIONS: tuple[Dimension, ...] = ("context", "memory", "dataflow", "agent")
Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")
"""The worst first."""
Confidence = Literal["certain", "confirmed", "likely", "hint", "refuted"]
"""certain: decided exactly. confirmed: an agent's, whose quotes are there, and which another one could not refute.

Hints and what was refuted never count in score or gate. `likely` is of sessions of earlier versions.
"""
FixStrategy = Literal[
    "context_summarization",
    "sliding_window",
    "structured_state",
    "constraint_injection",
    "checkpoint_restore",
    "schema_enforcement",
    "orchestrator_refactor",
    "state_centralization",
    "custom",
]
FixLevel = Literal["mechanical", "template", "agent"]
"""Who can say the right text: the skill itself, a sibling of the place (a person should look), or only an agent."""
Risk = Literal["low", "medium", "high"]


class Quote(Record):
    """A quote from a file, and the line where it begins."""

    file: str
    text: str
    line: int = Field(ge=1)


class Review(Record):
    """How an agent's finding is known. `by`: who reported it; `refuter`: the agent that tried to refute it.

    `evidence`, and if two places disagree the `other_side`; `absent`: words searched for and not found.
    `against`: what the refuter quoted, `why` in its words.
    """

    by: str
    refuter: str = ""
    evidence: Items[Quote] = ()
    other_side: Items[Quote] = ()
    absent: Items[str] = ()
    against: Items[Quote] = ()
    why: str = ""

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return (*self.evidence, *self.other_side)


class Finding(Record):
    """One thing that is wrong with a skill.

    `file` is relative to the skill's folder, lines count from 1, `start` and `end` are its characters in the file's
    text (newlines as they are). `excerpt` is the line it is in. `subject` is what it is about in canonical words
    (a path, a field, a tool): with the rule and the file it makes the fingerprint, which moved lines do not change.
    `message` says what is wrong, `why` how that affects a model, `advice` what to do. `facts` are what a fix
    needs to know.
    """

    rule: str
    dimension: Dimension
    severity: Severity
    confidence: Confidence
    file: str
    line: int = Field(ge=1)
    line_end: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    excerpt: str
    subject: str
    message: str
    why: str
    advice: str
    strategy: FixStrategy
    phase: str | None = None
    also: Items[str] = ()
    """Other places of the same thing, as `file:line`."""
    facts: dict[str, str] = Field(default_factory=dict)
    column: int = Field(default=1, ge=1)
    column_end: int = Field(default=1, ge=1)
    """Exclusive, in `line_end`; both count UTF-16 code units from 1, as editors and browsers do."""
    marked: tuple[int, int] = Field(default=(0, 0), strict=False)
    """The characters of `excerpt` that are meant, from and to."""
    review: Review | None = Field(default=None, exclude_if=is_absent)
    """Of what an agent has found; None where it was decided exactly."""

    @property
    def fingerprint(self) -> str:
        """16 hex digits that stay the same while the same thing is wrong in the same file."""
        key = "\0".join((self.rule, self.file, self.subject))
        return hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()

    @property
    def known(self) -> str:
        """How it is known, in words."""
        review = self.review
        if review is None:
            return "exact" if self.confidence == "certain" else self.confidence
        match self.confidence:
            case "confirmed":
                return f"confirmed: {review.by} found it, {review.refuter} could not refute it"
            case "refuted":
                return f"refuted: {review.by} found it, {review.refuter} refutes it: {review.why}"
            case _:
                return f"not confirmed: {review.by} found it; {review.why or 'nobody has judged it'}"

    @property
    def counts(self) -> bool:
        return self.confidence not in ("hint", "refuted")


class Silenced(Record):
    """An accepted finding: by a comment, which gives the reason, or by the baseline, which gives none."""

    finding: Finding
    reason: str | None = None


class Edit(Record):
    """Exact bytes of one file, from `start` to `end`, that contain `old` and become `new`. Texts are UTF-8."""

    file: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    old: str
    new: str

    @model_validator(mode="after")
    def _the_range_holds_the_old_text(self) -> Self:
        if self.end - self.start != len(self.old.encode("utf-8", "surrogateescape")):
            raise ValueError(f"the range {self.start}–{self.end} of {self.file} is not as long as its old text")
        return self


class Proposal(Record):
    """A fix of findings: edits of files, and files created or deleted (by name, with their text)."""

    fingerprints: Items[str] = Field(min_length=1)
    rule: str
    strategy: FixStrategy
    level: FixLevel
    description: str
    rationale: str
    edits: Items[Edit] = ()
    creates: dict[str, str] = Field(default_factory=dict)
    deletes: Items[str] = ()
    risk: Risk = "low"
    estimated_impact: str = ""
    verification_steps: Items[str] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """All that it touches, sorted."""
        return tuple(sorted({*(edit.file for edit in self.edits), *self.creates, *self.deletes}))


Gate = Literal["pass", "review", "fail"]


class IssuesBySeverity(Record):
    critical: int = Field(default=0, ge=0)
    high: int = Field(default=0, ge=0)
    medium: int = Field(default=0, ge=0)
    low: int = Field(default=0, ge=0)

    @property
    def total(self) -> int:
        return self.critical + self.high + self.medium + self.low
