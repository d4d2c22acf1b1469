"""What a step of any workflow may come back with."""

from dataclasses import dataclass

from loopwright.core.errors import AgentTrouble
from loopwright.core.state import Baseline, LastValidation
from loopwright.evidence.proof import Proof
from loopwright.evidence.testing import TestResult, TestTally, tally_results


@dataclass(frozen=True)
class Change:
    """One line of changes.log, as measured between two snapshots. `action`: create, modify, delete."""

    file: str
    action: str


@dataclass(frozen=True)
class ValidationOutcome:
    """`tree` was measured before the run, `left` after it; `reasons` say why it did not pass.

    `run_writes` are files that the run left behind, `touched` those of the project that changed meanwhile.
    `below_threshold`: all tests are green, only a threshold is missed. `counted` is False for the last look that
    COMPLETE takes. `proof`: of a run that passed. `environment`: see RunState, where nothing was remembered before;
    `tally` counts all tests, of which `results` may hold only some beside those that failed.
    `disturbed`: the tests pass, but what they run with is not what it was. `measured`: when that was, where no run
    was made for it. `refused`: why the tests as the run had left them were put back; what is told is of the others.
    """

    tree: str
    left: str
    passed: bool
    tests_found: bool
    results: tuple[TestResult, ...]
    coverage: float
    coverage_files: dict[str, float] | None = None
    reasons: tuple[str, ...] = ()
    below_threshold: bool = False
    baseline: Baseline | None = None
    run_writes: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    counted: bool = True
    proof: Proof | None = None
    environment: str | None = None
    disturbed: bool = False
    measured: str | None = None
    refused: tuple[str, ...] = ()
    tally: TestTally | None = None

    @property
    def counts(self) -> TestTally:
        return self.tally or tally_results(self.results)

    def as_last(self, at: str) -> LastValidation:
        """What the state keeps of it."""
        return LastValidation(
            tree=self.tree,
            left=self.left,
            passed=self.passed,
            at=at,
            tests=self.counts.total,
            skipped=self.counts.skipped,
            reasons=self.reasons,
            touched=self.touched or None,
            measured=self.measured,
        )

    @property
    def failing(self) -> tuple[str, ...]:
        return tuple(result.key for result in self.results if result.status == "failed")


@dataclass(frozen=True)
class NeedsInput:
    """`by_resuming`: there is nothing to answer, but something to be settled. `trouble`: of the agent, if any."""

    question: str
    options: tuple[str, ...] = ()
    by_resuming: bool = False
    trouble: AgentTrouble | None = None


@dataclass(frozen=True)
class LimitReached:
    """The agent has used up what it may; `until`: when it can be asked again, as it says (ISO-8601 with its offset).

    `trouble`: the kind of it.
    """

    reason: str
    until: str | None = None
    trouble: AgentTrouble | None = None


@dataclass(frozen=True)
class Interrupted:
    """Cancelled from outside before it had a result; it will be taken up again."""

    why: str


@dataclass(frozen=True)
class ActionFailed:
    """The action gave no outcome at all. `trouble`: of the agent, where it was that."""

    message: str
    trouble: AgentTrouble | None = None


def describe_no_result(outcome: NeedsInput | LimitReached | Interrupted | ActionFailed) -> str:
    """Why a step has no result, as the journal and whoever looks name it."""
    match outcome:
        case NeedsInput():
            return f"asks: {outcome.question}"
        case LimitReached():
            return f"put off: {outcome.reason}"
        case Interrupted():
            return outcome.why
        case ActionFailed():
            return f"gave no result: {outcome.message}"
