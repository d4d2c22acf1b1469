"""What each outcome does to a state, fold by fold."""

from typing import get_args

import pytest

from loopwright.core.errors import Conflict
from loopwright.core.names import LoopStatus
from loopwright.core.outcomes import ActionFailed, Change, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.protocol import Usage
from loopwright.core.state import CHECKPOINTS_KEPT, SIGHTINGS_KEPT, Baseline, Checkpoint, LoopTask, RunSettings, Waiting
from loopwright.evidence.debugging import list_tried_fixes
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.workflows.loop.commands import reopen, resume, stop
from loopwright.workflows.loop.model import ERRORS_KEPT, LoopState, SkillState
from loopwright.workflows.loop.outcomes import ActionOutcome, CompleteOutcome, DebugOutcome, DevelopOutcome
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import ROUNDS, LoopFacts, NextAction, next_action, normalise_state
from tests.domain.loop_making import (
    AT,
    LATER,
    completed,
    confirmed,
    debugged,
    developed,
    engine,
    hypothesis,
    initialised,
    key,
    loop,
    result,
    step,
    task,
    validated,
)


def skill(state: LoopState) -> SkillState:
    assert state.skill_state is not None
    return state.skill_state


def after(state: LoopState, *steps: tuple[str, ActionOutcome], can_write: bool = True) -> LoopState:
    """The state after these actions ended, each with a token of its own."""
    for action, outcome in steps:
        token = f"{len(skill(state).completed_actions) if state.skill_state else 0:08x}"
        state = end_action(state, step(action, outcome, can_write=can_write, token=token))
    return state


def statuses(state: LoopState) -> dict[str, str]:
    return {t.id: t.status for t in skill(state).develop.tasks}


BEGUN = after(loop("running"), ("INIT", initialised(task("T0"), task("T1"))))
WORKING = begin_action(BEGUN, NextAction("DEVELOP", 6, None, "T0"))
RED = after(BEGUN, ("DEVELOP", developed("T0")), ("DEVELOP", developed("T1")), ("VALIDATE", validated(failing=["a"])))


@pytest.mark.parametrize("action", ["INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"])
def test_current_action_is_set_by_the_beginning_and_cleared_by_the_end(action: str) -> None:
    outcomes: dict[str, ActionOutcome] = {
        "INIT": initialised(), "DEVELOP": developed("T0"), "DEBUG": debugged(), "VALIDATE": validated(),
        "COMPLETE": completed("exhausted", "the limit"),
    }  # fmt: skip
    choice = NextAction(action, 0, None, "T0" if action == "DEVELOP" else None)  # type: ignore[arg-type]  # all five
    begun = begin_action(BEGUN, choice)
    assert skill(begun).current_action == action.lower()
    assert skill(begun).last_action == "INIT"
    ended = skill(end_action(begun, step(action, outcomes[action])))
    assert ended.current_action == ("complete" if action == "COMPLETE" else None)
    assert (ended.last_action, ended.completed_actions) == (action, ("INIT", action))


def test_init_begins_the_runners_part_in_the_mode_of_the_loop() -> None:
    for mode in ("auto", "interactive"):
        begun = begin_action(engine(loop("running"), settings=RunSettings(mode=mode)), NextAction("INIT", 5))
        assert (skill(begun).mode, skill(begun).current_action, skill(begun).last_action) == (mode, "init", None)


def test_init_appends_its_tasks_behind_those_that_came_meanwhile() -> None:
    state = engine(loop("running"), tasks=(task("api", order=7),))
    state = after(state, ("INIT", initialised(task("p1"), task("p2"))))
    assert [(t.task_id, t.order) for t in state.engine.tasks] == [("api", 7), ("p1", 8), ("p2", 9)]
    assert [t.id for t in skill(state).develop.tasks] == ["api", "p1", "p2"]
    assert (state.engine.tests_found, state.engine.settings.test_command) == (True, "pytest")
    assert state.current_iteration == 0


