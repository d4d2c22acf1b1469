"""The table of a tuning session's next steps, read row by row; and the seed's diagram, walked along."""

from collections.abc import Callable
from typing import Final

import pytest

from loopwright.core.errors import IllegalTransition
from loopwright.core.names import TuningStepName
from loopwright.core.state import Budget
from loopwright.workflows.tuning.commands import choose, start, stop
from loopwright.workflows.tuning.model import DIAGNOSES, RANKS, Level, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import (
    EndOutcome,
    FailureOutcome,
    InterruptionOutcome,
    IterationOutcome,
    ProposalOutcome,
)
from loopwright.workflows.tuning.reducer import begin_step
from loopwright.workflows.tuning.selector import ROWS, may_be_fixed, next_steps, select_ready, still_holds
from tests.domain.tuning_making import (
    AT,
    SCOPED,
    created,
    diagnosed,
    diagnosed_all,
    driven,
    ended,
    finding,
    in_files,
    offer,
    proposed,
    reported,
    usual,
    verified,
)
from tests.tables import each

ONE, TWO = finding("one", severity="high"), finding("two", "agent")
HINT = finding("hint", "memory", confidence="hint")
COMPLETE: Final = "action-complete"
ITERATE: Final = "action-next-iteration"
PROPOSE: Final = "action-propose-fixes"
REPORT: Final = "action-report"
FAIL: Final = "action-fail"


def fixing(level: Level = "mechanical", max_iterations: int = 5) -> TuningState:
    """Diagnosed, with two things that can be mended mechanically."""
    return diagnosed_all(created(level=level, max_iterations=max_iterations), ONE, TWO, HINT)


def offered() -> TuningState:
    return proposed(fixing(), offer("FIX-001", ONE), offer("FIX-002", TWO))


def applied_one() -> TuningState:
    return in_files(offered(), "FIX-001")


def held(state: TuningState, id: str, *, passed: bool = True) -> TuningState:
    return ended(state, TuningStep("action-verify", id), verified(state, id, passed=passed))


def both_held() -> TuningState:
    return held(in_files(held(applied_one(), "FIX-001"), "FIX-002"), "FIX-002")


def errors(state: TuningState, n: int = 3) -> TuningState:
    for _ in range(n):
        state = ended(state, REPORT, FailureOutcome("the disk is full", recoverable=True))
    return state


def spent(state: TuningState) -> TuningState:
    budget = Budget(max_tokens=10, tokens=10)
    return state.evolve(engine=state.engine.evolve(budget=budget))


def again(state: TuningState, tree: str) -> TuningState:
    """The next iteration, diagnosed and reported, with the same findings."""
    found = state.engine.findings
    state = ended(state, ITERATE, IterationOutcome())
    for one in state.engine.dimensions:
        state = ended(state, DIAGNOSES[one], diagnosed(one, *(f for f in found if f.dimension == one)))
    return ended(state, REPORT, reported(state, tree=tree))


def by_nobody(level: Level) -> TuningState:
    """One finding that has no repair without a model."""
    state = diagnosed_all(created(level=level), ONE)
    return state.evolve(engine=state.engine.evolve(fixable={}))


def initialised(**options: object) -> TuningState:
    return ended(created(**options), "action-init", SCOPED)  # type: ignore[arg-type]  # options of created


