"""TuningState and its parts, with the names they have in the files."""

from typing import Literal, NamedTuple, Self, get_args

from pydantic import Field, model_validator

from loopwright.core.names import TuningStatus, TuningStepName
from loopwright.core.record import Items, Record, Timestamp, is_absent
from loopwright.core.state import Iterations, RunState
from loopwright.skills.findings import (
    DIMENSIONS,
    Dimension,
    Edit,
    Finding,
    FixLevel,
    FixStrategy,
    Gate,
    IssuesBySeverity,
    Proposal,
    Risk,
    Severity,
    Silenced,
)

Level = Literal["none", "mechanical", "template", "agent"]
"""What may be mended: nothing, what follows from the skill itself, from a sibling of the place too, or by an agent."""
FIX_LEVELS: dict[str, Level] = {"none": "none", "mechanical": "mechanical", "all": "template"}
"""By what people say of fixes over HTTP and MCP."""
RANKS: dict[Level, int] = {"none": 0, "mechanical": 1, "template": 2, "agent": 3}


class Standing(Record):
    """The skill as an iteration reported it. `tree`: digest of all its files; `in_vain`: tries that had failed."""

    iteration: int
    score: float
    gate: Literal["pass", "review", "fail"]
    tree: str
    in_vain: int = 0


TRIES = 2
"""Of an agent for one finding: the second one knows why the first did not hold."""


class TuningStepUnderWay(Record):
    """A step in progress; `fix`: the fix it is about."""

    step: str
    at: Timestamp
    fix: str | None = Field(default=None, exclude_if=is_absent)