# DEVELOP, DEBUG and VALIDATE use up an iteration, failed ones too; nothing else does.
COUNTS: list[tuple[str, ActionOutcome, int]] = [
    ("INIT", initialised(), 0),
    ("DEVELOP", developed("T0"), 1),
    ("DEVELOP", developed("T0", ok=False), 1),
    ("DEBUG", debugged(), 1),
    ("VALIDATE", validated(), 1),
    ("VALIDATE", validated(failing=["a"]), 1),
    ("COMPLETE", completed(), 0),
    ("COMPLETE", validated(counted=False), 0),
    ("COMPLETE", validated(failing=["a"], counted=False), 0),
    ("INIT", ActionFailed("no"), 0),
    ("DEVELOP", ActionFailed("no"), 1),
    ("DEBUG", ActionFailed("no"), 1),
    ("VALIDATE", ActionFailed("no"), 1),
    ("COMPLETE", ActionFailed("no"), 0),
    ("DEVELOP", NeedsInput("which?"), 1),
    ("INIT", NeedsInput("which?"), 0),
    ("DEVELOP", Interrupted("a person"), 0),
    ("VALIDATE", Interrupted("a person"), 0),
    ("DEVELOP", LimitReached("usage limit"), 0),
    ("DEBUG", LimitReached("usage limit"), 0),
]


@pytest.mark.parametrize(("action", "outcome", "uses"), COUNTS, ids=lambda v: type(v).__name__)
def test_what_uses_up_an_iteration(action: str, outcome: ActionOutcome, uses: int) -> None:
    assert end_action(WORKING, step(action, outcome)).current_iteration == uses


def test_a_developed_task_is_completed_with_its_files_or_failed() -> None:
    good = after(WORKING, ("DEVELOP", developed("T0")))
    assert statuses(good) == {"T0": "completed", "T1": "pending"}
    done = skill(good).develop
    assert (done.total, done.completed, done.current_task, done.last_progress_at) == (2, 1, "T0", LATER)
    assert (done.tasks[0].files_changed, done.tasks[0].completed_at) == (("ledger.py",), LATER)
    bad = after(WORKING, ("DEVELOP", developed("T0", ok=False)))
    assert statuses(bad) == {"T0": "failed", "T1": "pending"}
    assert bad.status == "running"


def test_a_task_that_vanished_or_ended_before_its_beginning_is_not_begun() -> None:
    choice = NextAction("DEVELOP", 6, None, "T0")
    for state in (engine(BEGUN, tasks=BEGUN.engine.tasks[1:]), after(BEGUN, ("DEVELOP", developed("T0")))):
        with pytest.raises(Conflict, match="T0"):
            begin_action(state, choice)


def test_nothing_waits_for_a_task_that_was_dropped() -> None:
    planned, waiting = task("T0", planned=True), task("T1", depends_on=("T0",))
    undone = DevelopOutcome("T0", True, "nothing to do", (), undone=True)
    state = after(loop("running"), ("INIT", initialised(planned, waiting)), ("DEVELOP", undone), ("DEVELOP", undone))
    assert [(t.task_id, t.depends_on) for t in state.engine.tasks] == [("T1", None)]
    choice = next_action(state, LoopFacts("t", True))
    assert choice is not None
    assert choice.task == "T1"


@pytest.mark.parametrize(
    ("on_error", "status", "outcome"), [(None, "running", None), ("continue", "running", None),
                                        ("pause", "paused", None), ("fail_fast", "failed", "failed")],
)  # fmt: skip
def test_a_failed_task_does_what_it_was_told_to(on_error: str | None, status: str, outcome: str | None) -> None:
    definitions = tuple(t.evolve(on_error=on_error) for t in WORKING.engine.tasks)
    ended = after(engine(WORKING, tasks=definitions), ("DEVELOP", developed("T0", ok=False)))
    assert (ended.status, ended.engine.outcome) == (status, outcome)
    assert statuses(ended)["T0"] == "failed"
    if status == "failed":
        assert ended.failure_reason == "task T0 failed: it did not compile"


def test_a_validation_is_kept_with_its_figures() -> None:
    results = (result("a"), result("b"), result("c", "failed"), result("d", "skipped"))
    state = after(BEGUN, ("VALIDATE", validated("t1", results=results, passed=False, coverage=71.5, left="t2")))
    section = skill(state).validate_
    assert (section.pass_rate, section.coverage, section.passed) == (66.67, 71.5, False)
    assert (section.failed_tests, section.test_results, section.last_run_at) == ((key("c"),), results, LATER)
    kept = state.engine.last_validation
    assert kept is not None
    assert (kept.tree, kept.left, kept.passed, kept.tests, kept.at) == ("t1", "t2", False, 4, LATER)