ALL = tuple(DIAGNOSES.values())
TABLE: dict[str, tuple[Callable[[], TuningState], tuple[TuningStepName | TuningStep, ...]]] = {
    "1 completed": (lambda: ended(fixing("none"), COMPLETE, EndOutcome()), ()),
    "1 stopped": (lambda: stop(applied_one(), AT), ()),
    "2 three errors": (lambda: errors(initialised()), (FAIL,)),
    "2 three errors, also before it was initialised": (
        lambda: driven(created(), lambda s, step: FailureOutcome("no", recoverable=True), lambda s: s.error_count == 3),
        (FAIL,),
    ),
    "2 three errors, whatever is in the files": (lambda: errors(applied_one()), (FAIL,)),
    "2 one error that no other try helps against": (
        lambda: ended(created(), "action-init", FailureOutcome("no SKILL.md", recoverable=False)),
        (FAIL,),
    ),
    "2 two errors are not three": (lambda: errors(initialised(), 2), ALL),
    "3 pending": (created, ("action-init",)),
    "3 a runner that died at it": (
        lambda: ended(created(), "action-init", InterruptionOutcome("the runner died")),
        ("action-init",),
    ),
    "4 nothing diagnosed": (initialised, ALL),
    "4 one of four is there": (
        lambda: ended(initialised(), DIAGNOSES["memory"], diagnosed("memory")),
        (DIAGNOSES["context"], DIAGNOSES["dataflow"], DIAGNOSES["agent"]),
    ),
    "4 only what was asked for": (lambda: initialised(dimensions=("memory",)), (DIAGNOSES["memory"],)),
    "4 one that could not be looked at is not looked at again": (
        lambda: ended(initialised(dimensions=("memory",)), DIAGNOSES["memory"], diagnosed("memory", problem="no")),
        (REPORT,),
    ),
    "4 the next iteration begins anew": (lambda: ended(both_held(), ITERATE, IterationOutcome()), ALL),
    "5 no report": (
        lambda: ended(initialised(dimensions=("agent",)), DIAGNOSES["agent"], diagnosed("agent", TWO)),
        (REPORT,),
    ),
    "6 an applied fix": (applied_one, (TuningStep("action-verify", "FIX-001"),)),
    "7 the first that waits": (offered, (TuningStep("action-apply-fix", "FIX-001"),)),
    "7 the next one": (lambda: held(applied_one(), "FIX-001"), (TuningStep("action-apply-fix", "FIX-002"),)),
    "7 one that failed is not tried again": (
        lambda: held(applied_one(), "FIX-001", passed=False),
        (TuningStep("action-apply-fix", "FIX-002"),),
    ),
    "8 only diagnosing": (lambda: fixing("none"), (COMPLETE,)),
    "8 the last iteration": (
        lambda: again(both_held().evolve(iteration_count=3, max_iterations=4), "other"),
        (COMPLETE,),
    ),
    "8 an iteration that improved nothing": (
        lambda: again(ended(fixing(), PROPOSE, ProposalOutcome(())), "tree"),
        (COMPLETE,),
    ),
    "8 nothing was found": (lambda: diagnosed_all(created(level="mechanical")), (COMPLETE,)),
    "8 only hints": (lambda: diagnosed_all(created(level="agent"), HINT), (COMPLETE,)),
    "8 nothing that the level may fix": (
        lambda: diagnosed_all(created(level="mechanical"), ONE, level="template"),
        (COMPLETE,),
    ),
    "8 nothing held": (
        lambda: held(in_files(held(applied_one(), "FIX-001", passed=False), "FIX-002"), "FIX-002", passed=False),
        (COMPLETE,),
    ),
    "8 nobody knows a repair": (
        lambda: ended(fixing(), PROPOSE, ProposalOutcome((), {ONE.fingerprint: "none", TWO.fingerprint: "none"})),
        (COMPLETE,),
    ),
    "9 something to be fixed": (fixing, (PROPOSE,)),
    "9 by a template": (lambda: diagnosed_all(created(level="template"), ONE, level="template"), (PROPOSE,)),
    "9 what nothing but an agent can write": (lambda: by_nobody("agent"), (PROPOSE,)),
    "8 what nothing but an agent can write": (lambda: by_nobody("template"), (COMPLETE,)),
    "9 in the next iteration": (
        lambda: again(held(applied_one().evolve(pending_fixes=()), "FIX-001"), "t2"),
        (PROPOSE,),
    ),
    "10 fixes that hold": (both_held, (ITERATE,)),
    "10 something is left to propose": (lambda: ended(fixing(), PROPOSE, ProposalOutcome(())), (ITERATE,)),
    "budget: what is in the files is verified": (
        lambda: spent(applied_one()),
        (TuningStep("action-verify", "FIX-001"),),
    ),
    "budget: nothing more is applied": (lambda: spent(offered()), (COMPLETE,)),
    "budget: nothing more is proposed": (lambda: spent(fixing()), (COMPLETE,)),
    "budget: what begins is diagnosed and told": (lambda: spent(ended(both_held(), ITERATE, IterationOutcome())), ALL),
    "a person has to choose": (
        lambda: proposed(
            diagnosed_all(created(level="mechanical", choosing=True), ONE, TWO),
            offer("FIX-001", ONE),
            offer("FIX-002", TWO),
        ),
        (),
    ),
}


@each("name", TABLE)
def test_row(name: str) -> None:
    make, expected = TABLE[name]
    steps = tuple(TuningStep(one) if not isinstance(one, TuningStep) else one for one in expected)
    assert next_steps(make()) == steps


def test_every_row_of_the_design_is_in_the_table() -> None:
    numbers = {name.split()[0] for name in TABLE} - {"a", "budget:"}
    assert numbers == {str(n) for n in range(1, 11)}
    assert len(ROWS) == len(numbers) + 2, "and the rows of a budget and of a choice"


def test_the_next_step_of_a_choice_is_what_was_chosen() -> None:
    state = TABLE["a person has to choose"][0]()
    assert next_steps(choose(state, ["FIX-002"])) == (TuningStep("action-apply-fix", "FIX-002"),)
    assert next_steps(choose(state, [])) == (TuningStep(COMPLETE),)


@pytest.mark.parametrize("level", RANKS)
def test_what_a_level_may_fix(level: Level) -> None:
    found = [finding(name) for name in ("m", "t", "a", "nobody")]
    state = diagnosed_all(created(level=level), *found)
    fixable = dict(zip((one.fingerprint for one in found), ("mechanical", "template", "agent"), strict=False))
    state = state.evolve(engine=state.engine.evolve(fixable=fixable))
    expected = {"none": "", "mechanical": "m", "template": "m t", "agent": "a m nobody t"}
    assert " ".join(sorted(one.subject for one in may_be_fixed(state))) == expected[level]