class TuningEngine(RunState):
    """`id` is the session's; `path` the skill's folder as it was given, `root` the same, absolute; in the
    fleet, where the project lies elsewhere, below the project.

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
    created_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    reason: str | None = Field(default=None, exclude_if=is_absent)
    dimensions: Items[Dimension] = DIMENSIONS
    level: Level = "none"
    agent: str | None = Field(default=None, exclude_if=is_absent)
    reviewer: str | None = Field(default=None, exclude_if=is_absent)
    refuter: str | None = Field(default=None, exclude_if=is_absent)
    choosing: bool = False
    accepted: Items[str] = ()
    under_way: Items[TuningStepUnderWay] = ()
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


ExecutionMode = Literal["sequential", "autonomous"]
DiagnosisStatus = Literal["completed", "skipped", "failed"]
IssueType = Literal["context_explosion", "memory_loss", "dataflow_break", "agent_failure"]
FileAction = Literal["create", "modify", "delete"]
ActionResult = Literal["success", "failure", "skipped"]
Verification = Literal["pass", "fail", "pending"]

FINISHED: frozenset[TuningStatus] = frozenset({"completed", "failed"})
MAX_ITERATIONS = 5
MAX_ERRORS = 3
ERRORS_KEPT, HISTORY_KEPT = 100, 500
"""Entries that the state holds, the last ones; all of them are in the journal."""

ISSUE_TYPES: dict[Dimension, IssueType] = {
    "context": "context_explosion",
    "memory": "memory_loss",
    "dataflow": "dataflow_break",
    "agent": "agent_failure",
}


class TargetSkill(Record):
    """The skill as it was found; null before it was read. `path` as given, relative to the project."""

    name: str | None = None
    path: str | None = None
    execution_mode: ExecutionMode | None = None
    phases: Items[str] = ()
    specs: Items[str] = ()


class Evidence(Record):
    file: str
    line: int | None = Field(default=None, ge=1, exclude_if=is_absent)
    pattern: str
    context: str
    severity: str


class DiagnosisDetails(Record):
    """`patterns_checked`: the rules that were looked for; `patterns_matched`: those that found something."""

    patterns_checked: Items[str] = ()
    patterns_matched: Items[str] = ()
    evidence: Items[Evidence] = ()
    recommendations: Items[str] = ()


class DiagnosisResult(Record):
    """One dimension of one iteration. `severity`: the worst one found."""

    status: DiagnosisStatus
    issues_found: int = Field(default=0, ge=0)
    severity: Literal["critical", "high", "medium", "low", "none"] = "none"
    execution_time_ms: float = Field(default=0, ge=0)
    details: DiagnosisDetails = DiagnosisDetails()

    @model_validator(mode="after")
    def _nothing_found_has_no_severity(self) -> Self:
        if (self.issues_found == 0) != (self.severity == "none"):
            raise ValueError(f"{self.issues_found} issues cannot have the severity {self.severity}")
        return self


class DiagnosisResults(Record):
    context: DiagnosisResult | None = None
    memory: DiagnosisResult | None = None
    dataflow: DiagnosisResult | None = None
    agent: DiagnosisResult | None = None

    def of(self, dimension: Dimension) -> DiagnosisResult | None:
        return {"context": self.context, "memory": self.memory, "dataflow": self.dataflow, "agent": self.agent}[
            dimension
        ]


class Location(Record):
    file: str
    line_start: int | None = Field(default=None, ge=1, exclude_if=is_absent)
    line_end: int | None = Field(default=None, ge=1, exclude_if=is_absent)
    phase: str | None = Field(default=None, exclude_if=is_absent)


class Issue(Record):
    """`priority` 1 is the highest; no two issues have the same."""

    id: str = Field(min_length=1)
    type: IssueType
    severity: Severity
    priority: int = Field(ge=1)
    location: Location
    description: str
    evidence: Items[str] = ()
    root_cause: str
    impact: str
    suggested_fix: str
    related_issues: Items[str] = ()


class FileChange(Record):
    """The change of one file; texts are UTF-8, `diff` is unified and applies with git. Others may omit them."""

    file: str
    action: FileAction
    old_content: str | None = Field(default=None, exclude_if=is_absent)
    new_content: str | None = Field(default=None, exclude_if=is_absent)
    diff: str | None = Field(default=None, exclude_if=is_absent)

    @model_validator(mode="after")
    def _the_action_has_no_other_texts(self) -> Self:
        if self.action == "create" and self.old_content is not None:
            raise ValueError(f"{self.file} cannot be created with an old content")
        if self.action == "delete" and self.new_content is not None:
            raise ValueError(f"{self.file} cannot be deleted with a new content")
        return self


class Fix(Record):
    id: str = Field(min_length=1)
    issue_ids: Items[str] = ()
    strategy: FixStrategy
    description: str
    rationale: str
    changes: Items[FileChange] = ()
    risk: Risk
    estimated_impact: str
    verification_steps: Items[str] = ()


class AppliedFix(Record):
    """`backup_path` holds the original files. A fix that failed its verification was rolled back at once."""

    fix_id: str
    applied_at: Timestamp
    success: bool
    backup_path: str
    verification_result: Verification = "pending"
    rollback_available: bool


class ActionHistoryEntry(Record):
    action: str
    started_at: Timestamp
    completed_at: Timestamp
    result: ActionResult
    output_files: Items[str] = ()


class TuningErrorEntry(Record):
    """`recoverable`: retrying may help."""

    action: str
    message: str
    timestamp: Timestamp
    recoverable: bool


class TuningState(Record):
    """One tuning session: the seed's fields, and what only this engine knows in `engine`."""

    status: TuningStatus = "pending"
    started_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    target_skill: TargetSkill = TargetSkill()
    user_issue_description: str = ""
    focus_areas: Items[str] = ()
    diagnosis: DiagnosisResults = DiagnosisResults()
    issues: Items[Issue] = ()
    issues_by_severity: IssuesBySeverity = IssuesBySeverity()
    proposed_fixes: Items[Fix] = ()
    applied_fixes: Items[AppliedFix] = ()
    pending_fixes: Items[str] = ()
    iteration_count: int = Field(default=0, ge=0)
    max_iterations: Iterations = MAX_ITERATIONS
    quality_score: float = Field(default=0, ge=0, le=100)
    quality_gate: Gate = "fail"
    completed_actions: Items[str] = ()
    current_action: str | None = None
    action_history: Items[ActionHistoryEntry] = Field(default=(), max_length=HISTORY_KEPT)
    errors: Items[TuningErrorEntry] = Field(default=(), max_length=ERRORS_KEPT)
    error_count: int = Field(default=0, ge=0)
    max_errors: int = Field(default=MAX_ERRORS, ge=1)
    work_dir: str | None = None
    backup_dir: str | None = None
    engine: TuningEngine = TuningEngine()

    @model_validator(mode="after")
    def _counts_are_counted(self) -> Self:
        for severity, count in self.issues_by_severity.model_dump().items():
            if count != sum(issue.severity == severity for issue in self.issues):
                raise ValueError(f"issues_by_severity says {count} of severity {severity}, the issues say otherwise")
        if self.error_count < len(self.errors):
            raise ValueError(f"error_count is {self.error_count}, and there are {len(self.errors)} errors")
        return self

    @model_validator(mode="after")
    def _fixes_are_known(self) -> Self:
        ids = [fix.id for fix in self.proposed_fixes]
        if len(set(ids)) != len(ids):
            raise ValueError("two fixes share an id")
        if strange := {*self.pending_fixes, *(fix.fix_id for fix in self.applied_fixes)} - set(ids):
            raise ValueError(f"nobody has proposed {', '.join(sorted(strange))}")
        return self

    @model_validator(mode="after")
    def _an_end_is_an_end(self) -> Self:
        if (self.status in FINISHED) != (self.engine.outcome is not None):
            raise ValueError(f"a tuning session that is {self.status} cannot have the outcome {self.engine.outcome}")
        if self.status in FINISHED and any(fix.verification_result == "pending" for fix in self.applied_fixes):
            raise ValueError("a tuning session cannot end with a fix that nobody has verified")
        if self.status == "pending" and (self.started_at or self.completed_actions):
            raise ValueError("a tuning session that is pending has not begun")
        return self

    @property
    def title(self) -> str:
        """What people know it by."""
        return self.target_skill.name or self.engine.path

    @property
    def tuning_id(self) -> str:
        return self.engine.id

    @property
    def current_iteration(self) -> int:
        return self.iteration_count

    @property
    def completed_at(self) -> str | None:
        """When it ended: what has ended does not change by itself any more."""
        return self.updated_at if self.status in FINISHED else None

    @property
    def failure_reason(self) -> str | None:
        return self.engine.reason

    def fix(self, id: str) -> Fix | None:
        return next((fix for fix in self.proposed_fixes if fix.id == id), None)

    def refusal(self, fix: str) -> str:
        """Why the fix is not in the files; nothing where a person has rolled it back."""
        proposal = self.engine.proposals.get(fix)
        rejected = (self.engine.rejected.get(print) for print in (proposal.fingerprints if proposal else ()))
        return self.engine.dropped.get(fix) or next((why for why in rejected if why), "")


DIAGNOSES: dict[Dimension, TuningStepName] = {
    "context": "action-diagnose-context",
    "memory": "action-diagnose-memory",
    "dataflow": "action-diagnose-dataflow",
    "agent": "action-diagnose-agent",
}


class TuningStep(NamedTuple):
    """`fix`: the one it applies or verifies."""

    name: TuningStepName
    fix: str | None = None

    @property
    def dimension(self) -> Dimension | None:
        return next((one for one in DIMENSIONS if DIAGNOSES[one] == self.name), None)


def step_of(name: str, fix: str | None) -> TuningStep:
    """The step of that name. ValueError for one that there is not."""
    known: tuple[TuningStepName, ...] = get_args(TuningStepName)
    return TuningStep(next(one for one in known if one == name), fix)