def test_a_validation_of_nothing_has_a_rate_of_nothing() -> None:
    state = after(BEGUN, ("VALIDATE", validated(results=(), passed=False, tests_found=False, coverage=0.0)))
    assert (skill(state).validate_.pass_rate, skill(state).validate_.passed) == (0.0, False)


def test_a_pass_in_spite_of_old_failures_lands_and_leaves_nothing_to_repair() -> None:
    old = (result("green"), result("red_for_years", "failed"))
    state = after(BEGUN, ("DEVELOP", developed("T0")), ("DEVELOP", developed("T1")),
                  ("VALIDATE", validated(results=old, passed=True)))  # fmt: skip
    section = skill(state).validate_
    assert (section.passed, section.failed_tests, section.pass_rate) == (True, (), 50.0)
    assert next_action(state, LoopFacts("t0")) == NextAction("COMPLETE", 3, "succeeded")


def test_the_first_baseline_stays() -> None:
    first, second = (Baseline(tree=tree, at=AT) for tree in ("b1", "b2"))
    state = after(BEGUN, ("VALIDATE", validated(baseline=first)), ("VALIDATE", validated(baseline=second)))
    assert state.engine.baseline == first


def test_a_failing_validation_takes_the_confirmed_cause_back_with_the_reason() -> None:
    state = after(RED, ("DEBUG", debugged("H1")), ("VALIDATE", validated("t1", ["a"], reasons=("1 failed: a",))))
    assert skill(state).debug.confirmed_hypothesis is None
    found = skill(state).debug.hypotheses[0]
    assert (found.status, found.evidence) == ("inconclusive", {})
    assert found.verdict_reason == "the fix was applied, but validation still failed: 1 failed: a"


def test_a_passing_validation_keeps_the_confirmed_cause() -> None:
    state = after(RED, ("DEBUG", debugged("H1")), ("VALIDATE", validated("t1")))
    assert skill(state).debug.confirmed_hypothesis == "H1"
    assert skill(state).debug.hypotheses[0].status == "confirmed"


def test_a_green_validation_below_a_threshold_keeps_it_too() -> None:
    below = validated("t1", passed=False, below_threshold=True, reasons=("coverage is 40.0 %",))
    state = after(RED, ("DEBUG", debugged("H1")), ("VALIDATE", below))
    assert skill(state).debug.confirmed_hypothesis == "H1"


def test_a_cause_whose_own_tests_are_green_now_stays_true_while_others_fail() -> None:
    fix = DebugOutcome((confirmed("H1", fixes=[key("a")]),), "bug", "H1", "fixed a")
    results = (result("a"), result("b", "failed"))
    state = after(RED, ("DEBUG", fix), ("VALIDATE", validated("t1", results=results, passed=False)))
    assert skill(state).debug.confirmed_hypothesis is None
    assert skill(state).debug.hypotheses[0].status == "confirmed"


def plausible(**evidence: object) -> DebugOutcome:
    """A patch that was applied, though the tests leave open which of several edits is right: none is confirmed."""
    known = {"fixes": [key("a")], "after": "c1", "fingerprint": "f1", "validated": None, **evidence}
    cause = hypothesis("H1", status="inconclusive", evidence=known, verdict_reason="plausible, one of 21")
    return DebugOutcome((cause,), "bug", None, "fixed a", (Change("a.py", "modify"),))


def test_a_patch_that_is_only_plausible_is_judged_as_well() -> None:
    stands = skill(after(RED, ("DEBUG", plausible()), ("VALIDATE", validated("t1")))).debug.hypotheses[0]
    assert (stands.evidence or {})["validated"] is True
    assert (stands.status, stands.verdict_reason) == ("inconclusive", "plausible, one of 21")
    assert list_tried_fixes((stands,)) == ()
    fails = ("VALIDATE", validated("t1", ["a"], reasons=("1 failed: a",)))
    refuted = skill(after(RED, ("DEBUG", plausible()), fails)).debug.hypotheses[0]
    assert (refuted.evidence or {})["validated"] is False
    assert "validation still failed" in (refuted.verdict_reason or "")
    assert list_tried_fixes((refuted,)) == ("f1",)


