"""The `engine` of a tuning session: what the seed's schema has no place for."""

from typing import Literal

from pydantic import Field

from loopwright.domain.engine_state import RunState
from loopwright.domain.findings import DIMENSIONS, Dimension, Edit, Finding, FixLevel, Proposal, Silenced
from loopwright.domain.record import Items, Record, Timestamp, absent

Level = Literal["none", "mechanical", "template", "agent"]
"""What may be mended: nothing, what follows from the skill itself, from a sibling of the place too, or by an agent."""
RANKS: dict[Level, int] = {"none": 0, "mechanical": 1, "template": 2, "agent": 3}


class Standing(Record):
    """The skill as an iteration's report had it. `tree`: digest of all its files; `in_vain`: tries that had failed."""

    iteration: int
    score: float
    gate: Literal["pass", "review", "fail"]
    tree: str
    in_vain: int = 0


TRIES = 2
"""Of an agent for one finding: the second one knows why the first did not hold."""


class UnderWay(Record):
    """A step that has begun; `fix`: the one it is about."""

    step: str
    at: Timestamp
    fix: str | None = Field(default=None, exclude_if=absent)


class TuningEngine(RunState):
    """`id` is the session's; `path` the skill's folder as it was given, `root` the same, absolute.

    What was asked for: `dimensions`, what may be mended (`level`, by `agent` where that is one), who is asked about the
    meaning (`reviewer`), and who tries to refute that (`refuter`, else another session of the same), whether a person
    chooses among the fixes (`choosing`), and fingerprints of what is known already (`accepted`).
    What is known: `size`, tokens of the skill at its first diagnosis, by which all its scores are reckoned; `digests`
    of its files as they were diagnosed or mended; `findings`, and those that are accepted (`silenced`); by fingerprint
    the id of its issue (`issue_of`) and who could mend it (`fixable`).
    `reviewed`: dimensions whose questions of meaning were answered; they are asked before the first report only.
    What this iteration has done: `diagnosed`, `reported`, `proposed`, and by fix the `edits` that are in the files
    since its diagnosis. `standings`: the score by iteration. `proposals`: by id of a fix what it is made of.
    `rejected`: fingerprints that shall not be tried again, with why; `tried`: what came of each try of an agent that
    failed; `dropped`: by id of a fix why it was not applied, or not kept. `undo`: fixes whose files shall be put back.
    """

    id: str = ""
    path: str = ""
    root: str = ""
    created_at: Timestamp | None = Field(default=None, exclude_if=absent)
    reason: str | None = Field(default=None, exclude_if=absent)
    dimensions: Items[Dimension] = DIMENSIONS
    level: Level = "none"
    agent: str | None = Field(default=None, exclude_if=absent)
    reviewer: str | None = Field(default=None, exclude_if=absent)
    refuter: str | None = Field(default=None, exclude_if=absent)
    choosing: bool = False
    accepted: Items[str] = ()
    under_way: Items[UnderWay] = ()
    size: int = Field(default=0, ge=0)
    digests: dict[str, str] = Field(default_factory=dict)
    findings: Items[Finding] = ()
    silenced: Items[Silenced] = ()
    issue_of: dict[str, str] = Field(default_factory=dict)
    fixable: dict[str, FixLevel] = Field(default_factory=dict)
    reviewed: Items[Dimension] = ()
    diagnosed: Items[Dimension] = ()
    reported: bool = False
    proposed: bool = False
    edits: dict[str, Items[Edit]] = Field(default_factory=dict)
    standings: Items[Standing] = ()
    proposals: dict[str, Proposal] = Field(default_factory=dict)
    rejected: dict[str, str] = Field(default_factory=dict)
    tried: dict[str, Items[str]] = Field(default_factory=dict)
    dropped: dict[str, str] = Field(default_factory=dict)
    undo: Items[str] = ()

    @property
    def unreviewed(self) -> tuple[Dimension, ...]:
        """Dimensions that were checked exactly only."""
        return tuple(one for one in self.dimensions if one not in self.reviewed)

    @property
    def in_vain(self) -> int:
        """How many tries have failed, and fixes were rejected, so far."""
        return len(self.rejected) + sum(len(tries) for tries in self.tried.values())
