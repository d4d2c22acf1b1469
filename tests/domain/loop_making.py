"""Loops, tasks and outcomes in few words, and a scripted world that drives a loop the way a runner does."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.outcomes import Change, ValidationOutcome
from loopwright.core.state import EngineState, LoopTask, Outcome, RunSettings
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis
from loopwright.evidence.proof import Proof
from loopwright.evidence.testing import TestResult
from loopwright.workflows.loop.model import LoopState, Summary
from loopwright.workflows.loop.outcomes import (
    ActionOutcome,
    ActionStep,
    CompleteOutcome,
    DebugOutcome,
    DevelopOutcome,
    InitOutcome,
)
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import LoopFacts, NextAction, next_action

AT = "2026-01-22T10:00:00+08:00"
LATER = "2026-01-22T11:00:00+08:00"


def loop(status: LoopStatus = "created", **fields: object) -> LoopState:
    """A valid loop of this status, with `fields` on top."""
    end: dict[str, object] = {}
    outcomes: dict[LoopStatus, Outcome] = {"completed": "succeeded", "failed": "stopped"}
    if status in FINISHED:
        end = {"completed_at": AT, "failure_reason": "because" if status == "failed" else None}
    base = {
        "loop_id": "loop-v2-20260122T100000-0123abcd", "title": "Fix the ledger", "description": "Make it add up",
        "created_at": AT, "updated_at": AT, "status": status, "engine": EngineState(outcome=outcomes.get(status)),
    }  # fmt: skip
    return LoopState.model_validate({**base, **end, **fields})


def task(id: str, **fields: object) -> LoopTask:
    """A task definition."""
    base = {"task_id": id, "description": f"do {id}", "created_at": AT, "updated_at": AT}
    return LoopTask.model_validate({**base, **fields})


def engine(state: LoopState, **changes: object) -> LoopState:
    return state.evolve(engine=state.engine.evolve(**changes))


def result(name: str, status: str = "passed") -> TestResult:
    return TestResult.model_validate({"test_name": name, "suite": "tests/test_ledger.py", "status": status})


def key(name: str) -> str:
    return result(name).key


def proof(tree: str, **fields: object) -> Proof:
    """One test fails without the change."""
    return Proof.model_validate({"kind": "change", "tree": tree, "fail_to_pass": (key("green"),), **fields})


def validated(tree: str = "t0", failing: Iterable[str] = (), **fields: object) -> ValidationOutcome:
    """A validation of `tree`: one green test and the failing ones; a green one shows the goal."""
    failing = tuple(failing)
    passed = fields.get("passed", not failing)
    base: dict[str, object] = {
        "tree": tree, "left": tree, "passed": not failing, "tests_found": True,
        "results": (result("green"), *(result(name, "failed") for name in failing)), "coverage": 80.0,
        "proof": proof(tree) if passed else None,
    }  # fmt: skip
    return ValidationOutcome(**{**base, **fields})  # type: ignore[arg-type]  # fields by name, for brevity


def hypothesis(id: str = "H1", **fields: object) -> Hypothesis:
    base = {
        "id": id, "description": "the sum starts at one", "testable_condition": "the sum of nothing is zero",
        "logging_point": "ledger.py:total:7", "evidence_criteria": EvidenceCriteria(confirm="1", reject="0"),
        "likelihood": 1,
    }  # fmt: skip
    return Hypothesis.model_validate({**base, **fields})


def confirmed(id: str = "H1", **evidence: object) -> Hypothesis:
    return hypothesis(id, status="confirmed", evidence=evidence, verdict_reason="the probe saw 1")


def debugged(confirms: str | None = None, *, changed: bool = True, revives: str | None = None) -> DebugOutcome:
    hypotheses = (confirmed(confirms),) if confirms else (hypothesis(),)
    changes = (Change("ledger.py", "modify"),) if changed else ()
    return DebugOutcome(hypotheses, "total is off by one", confirms, "looked", changes, revives)


def initialised(*tasks: LoopTask, tests_found: bool = True) -> InitOutcome:
    return InitOutcome(tasks, tests_found, "pytest" if tests_found else None, None)


def completed(outcome: str = "succeeded", reason: str | None = None) -> CompleteOutcome:
    return CompleteOutcome(outcome, reason, Summary(duration=1000, iterations=3))  # type: ignore[arg-type]  # any outcome


def developed(id: str, *, ok: bool = True) -> DevelopOutcome:
    return DevelopOutcome(
        id, ok, "written" if ok else "it did not compile", (Change("ledger.py", "modify"),) if ok else ()
    )


def step(action: str, outcome: ActionOutcome, **fields: object) -> ActionStep:
    base: dict[str, object] = {"action": action, "outcome": outcome, "at": LATER, "token": "feedbeef"}
    return ActionStep(**{**base, **fields})  # type: ignore[arg-type]  # fields by name, for brevity


@dataclass
class World:
    """A project in the abstract: a tree that changes with the work, and the script of what each action brings.

    `script` maps an action to its outcomes in order; `DEVELOP` and `DEBUG` make a new tree.
    """

    state: LoopState
    script: dict[str, list[ActionOutcome]]
    can_write: bool = True
    trees: int = 0
    course: list[str] = field(default_factory=list)

    @property
    def facts(self) -> LoopFacts:
        return LoopFacts(tree=f"t{self.trees}", can_write=self.can_write)

    def run(self) -> list[str]:
        """Drives the loop until it rests; the names of the actions it took."""
        while self.step():
            assert len(self.course) < 100, self.course
        return self.course

    def step(self) -> bool:
        """Takes the action that the table chooses; False when the loop rests."""
        choice = next_action(self.state, self.facts)
        if choice is not None:
            self.take(choice)
        return choice is not None

    def take(self, choice: NextAction) -> None:
        self.state = begin_action(self.state, choice)
        outcome = self._outcome(choice)
        self.state = end_action(self.state, step(choice.action, outcome, can_write=self.can_write))
        self.course.append(_told(choice, outcome))

    def _outcome(self, choice: NextAction) -> ActionOutcome:
        if choice.action == "COMPLETE" and not self.script.get("COMPLETE"):
            ends_well = choice.outcome == "succeeded"
            return completed(choice.outcome or "?", None if ends_well else "in words")
        if choice.action == "DEVELOP" and not self.script.get("DEVELOP"):
            self.trees += 1
            return developed(choice.task or "?")
        outcome = self.script[choice.action].pop(0)
        if getattr(outcome, "changes", ()):
            self.trees += 1
        if isinstance(outcome, ValidationOutcome):
            tree = self.facts.tree
            shown = outcome.proof and outcome.proof.evolve(tree=tree)
            return ValidationOutcome(**{**vars(outcome), "tree": tree, "left": tree, "proof": shown})
        return outcome


def _told(choice: NextAction, outcome: ActionOutcome) -> str:
    if isinstance(outcome, ValidationOutcome):
        return f"VALIDATE ({'pass' if outcome.passed else 'fail'})"
    return choice.action


def auto(state: LoopState) -> LoopState:
    return engine(state, settings=RunSettings(mode="auto"))