def test_a_patch_is_judged_once() -> None:
    fails = ("VALIDATE", validated("t2", ["a"], reasons=("1 failed: a",)))
    state = after(RED, ("DEBUG", plausible()), ("VALIDATE", validated("t1")), fails)
    assert (skill(state).debug.hypotheses[0].evidence or {})["validated"] is True


@pytest.mark.parametrize("named", [hypothesis("H1"), confirmed("H2")])
def test_a_confirmed_cause_without_evidence_or_without_a_hypothesis_does_not_lose_the_validation(
    named: Hypothesis,
) -> None:
    """Foreign states hold both: a name that nothing stands behind."""
    odd = after(RED, ("DEBUG", DebugOutcome((named,), None, "H1", "?")), ("VALIDATE", validated("t1", ["a"])))
    assert skill(odd).validate_.failed_tests == (key("a"),)
    assert skill(odd).debug.confirmed_hypothesis is None


def own_tasks(state: LoopState) -> tuple[LoopTask, ...]:
    """Tasks that neither INIT nor a person made."""
    return tuple(t for t in state.engine.tasks if t.task_id not in ("T0", "T1"))


NO_TESTS = validated(results=(), passed=False, tests_found=False)
BELOW = validated(passed=False, below_threshold=True, reasons=("coverage is 40.0 %, 80 % is required",))


@pytest.mark.parametrize(
    ("outcome", "words"), [(NO_TESTS, "Write automated tests"), (BELOW, "coverage is 40.0 %, 80 % is required")]
)
def test_missing_tests_or_a_missed_threshold_make_one_task_once_per_loop(
    outcome: ValidationOutcome, words: str
) -> None:
    state = after(BEGUN, ("VALIDATE", outcome))
    (made,) = own_tasks(state)
    assert words in made.description
    assert (made.tool, statuses(state)[made.task_id]) == ("auto", "pending")
    assert [t.task_id for t in sorted(state.engine.tasks, key=lambda t: t.order)][-1] == made.task_id
    again = after(state, ("VALIDATE", NO_TESTS), ("VALIDATE", BELOW))
    assert own_tasks(again) == (made,)
    assert own_tasks(after(reopen(stop(again, LATER)), ("VALIDATE", BELOW))) == (made,)


@pytest.mark.parametrize("outcome", [NO_TESTS, BELOW])
def test_no_task_is_made_for_an_agent_that_can_not_write(outcome: ValidationOutcome) -> None:
    assert own_tasks(after(BEGUN, ("VALIDATE", outcome), can_write=False)) == ()


def test_the_fifth_fruitless_round_makes_one_task_from_the_failures_once() -> None:
    state = RED
    for n in range(ROUNDS):
        assert own_tasks(state) == ()
        assert state.engine.debug_rounds == n
        state = after(state, ("DEBUG", debugged(changed=False)))
    (made,) = own_tasks(state)
    assert made.description == f"Debugging has not found the cause. Make these tests pass: {key('a')}"
    assert next_action(state, LoopFacts("t0")) == NextAction("DEVELOP", 6, None, made.task_id)
    again = after(state, ("DEBUG", debugged(changed=False)), ("VALIDATE", validated("t9", ["a"])))
    assert own_tasks(again) == (made,)


def test_whether_the_fifth_round_was_fruitless_is_for_the_validation_to_say() -> None:
    state = after(RED, *[("DEBUG", debugged(changed=False))] * (ROUNDS - 1), ("DEBUG", debugged("H1")))
    assert own_tasks(state) == ()
    fixed = after(state, ("VALIDATE", validated("t1")))
    assert own_tasks(fixed) == ()
    assert next_action(fixed, LoopFacts("t1")) == NextAction("COMPLETE", 3, "succeeded")
    assert len(own_tasks(after(state, ("VALIDATE", validated("t1", ["a"]))))) == 1


