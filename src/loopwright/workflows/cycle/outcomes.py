"""What a step of a cycle may come back with. A closed union: the fold handles each of them."""

from dataclasses import dataclass, field

from loopwright.core.cycle_names import CycleStep
from loopwright.core.handover import Handover
from loopwright.core.outcomes import ActionFailed, Change, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.protocol import Usage
from loopwright.core.state import Baseline, Incident
from loopwright.evidence.failures import Attempt
from loopwright.evidence.proof import NamedTest
from loopwright.evidence.rivals import AppliedPatch
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.model import PlanTask


@dataclass(frozen=True)
class AnalysisOutcome:
    """ra.analyse: `specification` is the whole of requirements.md; `files` are names below the progress folder.

    `clarifies`: the role has thought about what it was asked; a template has not.
    """

    report: PhaseReport
    specification: str
    edge_cases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    clarifies: bool = True


@dataclass(frozen=True)
class ExplorationOutcome:
    """ep.explore."""

    report: PhaseReport
    architecture_summary: str
    integration_points: tuple[str, ...] = ()
    identified_risks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanOutcome:
    """ep.plan: all that is to be done as the planner sees it now; what is completed already stays so."""

    report: PhaseReport
    tasks: tuple[PlanTask, ...]
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImplementationOutcome:
    """cd.implement: `ok` as the report says; `changes` as measured, after they were merged into the project.

    `nothing_left`: the agent would only do the same again. `patches`: edits that were found by measuring. `named`:
    tests that the agent says show the goal. `attempt`: what whoever mends what it left failing has to know of it.
    """

    report: PhaseReport
    ok: bool
    changes: tuple[Change, ...] = ()
    files: tuple[str, ...] = ()
    nothing_left: bool = False
    patches: tuple[AppliedPatch, ...] = ()
    named: tuple[NamedTest, ...] = ()
    attempt: Attempt | None = None


@dataclass(frozen=True)
class BaselineOutcome:
    """vas.baseline: the first run of the tests; there are none where `baseline` is None.

    `start`: commit of the files as the cycle found them; `environment`: see RunState.
    """

    tests_found: bool
    test_command: str | None
    baseline: Baseline | None
    run_writes: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    start: str | None = None
    environment: str | None = None


@dataclass(frozen=True)
class JudgementOutcome:
    """vas.validate: what was measured, and what the role said of it; `unjudged`: why it said nothing."""

    validated: ValidationOutcome
    report: PhaseReport
    files: tuple[str, ...] = ()
    unjudged: str = ""


@dataclass(frozen=True)
class AggregationOutcome:
    """The iteration is over; what follows from it is a rule over the state (see cycle_border)."""


CycleOutcome = (
    AnalysisOutcome
    | ExplorationOutcome
    | PlanOutcome
    | ImplementationOutcome
    | BaselineOutcome
    | JudgementOutcome
    | AggregationOutcome
    | NeedsInput
    | LimitReached
    | Interrupted
    | ActionFailed
)


@dataclass(frozen=True)
class CycleStepDone:
    """One finished step: what it was, what came of it, and what it cost; see the Step of loops.

    `tree`: hash of the work tree; `half`: a commit with what was done of it, where it was broken off in a lane.
    `handover`: another agent goes on from here.
    """

    step: CycleStep
    outcome: CycleOutcome
    at: str
    tree: str = ""
    elapsed: float = 0
    incidents: tuple[Incident, ...] = ()
    usage: Usage = field(default_factory=Usage)
    half: str | None = None
    handover: Handover | None = None
