"""The `engine` of a tuning session: what the seed's schema has no place for."""

from typing import Literal

from pydantic import Field

from loopwright.domain.engine_state import RunState
from loopwright.domain.findings import DIMENSIONS, Dimension, Finding, Proposal
from loopwright.domain.record import Items, Record, Timestamp, absent

Level = Literal["none", "mechanical", "template", "agent"]
"""What may be mended without asking: nothing, what follows from the skill itself, what follows from a sibling, too, or
what an agent writes, too."""


class Standing(Record):
    """The skill at the end of an iteration's diagnosis."""

    iteration: int
    score: float
    gate: Literal["pass", "review", "fail"]
    tree: str


class UnderWay(Record):
    step: str
    at: Timestamp


class TuningEngine(RunState):
    """`id` is the session's; `path` the skill's folder as it was given, `root` the same, absolute.

    `dimensions`: what was asked for. `level`: what may be mended. `size`: tokens of the skill at its first diagnosis,
    by which all its scores are reckoned. `findings`: all of this iteration, `issue_of` the issue of each that counts, by
    fingerprint. `diagnosed`, `reported`, `proposed`: what this iteration has done already; `standings`: the score by
    iteration. `proposals`: by id of a fix what it is made of; `rejected`: fingerprints that a proposal could not mend,
    with why. `baseline`: fingerprints that are known and accepted.
    """

    id: str = ""
    path: str = ""
    root: str = ""
    created_at: Timestamp | None = Field(default=None, exclude_if=absent)
    reason: str | None = Field(default=None, exclude_if=absent)
    dimensions: Items[Dimension] = DIMENSIONS
    level: Level = "none"
    agent: str | None = Field(default=None, exclude_if=absent)
    under_way: Items[UnderWay] = ()
    size: int = Field(default=0, ge=0)
    findings: Items[Finding] = ()
    suppressed: int = Field(default=0, ge=0)
    issue_of: dict[str, str] = Field(default_factory=dict)
    proposals: dict[str, Proposal] = Field(default_factory=dict)
    diagnosed: Items[Dimension] = ()
    reported: bool = False
    proposed: bool = False
    standings: Items[Standing] = ()
    rejected: dict[str, str] = Field(default_factory=dict)
    baseline: Items[str] = ()