def test_a_round_after_which_nothing_is_left_counts_as_the_fifth() -> None:
    state = after(RED, ("DEBUG", DebugOutcome((hypothesis(),), None, None, "all was tried", nothing_left=True)))
    assert state.engine.debug_rounds == ROUNDS
    (made,) = own_tasks(state)
    assert next_action(state, LoopFacts("t0")) == NextAction("DEVELOP", 6, None, made.task_id)
    shrunk = after(state, ("VALIDATE", validated("t1")), ("VALIDATE", validated("t2", ["b"])))
    assert next_action(shrunk, LoopFacts("t2")) == NextAction("DEVELOP", 6, None, made.task_id)
    assert shrunk.engine.debug_rounds == 0, "what breaks next may be looked into again"


def test_a_task_that_paused_its_loop_is_tried_again_once_and_only_if_it_failed() -> None:
    definitions = tuple(t.evolve(on_error="pause") for t in WORKING.engine.tasks)
    paused = after(engine(WORKING, tasks=definitions), ("DEVELOP", developed("T0", ok=False)))
    assert (paused.status, statuses(paused)["T0"], paused.engine.retry) == ("paused", "failed", ("T0",))
    resumed = resume(paused, live=False)
    assert next_action(resumed, LoopFacts("t0")) == NextAction("DEVELOP", 6, None, "T0")
    begun = begin_action(resumed, NextAction("DEVELOP", 6, None, "T0"))
    assert begun.engine.retry == ()
    done = engine(after(begun, ("DEVELOP", developed("T0"))), retry=("T0",))
    assert statuses(normalise_state(done))["T0"] == "completed"


def test_the_last_resort_names_ten_failures_at_most() -> None:
    names = [f"n{i:02}" for i in range(12)]
    state = after(BEGUN, ("VALIDATE", validated(failing=names)), *[("DEBUG", debugged(changed=False))] * ROUNDS)
    (made,) = own_tasks(state)
    assert made.description.endswith(f"{key('n09')} and 2 more")


def test_no_last_resort_without_failing_tests_or_without_a_writing_agent() -> None:
    green = after(BEGUN, ("VALIDATE", validated()), *[("DEBUG", debugged(changed=False))] * ROUNDS)
    assert own_tasks(green) == ()
    assert own_tasks(after(RED, *[("DEBUG", debugged(changed=False))] * ROUNDS, can_write=False)) == ()


def rounds_after(*failing: list[str]) -> list[int]:
    """The count of fruitless rounds after each of these validations, with one DEBUG before each but the first."""
    state, counts = after(BEGUN, ("VALIDATE", validated("t0", failing[0]))), []
    for n, names in enumerate(failing[1:], 1):
        state = after(state, ("DEBUG", debugged()), ("VALIDATE", validated(f"t{n}", names)))
        counts.append(state.engine.debug_rounds)
    return counts


def test_rounds_count_since_the_set_of_failing_tests_last_shrank() -> None:
    assert rounds_after(["a"], ["a"], ["a"]) == [1, 2]
    assert rounds_after(["a", "b"], ["a", "b"], ["a"], ["a"]) == [1, 0, 1]
    assert rounds_after(["a", "b"], ["a"], ["a", "b"], ["a"]) == [0, 1, 2], "coming back is no progress"
    assert rounds_after(["a"], [], ["b", "c"], ["b"]) == [0, 1, 0], "after green, what breaks next is a new set"


def test_debug_keeps_its_findings_and_counts_every_round() -> None:
    state = after(RED, ("DEBUG", debugged(changed=False)), ("DEBUG", debugged("H1")))
    debug = skill(state).debug
    assert (debug.iteration, debug.hypotheses_count, debug.confirmed_hypothesis) == (2, 1, "H1")
    assert (debug.active_bug, debug.last_analysis_at) == ("total is off by one", LATER)


def test_debug_revives_a_failed_task_once_and_no_other_task() -> None:
    failed = after(WORKING, ("DEVELOP", developed("T0", ok=False)))
    revived = after(failed, ("DEBUG", debugged("H1", revives="T0")))
    assert statuses(revived)["T0"] == "pending"
    again = after(revived, ("DEVELOP", developed("T0", ok=False)), ("DEBUG", debugged("H1", revives="T0")))
    assert statuses(again)["T0"] == "failed"
    done = after(WORKING, ("DEVELOP", developed("T0")), ("DEBUG", debugged("H1", revives="T0")))
    assert statuses(done)["T0"] == "completed"
    assert after(failed, ("DEBUG", debugged("H1", revives="gone"))).status == "running"