class TestBudget:
    def test_a_session_that_could_have_gone_on_says_so(self) -> None:
        state = ended(spent(offered()), COMPLETE, EndOutcome())
        assert (state.status, state.engine.outcome, state.pending_fixes) == ("failed", "over_budget", ())
        assert state.failure_reason == "the budget of 10 tokens is used up; 2 issues left"

    def test_one_that_is_done_has_only_spent_all(self) -> None:
        state = ended(spent(fixing("none")), COMPLETE, EndOutcome())
        assert (state.status, state.engine.outcome) == ("completed", "succeeded")


class TestTries:
    """What an agent writes may fail once, and is written anew with the reason in mind."""

    @staticmethod
    def failed(state: TuningState, id: str) -> TuningState:
        state = proposed(state, offer(id, ONE, level="agent"))
        return held(in_files(state, id), id, passed=False)

    def test_the_second_try_is_the_last(self) -> None:
        once = self.failed(diagnosed_all(created(level="agent"), ONE), "FIX-001")
        assert once.engine.tried == {ONE.fingerprint: ("it is still there",)}
        anew = again(once, "tree")
        assert next_steps(anew) == (TuningStep(PROPOSE),), "the skill is as it was, but something was learned"
        twice = self.failed(anew, "FIX-002")
        assert twice.engine.rejected == {ONE.fingerprint: "it is still there"}
        assert next_steps(twice) == (TuningStep(COMPLETE),)

    def test_a_turn_that_came_to_nothing_is_one(self) -> None:
        state = diagnosed_all(created(level="agent"), ONE)
        for n in (1, 2):
            state = ended(state, PROPOSE, ProposalOutcome((), tried={ONE.fingerprint: f"nothing {n}"}))
            assert (ONE.fingerprint in state.engine.rejected) == (n == 2)
            state = again(state, "tree")
        assert next_steps(state) == (TuningStep(COMPLETE),)


class TestReady:
    def test_diagnoses_run_side_by_side_and_everything_else_alone(self) -> None:
        state = initialised()
        running = (TuningStep(DIAGNOSES["context"]), TuningStep(DIAGNOSES["agent"]))
        others = (TuningStep(DIAGNOSES["memory"]), TuningStep(DIAGNOSES["dataflow"]))
        assert select_ready(state, running) == others
        assert select_ready(state, (*running, *others)) == ()
        assert select_ready(state, (TuningStep(REPORT),)) == ()
        assert select_ready(fixing(), (TuningStep(DIAGNOSES["agent"]),)) == ()

    def test_nothing_is_ready_at_the_end(self) -> None:
        assert select_ready(stop(fixing(), AT), ()) == ()

    def test_what_the_latest_state_would_not_choose_does_not_begin(self) -> None:
        step = TuningStep("action-apply-fix", "FIX-001")
        assert still_holds(offered(), step)
        assert not still_holds(offered(), TuningStep("action-apply-fix", "FIX-002"))
        assert not still_holds(stop(offered(), AT), step)


class TestDiagram:
    """The seed's State Transition Diagram."""

    def test_pending_becomes_running_by_action_init(self) -> None:
        state = start(created())
        (step,) = next_steps(state)
        begun = begin_step(state, step, AT)
        assert (state.status, step.name, begun.status, begun.started_at) == ("running", "action-init", "running", AT)
        assert begin_step(created(), step, AT).status == "running", "also where only a runner was begun"

    def test_from_running_the_diagnoses_begin_at_once(self) -> None:
        names = [step.name for step in select_ready(initialised(), ())]
        assert names == [f"action-diagnose-{one}" for one in ("context", "memory", "dataflow", "agent")]

    def test_after_a_fix_comes_verify_and_then_the_next_fix_or_another_iteration_or_the_end(self) -> None:
        assert next_steps(applied_one())[0].name == "action-verify"
        assert next_steps(held(applied_one(), "FIX-001"))[0].name == "action-apply-fix"
        assert next_steps(both_held())[0].name == ITERATE
        last = again(both_held(), "other")
        assert (next_steps(last)[0].name, last.quality_gate) == (COMPLETE, "pass")
        assert driven(last, usual()).status == "completed"

    def test_iterations_are_fewer_than_the_limit(self) -> None:
        state = driven(fixing(max_iterations=2), lambda s, step: ProposalOutcome(()) if step.name == PROPOSE else (
            reported(s, tree=f"{s.iteration_count}") if step.name == REPORT else usual((ONE, TWO))(s, step)
        ))  # fmt: skip
        assert (state.status, state.iteration_count) == ("completed", 2)

    def test_three_errors_lead_to_failed_from_everywhere(self) -> None:
        for make, _ in TABLE.values():
            if (state := make()).status == "running":
                state = ended(errors(state), FAIL, EndOutcome(True, tuple(
                    fix.fix_id for fix in state.applied_fixes if fix.verification_result == "pending"
                )))  # fmt: skip
                assert (state.status, next_steps(state)) == ("failed", ())

    def test_an_end_has_no_way_out(self) -> None:
        for state in (ended(fixing("none"), COMPLETE, EndOutcome()), stop(fixing(), AT)):
            with pytest.raises(IllegalTransition):
                start(state)
            assert next_steps(state) == ()
