"""Suspected causes of failing tests, and what was measured of each."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from loopwright.core.record import Record

HypothesisStatus = Literal["pending", "confirmed", "rejected", "inconclusive"]


class EvidenceCriteria(Record):
    confirm: str
    reject: str


class Hypothesis(Record):
    """A suspected cause, where to look, and what was measured there."""

    id: str
    description: str
    testable_condition: str
    logging_point: str
    evidence_criteria: EvidenceCriteria
    likelihood: float = Field(gt=0)
    status: HypothesisStatus = "pending"
    evidence: dict[str, JsonValue] | None = None
    verdict_reason: str | None = None

    @model_validator(mode="after")
    def _a_verdict_needs_evidence(self) -> Self:
        if self.status != "pending" and (self.evidence is None or not self.verdict_reason):
            raise ValueError(f"{self.id} is {self.status} without evidence and a reason")
        return self
