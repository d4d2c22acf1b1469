"""How outcomes land in the state of a tuning session."""

import pytest

from loopwright.core.protocol import Usage
from loopwright.core.state import Incident
from loopwright.workflows.tuning.commands import edit
from loopwright.workflows.tuning.model import DIAGNOSES, ERRORS_KEPT, FINISHED, HISTORY_KEPT, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import (
    EndOutcome,
    FailureOutcome,
    InterruptionOutcome,
    IterationOutcome,
    ProposalOutcome,
    RefusalOutcome,
    TuningOutcome,
    TuningStepDone,
    VerifyOutcome,
)
from loopwright.workflows.tuning.reducer import begin_step, end_step
from loopwright.workflows.tuning.selector import next_steps
from tests.domain.tuning_making import (
    AT,
    LATER,
    SCOPED,
    applied,
    created,
    diagnosed,
    diagnosed_all,
    driven,
    ended,
    finding,
    in_files,
    offer,
    proposed,
    usual,
    verified,
)

ONE, TWO = finding("one", severity="high"), finding("two", "agent")
VERIFY = TuningStep("action-verify", "FIX-001")


def fixing() -> TuningState:
    return diagnosed_all(created(level="mechanical"), ONE, TWO)


def offered() -> TuningState:
    return proposed(fixing(), offer("FIX-001", ONE), offer("FIX-002", TWO))


def test_a_whole_course() -> None:
    state = driven(created(level="mechanical"), usual((ONE, TWO)))
    assert (state.status, state.engine.outcome, state.failure_reason) == ("completed", "succeeded", None)
    assert (state.quality_score, state.quality_gate, state.issues) == (100, "pass", ())
    assert [entry.action for entry in state.action_history] == [
        "action-init", *DIAGNOSES.values(), "action-report", "action-propose-fixes",
        "action-apply-fix", "action-verify", "action-apply-fix", "action-verify", "action-next-iteration",
        *DIAGNOSES.values(), "action-report", "action-complete",
    ]  # fmt: skip
    assert set(state.completed_actions) == {entry.action for entry in state.action_history}
    assert {entry.result for entry in state.action_history} == {"success"}
    assert [(one.iteration, one.gate) for one in state.engine.standings] == [(0, "pass"), (1, "pass")]
    assert state.engine.standings[0].score < state.engine.standings[1].score == 100
    assert [(f.fix_id, f.success, f.verification_result) for f in state.applied_fixes] == [
        ("FIX-001", True, "pass"), ("FIX-002", True, "pass"),
    ]  # fmt: skip


class TestInit:
    def test_what_the_skill_is_and_what_is_left_out(self) -> None:
        state = ended(created(dimensions=("memory",)), "action-init", SCOPED)
        assert state.target_skill.model_dump() == {
            "name": "a", "path": "skills/a", "execution_mode": "sequential", "phases": ("phases/1.md",), "specs": (),
        }  # fmt: skip
        assert state.diagnosis.memory is None
        for result in (state.diagnosis.context, state.diagnosis.dataflow, state.diagnosis.agent):
            assert result is not None
            assert (result.status, result.issues_found, result.severity) == ("skipped", 0, "none")


class TestDiagnosis:
    def test_steps_side_by_side(self) -> None:
        state = ended(created(), "action-init", SCOPED)
        for name in DIAGNOSES.values():
            state = begin_step(state, TuningStep(name), AT)
        assert state.current_action == "action-diagnose-agent"
        step = TuningStep(DIAGNOSES["agent"])
        state = end_step(state, TuningStepDone(step=step, outcome=diagnosed("agent", TWO), begun=AT, at=LATER))
        assert (state.current_action, state.updated_at) == ("action-diagnose-dataflow", LATER)
        assert [one.step for one in state.engine.under_way] == [*DIAGNOSES.values()][:3]

    def test_a_result(self) -> None:
        hint = finding("h", "agent", confidence="hint")
        state = ended(ended(created(), "action-init", SCOPED), DIAGNOSES["agent"], diagnosed("agent", TWO, hint))
        result = state.diagnosis.agent
        assert result is not None
        assert (result.issues_found, result.severity) == (1, "medium")
        assert [(e.pattern, e.severity) for e in result.details.evidence] == [
            ("undeclared-tool", "medium"), ("undeclared-tool", "hint"),
        ]  # fmt: skip
        assert result.details.recommendations == ("mend two",)

    def test_what_the_last_iteration_found_stays_until_it_is_looked_for_again(self) -> None:
        state = ended(fixing(), "action-next-iteration", IterationOutcome())
        state = ended(state, DIAGNOSES["context"], diagnosed("context"))
        assert {issue.description for issue in state.issues} == {"one is wrong", "two is wrong"}
        assert state.quality_score < 100, "a skill is not without fault between two diagnoses"
        state = ended(state, DIAGNOSES["agent"], diagnosed("agent"))
        assert [issue.description for issue in state.issues] == ["one is wrong"]

    def test_one_that_did_not_run_does_not_pass(self) -> None:
        state = ended(created(dimensions=("agent", "memory")), "action-init", SCOPED)
        state = ended(state, DIAGNOSES["agent"], diagnosed("agent"))
        assert (state.quality_score, state.quality_gate) == (100, "fail")
        state = ended(state, DIAGNOSES["memory"], diagnosed("memory", problem="a detector slipped"))
        assert (state.quality_gate, state.error_count, state.errors[0].recoverable) == ("fail", 1, False)
        assert state.errors[0].message == "a detector slipped"
        state = driven(state, usual())
        assert (state.status, state.quality_gate) == ("completed", "fail")


