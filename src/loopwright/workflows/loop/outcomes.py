"""What an action may come back with. A closed union: every fold handles each of them."""

from dataclasses import dataclass, field, replace

from loopwright.core.handover import Handover
from loopwright.core.names import ActionName
from loopwright.core.outcomes import ActionFailed, Change, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.protocol import Usage
from loopwright.core.state import Baseline, Incident, LoopTask, Outcome
from loopwright.core.text import strip_project
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.objections import Objection
from loopwright.evidence.proof import NamedTest, ProofPolicy
from loopwright.workflows.loop.model import Summary


@dataclass(frozen=True)
class InitOutcome:
    """`tasks` are new ones only: what the API holds stays as it is, also when it changed meanwhile.

    `start`: commit of the files as the loop found them; `environment`: see RunState.
    """

    tasks: tuple[LoopTask, ...]
    tests_found: bool
    test_command: str | None
    baseline: Baseline | None
    run_writes: tuple[str, ...] = ()
    start: str | None = None
    environment: str | None = None


@dataclass(frozen=True)
class DevelopOutcome:
    """`undone`: it was to change something, or to find something, and nothing of that was measured.

    `named`: tests that the agent says show the goal; `proposed_proof`: what it proposes to a person.
    `disputes`: objections of a review that it says do not hold.
    """

    task_id: str
    ok: bool
    message: str
    changes: tuple[Change, ...] = ()
    undone: bool = False
    named: tuple[NamedTest, ...] = ()
    proposed_proof: ProofPolicy | None = None
    disputes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DebugOutcome:
    """`hypotheses` are all of the loop's, with their new verdicts. `revives`: a failed task that is worth another try.

    `nothing_left`: another round would only do the same again.
    """

    hypotheses: tuple[Hypothesis, ...]
    active_bug: str | None
    confirmed: str | None
    message: str
    changes: tuple[Change, ...] = ()
    revives: str | None = None
    nothing_left: bool = False
    named: tuple[NamedTest, ...] = ()


@dataclass(frozen=True)
class ReviewOutcome:
    """What the reviewer `by` objects to in the tree that was validated last (`tree`); without ids yet.

    `missing`: why there is no review. `commit`: the private one of that tree.
    """

    by: str
    tree: str
    objections: tuple[Objection, ...] = ()
    missing: str | None = None
    commit: str | None = None


@dataclass(frozen=True)
class CompleteOutcome:
    """`checked`: the last look at the tree, where one was taken.

    `reverted`: what was done for a review has been taken back.
    """

    outcome: Outcome
    reason: str | None
    summary: Summary
    checked: ValidationOutcome | None = None
    reverted: bool = False


ActionOutcome = (
    InitOutcome
    | DevelopOutcome
    | ValidationOutcome
    | DebugOutcome
    | ReviewOutcome
    | CompleteOutcome
    | NeedsInput
    | LimitReached
    | Interrupted
    | ActionFailed
)


def strip_project_paths(outcome: ActionOutcome, project: str) -> ActionOutcome:
    """With the paths of the project in its words as they are seen from inside the project."""
    match outcome:
        case DevelopOutcome(message=words) | DebugOutcome(message=words) | ActionFailed(message=words):
            return replace(outcome, message=strip_project(words, project))
        case ReviewOutcome(missing=str(words)):
            return replace(outcome, missing=strip_project(words, project))
        case LimitReached(reason=words) | CompleteOutcome(reason=str(words)):
            return replace(outcome, reason=strip_project(words, project))
        case ValidationOutcome():
            return replace(outcome, reasons=tuple(strip_project(words, project) for words in outcome.reasons))
        case _:
            return outcome


@dataclass(frozen=True)
class ActionStep:
    """One finished action: what it was, what came of it, and what it cost.

    `token`: hex digits for the id of a task that may follow from it; `elapsed` in seconds; `incidents`: what a person
    shall know of it beside its outcome. `told`: a person's answer that went to an agent in it. `handover`: who goes
    on from here.
    """

    action: ActionName
    outcome: ActionOutcome
    at: str
    token: str
    elapsed: float = 0
    can_write: bool = False
    incidents: tuple[Incident, ...] = ()
    usage: Usage = field(default_factory=Usage)
    told: str | None = None
    handover: Handover | None = None
