"""What a step of a tuning session may come back with. A closed union: the fold handles each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loopwright.core.protocol import Usage
from loopwright.core.state import Incident
from loopwright.skills.findings import Dimension, Edit, Finding, FixLevel, Proposal, Silenced
from loopwright.workflows.tuning.model import ExecutionMode, Fix, TuningStep


@dataclass(frozen=True)
class ScopeOutcome:
    """action-init. `size` in tokens; `digests` of the skill's files."""

    name: str
    mode: ExecutionMode
    phases: tuple[str, ...]
    specs: tuple[str, ...]
    size: int
    digests: Mapping[str, str]


@dataclass(frozen=True)
class DiagnosisOutcome:
    """One dimension. `checked`: its rules; `problem`: why it could not be looked at; `took` in milliseconds.

    `digests` of the files it looked at. `reviewed`: an agent has answered the questions of meaning.
    """

    dimension: Dimension
    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    silenced: tuple[Silenced, ...]
    took: float
    digests: Mapping[str, str]
    problem: str | None = None
    reviewed: bool = False


@dataclass(frozen=True)
class ReportOutcome:
    """`fixable`: by fingerprint who could mend it. `tree`: digest of all files."""

    fixable: Mapping[str, FixLevel]
    tree: str


@dataclass(frozen=True)
class FixOffer:
    """A fix and what it is made of."""

    fix: Fix
    proposal: Proposal


@dataclass(frozen=True)
class ProposalOutcome:
    """`without`: fingerprints for which none is known, with why; `tried`: those that an agent has failed at."""

    offers: tuple[FixOffer, ...]
    without: Mapping[str, str] = field(default_factory=dict)
    tried: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ApplyOutcome:
    """`edits` are in the files now; `digests` of the files it has touched, None for one that is gone."""

    fix: Fix
    backup_path: str
    edits: tuple[Edit, ...]
    digests: Mapping[str, str | None]


@dataclass(frozen=True)
class RefusalOutcome:
    """A fix that was not applied: the files are no longer what it was made for. `again`: it may be proposed anew."""

    fix_id: str
    reason: str
    again: bool = False


@dataclass(frozen=True)
class VerifyOutcome:
    """`findings` and `silenced`: of the whole skill, diagnosed from scratch. Without a pass it is already rolled back.

    `digests` of the files that were put back.
    """

    fix_id: str
    passed: bool
    reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    fixable: Mapping[str, FixLevel]
    digests: Mapping[str, str | None] = field(default_factory=dict)
    silenced: tuple[Silenced, ...] = ()


@dataclass(frozen=True)
class IterationOutcome:
    """The next iteration."""


@dataclass(frozen=True)
class EndOutcome:
    """The course is over; `failed`: by too many errors, and with what was unverified rolled back (`undone`)."""

    failed: bool = False
    undone: tuple[str, ...] = ()


@dataclass(frozen=True)
class FailureOutcome:
    """An error of a step. `recoverable`: retrying may help."""

    message: str
    recoverable: bool


@dataclass(frozen=True)
class InterruptionOutcome:
    """Cancelled from outside; what it had begun was undone."""

    reason: str


TuningOutcome = (
    ScopeOutcome
    | DiagnosisOutcome
    | ReportOutcome
    | ProposalOutcome
    | ApplyOutcome
    | RefusalOutcome
    | VerifyOutcome
    | IterationOutcome
    | EndOutcome
    | FailureOutcome
    | InterruptionOutcome
)


NOTHING = Usage()


@dataclass(frozen=True)
class TuningStepDone:
    """`elapsed` in seconds; `files`: what it has written, relative to the session's folder."""

    step: TuningStep
    outcome: TuningOutcome
    begun: str
    at: str
    elapsed: float = 0.0
    incidents: tuple[Incident, ...] = ()
    usage: Usage = NOTHING
    files: tuple[str, ...] = ()