class TestFixes:
    def test_one_that_does_not_hold_is_not_proposed_again(self) -> None:
        state = ended(
            in_files(offered(), "FIX-001"), VERIFY, verified(in_files(offered(), "FIX-001"), "FIX-001", passed=False)
        )
        (entry,) = state.applied_fixes
        assert (entry.success, entry.verification_result, entry.rollback_available) == (False, "fail", False)
        assert state.engine.rejected == {ONE.fingerprint: "it is still there"}
        assert (state.action_history[-1].result, state.engine.edits) == ("failure", {})
        assert {issue.description for issue in state.issues} == {"one is wrong", "two is wrong"}

    @pytest.mark.parametrize(("again", "rejected"), [(False, {ONE.fingerprint: "it changed"}), (True, {})])
    def test_one_that_does_not_fit_any_more(self, again: bool, rejected: dict[str, str]) -> None:
        step = TuningStep("action-apply-fix", "FIX-001")
        state = ended(offered(), step, RefusalOutcome("FIX-001", "it changed", again))
        assert (state.pending_fixes, state.applied_fixes, state.engine.rejected) == (("FIX-002",), (), rejected)
        assert (state.action_history[-1].result, state.error_count) == ("skipped", 0)

    def test_what_is_applied_is_told_as_it_was(self) -> None:
        state = offered()
        outcome = applied(state, "FIX-001")
        other = outcome.fix.evolve(description="moved by two lines")
        state = ended(
            state,
            TuningStep("action-apply-fix", "FIX-001"),
            type(outcome)(other, "b", outcome.edits, {"SKILL.md": None}),
        )
        assert state.proposed_fixes[0] == other
        assert state.engine.digests == {}, "the file is gone"
        assert [*state.engine.edits] == ["FIX-001"]

    def test_issues_keep_their_ids(self) -> None:
        state = in_files(offered(), "FIX-001")
        before = {issue.description: issue.id for issue in state.issues}
        worse = finding("three", "memory", "critical")
        state = ended(state, VERIFY, VerifyOutcome("FIX-001", True, (), (TWO, worse), {}))
        assert {i.description: i.id for i in state.issues} == {
            "three is wrong": "ISS-003", "two is wrong": before["two is wrong"],
        }  # fmt: skip
        state = ended(state, "action-next-iteration", IterationOutcome())
        state = ended(state, DIAGNOSES["dataflow"], diagnosed("dataflow", ONE))
        assert {i.description: i.id for i in state.issues}["one is wrong"] == before["one is wrong"], "it came back"

    def test_a_proposal_for_nothing_else(self) -> None:
        state = ended(fixing(), "action-propose-fixes", ProposalOutcome((), {ONE.fingerprint: "nobody knows how"}))
        assert state.engine.rejected == {ONE.fingerprint: "nobody knows how"}