def test_an_action_without_an_outcome_is_recorded_and_tried_again() -> None:
    state = after(WORKING, ("DEVELOP", ActionFailed("the agent died twice")))
    assert [(e.action, e.message, e.timestamp) for e in skill(state).errors] == [
        ("DEVELOP", "the agent died twice", LATER)
    ]
    assert (skill(state).current_action, skill(state).last_action) == (None, "INIT")
    assert next_action(state, LoopFacts("t0")) == NextAction("DEVELOP", 6, None, "T0")


def test_a_task_that_fails_twice_is_a_failed_task_and_three_failures_end_the_loop() -> None:
    state = begin_action(after(WORKING, ("DEVELOP", ActionFailed("one"))), NextAction("DEVELOP", 6, None, "T0"))
    state = after(state, ("DEVELOP", ActionFailed("two")))
    assert (statuses(state), state.status) == ({"T0": "failed", "T1": "pending"}, "running")
    state = begin_action(state, NextAction("DEVELOP", 6, None, "T1"))
    state = after(state, ("DEVELOP", ActionFailed("three")))
    assert (state.status, state.engine.outcome) == ("failed", "failed")
    assert state.failure_reason == "3 actions in a row gave no result; the last one, DEVELOP: three"


def test_an_outcome_in_between_starts_the_count_of_failures_anew() -> None:
    no: tuple[str, ActionOutcome] = ("VALIDATE", ActionFailed("no"))
    yes: tuple[str, ActionOutcome] = ("VALIDATE", validated(failing=["a"]))
    state = after(BEGUN, no, no, yes, no, no)
    assert state.status == "running"
    assert after(state, no).status == "failed"


def test_the_last_hundred_errors_are_kept() -> None:
    state = BEGUN
    for n in range(ERRORS_KEPT + 5):
        state = after(state, ("DEBUG", ActionFailed(f"error {n}")), ("VALIDATE", validated(failing=["a"])))
    messages = [e.message for e in skill(state).errors]
    assert (len(messages), messages[0], messages[-1]) == (ERRORS_KEPT, "error 5", "error 104")
    assert len(state.engine.sightings) == SIGHTINGS_KEPT


def test_a_question_pauses_the_loop_and_the_task_is_pending_again() -> None:
    state = after(WORKING, ("DEVELOP", NeedsInput("Which?", ("a", "b"))))
    assert state.status == "paused"
    assert state.engine.waiting == Waiting(question="Which?", options=("a", "b"), since=LATER)
    assert (statuses(state)["T0"], skill(state).current_action) == ("pending", None)


def test_an_interrupted_action_leaves_no_trace_but_its_cost() -> None:
    state = end_action(WORKING, step("DEVELOP", Interrupted("a person"), elapsed=3.5))
    assert (skill(state).current_action, skill(state).completed_actions) == (None, ("INIT",))
    assert (statuses(state)["T0"], state.current_iteration) == ("pending", 0)
    assert state.engine.budget.spent_seconds == 3.5


def test_costs_add_up_and_what_is_unknown_is_not_zero() -> None:
    costs = [Usage(), Usage(tokens=5), Usage(tokens=7, cost=0.25), Usage()]
    state = BEGUN
    for cost in costs:
        state = end_action(state, step("VALIDATE", validated(), elapsed=0.1, usage=cost))
    assert (state.engine.budget.tokens, state.engine.budget.cost) == (12, 0.25)
    assert state.engine.budget.spent_seconds == 0.4
    assert BEGUN.engine.budget.tokens is None


def test_checkpoints_are_numbered_here_and_the_last_ones_kept() -> None:
    state = BEGUN
    for n in range(CHECKPOINTS_KEPT + 3):
        snapshot = Checkpoint(n=0, rev=0, commit=f"c{n}", tree=f"t{n}", action="DEVELOP", at=AT)
        state = end_action(engine(state, rev=n), step("DEBUG", debugged()), snapshot)
    kept = state.engine.checkpoints
    assert [c.n for c in kept] == list(range(4, CHECKPOINTS_KEPT + 4))
    assert (kept[-1].commit, kept[-1].rev) == ("c202", 203)


