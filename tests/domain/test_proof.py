"""What counts as proof: every kind of goal, and no way for an agent to be believed instead of measured."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.outcomes import Change
from loopwright.core.protocol import ActionReport
from loopwright.core.state import Baseline, BaselineTest, LoopTask
from loopwright.evidence.goals import named_tests
from loopwright.evidence.proof import (
    Mutants,
    NamedTest,
    Proof,
    ProofEvidence,
    ProofGoal,
    ProofKind,
    ProofPolicy,
    Survivor,
    apply_thresholds,
    proof_of,
    proof_order,
    proof_words,
    strength_lines,
)
from loopwright.evidence.proof import tests_and_proof as told
from loopwright.reports.proposals import read_proposals
from loopwright.workflows.loop.outcomes import ActionOutcome, DebugOutcome, DevelopOutcome
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import LoopFacts, loop_goal, next_action
from tests.domain.loop_making import AT, completed, engine, initialised, key, loop, step, validated
from tests.tables import each

CHANGED = ProofEvidence(product=("a.py",), changed=("a.py",), tests_green=3)
SHOWN = ProofEvidence(product=("a.py",), changed=("a.py", "t.py"), shown=("t::new",), tests_green=4)
MENDED = ProofEvidence(product=("a.py",), changed=("a.py",), failed_first=("t::red",), mended=("t::red",))
UNTOUCHED = ProofEvidence(product=(), changed=(), tests_green=3)

KINDS: list[tuple[ProofKind, ProofEvidence, str | None]] = [
    ("change", SHOWN, None),
    ("change", CHANGED, "none of them shows that the goal was reached"),
    ("change", MENDED, "no test shows that the goal was reached"),
    ("change", UNTOUCHED, "nothing of the product was changed"),
    ("mend", MENDED, None),
    ("mend", UNTOUCHED, None),
    ("mend", ProofEvidence(product=("a.py",), changed=("a.py",), failed_first=("t::red",)),
        "no test that failed at the start passes now"),
    ("mend", ProofEvidence(product=(), changed=("t.py",), failed_first=("t::red",), mended=("t::red",)),
        "tests that failed at the start pass now, but nothing of the product was changed"),
    ("preserve", CHANGED, None),
    ("preserve", UNTOUCHED, "nothing of the product was changed"),
    ("preserve", ProofEvidence(product=("a.py",), changed=("a.py", "t.py"), rewritten=("t.py",)),
        "tests were changed in more than names and imports: t.py"),
    ("none", ProofEvidence(product=(), changed=("README.md",)), None),
    ("none", UNTOUCHED, "nothing was changed"),
    ("commands", UNTOUCHED, None),
    ("reading", UNTOUCHED, None),
]  # fmt: skip


@each(("kind", "evidence", "missing"), KINDS)
def test_what_each_kind_of_goal_needs(kind: ProofKind, evidence: ProofEvidence, missing: str | None) -> None:
    assert proof_of(ProofGoal(frozenset({kind})), evidence, "t").missing == missing


def test_a_run_of_several_kinds_needs_the_proof_of_each() -> None:
    goal = ProofGoal(frozenset({"change", "preserve", "commands"}))
    rewritten = ProofEvidence(product=("a.py",), changed=("a.py", "t.py"), rewritten=("t.py",), tests_green=2)
    proof = proof_of(goal, rewritten, "t")
    assert proof.kind == "change"
    assert proof.missing is not None
    assert proof.missing.count(";") == 1


@pytest.mark.parametrize(
    ("named", "by"), [("t::red", "codex"), ("t::green", None), ("t::unknown", None), ("t::new", None)]
)
def test_only_a_test_that_failed_and_was_mended_can_be_named(named: str, by: str | None) -> None:
    proof = proof_of(ProofGoal(frozenset({"change"}), (NamedTest(test=named, by="codex"),)), MENDED, "t")
    assert (proof.shown, proof.named_by) == (by is not None, by)


def test_one_green_test_is_not_said_to_show_what_it_does_not() -> None:
    alone = ProofEvidence(product=("a.py",), changed=("a.py",), tests_green=1)
    proof = proof_of(ProofGoal(frozenset({"change"})), alone, "t")
    assert told(proof, 1, 1) == "the one test passes; it does not show that the goal was reached"
    assert proof_words(proof) == proof.missing


BASELINE = Baseline(tree="t0", at=AT, tests={"t::green": BaselineTest(status="passed")})


@dataclass(frozen=True)
class Turn:
    """What an agent does in a turn, and what it says."""

    product: bool = False
    shows: bool = False
    ok: bool = True
    updates: dict[str, Any] = field(default_factory=dict)


WORDS = st.sampled_from(["t::red", "red", "t::green", "green", "t::new", "", "*", "t"])
UPDATES = st.dictionaries(
    st.sampled_from(["shown_by", "proof", "tasks", "status", "validate", "engine", "develop"]),
    st.one_of(WORDS, st.lists(WORDS, max_size=3), st.just({"passed": True}), st.sampled_from(["none", "preserve"])),
    max_size=3,
)
TURNS = st.builds(Turn, st.booleans(), st.booleans(), st.booleans(), UPDATES)
PLANS = st.lists(st.sampled_from(["write", "analysis", "review"]), max_size=3)


@dataclass
class Course:
    """A loop whose agent does and says what was drawn, and whose engine measures. The tests pass all the time."""

    policy: ProofPolicy
    plan: list[str]
    turns: list[Turn]
    product: bool = False
    shows: bool = False
    trees: int = 0
    told: list[str] = field(default_factory=list)

    def run(self) -> tuple[str | None, ProofEvidence]:
        state = engine(
            loop("running", title="Add a --json option", description="Add a --json option"), baseline=BASELINE
        )
        state = engine(state, settings=state.engine.settings.evolve(mode="auto", proof=self.policy))
        while choice := next_action(state, LoopFacts(tree=f"t{self.trees}", can_write=True)):
            self.told.append(choice.action)
            assert len(self.told) < 60, self.told
            state = begin_action(state, choice)
            outcome: ActionOutcome
            if choice.action == "INIT":
                outcome = initialised(*(self._planned(n, mode) for n, mode in enumerate(self.plan)))
            elif choice.action == "COMPLETE":
                outcome = completed(choice.outcome or "?", None if choice.outcome == "succeeded" else "in words")
            elif choice.action == "VALIDATE":
                proof = proof_of(loop_goal(state), self.evidence(), f"t{self.trees}")
                outcome = validated(f"t{self.trees}", proof=proof)
            else:
                outcome = self._worked(choice.action, choice.task)
            state = end_action(state, step(choice.action, outcome, can_write=True))
        return state.engine.outcome, self.evidence()

    def evidence(self) -> ProofEvidence:
        shown = (key("new"),) if self.shows and self.product else ()
        return ProofEvidence(
            ("a.py",) if self.product else (), ("a.py",) if self.trees else (), shown=shown, tests_green=1
        )

    def _planned(self, n: int, mode: str) -> LoopTask:
        return LoopTask.model_validate({
            "task_id": f"T{n}", "description": "look", "mode": mode, "planned": True, "order": n, "created_at": AT,
            "updated_at": AT,
        })  # fmt: skip

    def _worked(self, action: str, task: str | None) -> ActionOutcome:
        turn = self.turns.pop(0) if self.turns else Turn()
        report = ActionReport(
            action=action, status="success" if turn.ok else "failed", message="all done", state_updates=turn.updates
        )
        claims = read_proposals("DEVELOP", report)
        named = named_tests(claims.shown_by, "codex", BASELINE)
        is_changed = turn.product or turn.shows
        self.trees += is_changed
        self.product, self.shows = self.product or turn.product, self.shows or turn.shows
        changes = (Change("a.py", "modify"),) if is_changed else ()
        if action == "DEBUG" or task is None:
            return DebugOutcome((), None, None, "looked", changes, named=named)
        return DevelopOutcome(task, turn.ok and is_changed, "all done", changes, not is_changed, named, claims.proof)


@given(plan=PLANS, turns=st.lists(TURNS, max_size=6), policy=st.sampled_from(["auto", "auto", "preserve", "none"]))
def test_nothing_that_an_agent_says_or_does_makes_a_success_without_proof(
    plan: list[str], turns: list[Turn], policy: ProofPolicy
) -> None:
    course = Course(policy, plan, list(turns))
    outcome, evidence = course.run()
    if outcome == "succeeded":
        assert evidence.changed
        assert policy == "none" or evidence.product
        assert policy != "auto" or evidence.shown
    assert outcome != "unproven" or "DEVELOP" in course.told, "it was asked for the proof first"


def mutants(killed: int, total: int) -> Mutants:
    survivors = tuple(Survivor(file="a.py", line=n + 1, change="`-` instead of `+`") for n in range(total - killed))
    return Mutants(killed=killed, total=total, survivors=survivors)


PROVEN = Proof(kind="change", tree="t", fail_to_pass=("t::new",), diff_coverage=70.5, mutants=mutants(38, 47))
THRESHOLDS = [
    (PROVEN, 0, 0, None),
    (PROVEN, 80, 70, None),
    (PROVEN, 90, 0, "38 of 47 mutants (81 %) are killed, 90 % are required"),
    (PROVEN, 81, 0, "38 of 47 mutants (80 %) are killed, 81 % are required"),
    (PROVEN, 0, 90, "70.5 % of the changed lines run under these tests, 90 % are required"),
    (PROVEN.evolve(mutants=None, unmeasured="why"), 1, 0,
        "the mutation score could not be measured (why), 1 % is required"),
    (PROVEN.evolve(mutants=None), 50, 0, "the mutation score could not be measured, 50 % is required"),
    (PROVEN.evolve(diff_coverage=None), 0, 1, "coverage of the changed lines could not be measured, 1 % is required"),
    (PROVEN.evolve(kind="preserve"), 100, 100, None),
    (PROVEN.evolve(fail_to_pass=(), kind="mend"), 100, 100, None),
    (PROVEN.evolve(missing="no test shows it"), 100, 100, "no test shows it"),
]  # fmt: skip


@each(("proof", "score", "coverage", "missing"), THRESHOLDS)
def test_a_threshold_makes_a_weak_proof_a_missing_one(
    proof: Proof, score: float, coverage: float, missing: str | None
) -> None:
    held = apply_thresholds(proof, min_mutation_score=score, min_diff_coverage=coverage)
    assert held.missing == missing
    assert bool(held.weak) == (held != proof)
    if held.weak and held.mutants:
        assert "a.py:9: `-` instead of `+`" in proof_order(held)


def test_the_strength_of_a_proof_in_words() -> None:
    assert strength_lines(PROVEN, 1) == [
        "70.5 % of the changed lines run under these tests", "38 of 47 mutants of the changed lines are killed",
        "no test notices a.py:1: `-` instead of `+`", "… and 8 more",
    ]  # fmt: skip
    assert Mutants(killed=1, total=1, made=300).words == (
        "1 of 1 mutant of the changed lines is killed (1 of 300 possible ones were tried)"
    )
    assert strength_lines(PROVEN.evolve(mutants=None, diff_coverage=None), 9) == []