class TestErrors:
    def failing(self, recoverable: bool, state: TuningState) -> TuningState:
        """Every step fails from here on, also the last one."""
        return driven(state, lambda s, step: FailureOutcome(f"{step.name} broke", recoverable=recoverable))

    def test_three_are_the_end(self) -> None:
        state = created()
        for n in range(3):
            assert (state.status in FINISHED, state.error_count) == (False, n)
            state = ended(state, "action-init", FailureOutcome(f"no {n}", recoverable=True))
        state = ended(state, "action-fail", EndOutcome(failed=True))
        assert (state.status, state.engine.outcome) == ("failed", "failed")
        assert state.failure_reason == "3 errors happened, the maximum for a session; the last one: no 2"

    def test_one_that_no_other_try_helps_against_is_told_as_what_it_is(self) -> None:
        state = ended(created(), "action-init", FailureOutcome("there is no SKILL.md in skills/a", recoverable=False))
        assert next_steps(state) == (TuningStep("action-fail"),)
        state = ended(state, "action-fail", EndOutcome(failed=True))
        assert state.failure_reason == "action-init failed: there is no SKILL.md in skills/a"

    @pytest.mark.parametrize("recoverable", [True, False])
    def test_a_session_ends_even_where_nothing_works(self, recoverable: bool) -> None:
        for state in (created(), fixing(), offered(), in_files(offered(), "FIX-001")):
            end = self.failing(recoverable, state)
            assert (end.status, end.errors[-1].action) == ("failed", "action-fail")

    def test_what_could_not_be_put_back_is_left_to_be(self) -> None:
        state = self.failing(True, in_files(offered(), "FIX-001"))
        assert state.engine.undo == ("FIX-001",)
        assert state.applied_fixes[0].verification_result == "fail"
        assert state.failure_reason is not None
        assert state.failure_reason.startswith("3 errors happened")
        assert state.failure_reason.endswith("; and not everything was restored: action-fail broke")

    def test_a_fix_that_can_not_be_written_leaves_the_others(self) -> None:
        step = TuningStep("action-apply-fix", "FIX-001")
        state = ended(offered(), step, FailureOutcome("it is read-only", recoverable=False))
        assert (state.pending_fixes, state.error_count) == (("FIX-002",), 1)
        assert next_steps(state) == (TuningStep("action-apply-fix", "FIX-002"),)

    def test_only_the_last_ones_are_kept_and_all_are_counted(self) -> None:
        state = created().evolve(max_errors=2 * ERRORS_KEPT)
        for n in range(ERRORS_KEPT + 5):
            state = ended(state, "action-init", FailureOutcome(f"no {n}", recoverable=True))
        assert (len(state.errors), state.error_count, state.errors[0].message) == (ERRORS_KEPT, ERRORS_KEPT + 5, "no 5")

    def test_the_history_is_bounded(self) -> None:
        state = created()
        for _ in range(HISTORY_KEPT + 5):
            state = ended(state, "action-init", InterruptionOutcome("the runner died"))
        assert (len(state.action_history), state.error_count) == (HISTORY_KEPT, 0)
        assert state.action_history[-1].result == "skipped"
        assert state.completed_actions == ()


def test_what_a_step_cost_is_charged() -> None:
    step = TuningStep("action-init")
    incident = Incident(kind="x", message="y", at=AT)
    done = TuningStepDone(
        step=step, outcome=SCOPED, begun=AT, at=LATER, elapsed=1.5, incidents=(incident,), usage=Usage(tokens=100),
        files=("report.md",),
    )  # fmt: skip
    state = end_step(begin_step(created(), step, AT), done)
    assert (state.engine.budget.spent_seconds, state.engine.budget.tokens) == (1.5, 100)
    assert state.engine.incidents == (incident,)
    assert state.action_history[0].output_files == ("report.md",)


def test_priorities_follow_the_words_of_the_user() -> None:
    found = (finding("alpha", severity="high"), finding("beta", severity="high"), finding("gamma"))
    asked = diagnosed_all(created(description="it forgets beta"), *found)
    assert [(issue.priority, issue.description) for issue in asked.issues][::2] == [
        (1, "beta is wrong"), (3, "gamma is wrong"),
    ]  # fmt: skip
    again = edit(asked, {"user_issue_description": "alpha is odd"})
    again = ended(again, "action-next-iteration", IterationOutcome())
    again = ended(again, DIAGNOSES["dataflow"], diagnosed("dataflow", *found))
    assert again.issues[0].description == "alpha is wrong"


OUTCOMES: tuple[TuningOutcome, ...] = (InterruptionOutcome("killed"), FailureOutcome("no", recoverable=True))


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: type(outcome).__name__)
def test_a_step_that_came_to_nothing_is_chosen_again(outcome: TuningOutcome) -> None:
    for state in (created(), fixing(), offered(), in_files(offered(), "FIX-001")):
        (step,) = next_steps(state)
        assert next_steps(ended(state, step, outcome)) == (step,)