def test_complete_ends_the_loop_with_its_summary() -> None:
    good = after(after(RED, ("VALIDATE", validated())), ("COMPLETE", completed()))
    assert (good.status, good.engine.outcome, good.completed_at) == ("completed", "succeeded", LATER)
    assert skill(good).summary == completed().summary.evolve(duration=1000 * good.engine.budget.spent_seconds)
    bad = after(RED, ("COMPLETE", completed("exhausted", "nothing is left to try")))
    assert (bad.status, bad.failure_reason, bad.engine.outcome) == ("failed", "nothing is left to try", "exhausted")
    assert skill(bad).summary is not None


def test_the_last_look_lands_with_the_end() -> None:
    looked = CompleteOutcome("succeeded", None, completed().summary, validated("t7"))
    state = after(RED, ("COMPLETE", looked))
    assert state.engine.last_validation is not None
    assert (state.status, state.engine.last_validation.tree, skill(state).validate_.passed) == ("completed", "t7", True)
    assert state.current_iteration == RED.current_iteration


def test_a_task_that_came_during_the_last_look_is_no_success_yet() -> None:
    green = after(RED, ("VALIDATE", validated()))
    late = engine(
        begin_action(green, NextAction("COMPLETE", 3, "succeeded")), tasks=(*green.engine.tasks, task("late", order=9))
    )
    state = after(late, ("COMPLETE", CompleteOutcome("succeeded", None, completed().summary, validated("t1"))))
    assert (state.status, skill(state).current_action, skill(state).summary) == ("running", None, None)
    assert state.engine.last_validation is not None
    assert state.engine.last_validation.tree == "t1"
    assert next_action(state, LoopFacts("t1")) == NextAction("DEVELOP", 6, None, "late")


@pytest.mark.parametrize("status", get_args(LoopStatus))
def test_a_result_lands_whatever_the_status_has_become(status: LoopStatus) -> None:
    """Only API fields follow the status table: what is at rest stays at rest."""
    moved = loop(status, skill_state=WORKING.skill_state, engine=loop(status).engine.evolve(tasks=WORKING.engine.tasks))
    running = status == "running"

    state = after(moved, ("DEVELOP", developed("T0")))
    assert (statuses(state)["T0"], state.status) == ("completed", status)

    state = after(moved, ("VALIDATE", validated(failing=["a"])))
    assert (skill(state).validate_.failed_tests, state.status) == ((key("a"),), status)

    state = after(moved, ("DEBUG", debugged("H1")))
    assert (skill(state).debug.confirmed_hypothesis, state.status) == ("H1", status)

    state = after(moved, ("COMPLETE", completed("exhausted", "the limit")))
    assert skill(state).summary is not None
    assert state.status == ("failed" if running else status)
    assert state.engine.outcome == ("exhausted" if running else moved.engine.outcome)
    assert state.completed_at == (LATER if running else moved.completed_at)

    state = after(moved, ("DEVELOP", NeedsInput("which?")))
    assert state.status == ("paused" if running else status)
    assert (state.engine.waiting is not None) is running

    state = after(moved, *[("VALIDATE", ActionFailed("no"))] * 3)
    assert len(skill(state).errors) == 3
    assert state.status == ("failed" if running else status)

    for wish in ("pause", "fail_fast"):
        wished = engine(moved, tasks=tuple(t.evolve(on_error=wish) for t in moved.engine.tasks))
        state = after(wished, ("DEVELOP", DevelopOutcome("T0", False, "no")))
        assert statuses(state)["T0"] == "failed"
        if not running:
            assert (state.status, state.failure_reason) == (status, moved.failure_reason)


@pytest.mark.parametrize(
    ("outcome", "told", "left"),
    [
        (developed("T0"), "blue", None),
        (developed("T0", ok=False), "blue", None),
        (developed("T0"), None, "blue"),
        (developed("T0"), "an earlier one", "blue"),
        (Interrupted("a person"), "blue", "blue"),
        (LimitReached("usage limit"), "blue", "blue"),
        (ActionFailed("no"), "blue", "blue"),
    ],
)
def test_an_answer_is_forgotten_when_the_action_that_was_told_it_is_over(
    outcome: ActionOutcome, told: str | None, left: str | None
) -> None:
    state = end_action(engine(WORKING, answer="blue"), step("DEVELOP", outcome, told=told))
    assert state.engine.answer == left
