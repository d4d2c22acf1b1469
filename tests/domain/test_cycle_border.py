"""The border of an iteration: what is an issue, who hears of it, and what becomes work. Tables over the rules."""

import pytest

from loopwright.core.outcomes import ActionFailed, ValidationOutcome
from loopwright.core.state import Baseline, BaselineTest, Budget
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.boundary import MOST_MENDS, collect_feedback, issues_found, next_iteration
from loopwright.workflows.cycle.model import Blocker, CycleState
from loopwright.workflows.cycle.outcomes import BaselineOutcome, CycleOutcome, ImplementationOutcome, JudgementOutcome
from loopwright.workflows.cycle.reducer import reduce_aggregation
from tests.domain.cycle_making import AT, TREE, driven, judged, report, running

A, B = "tests/test_a.py::test_one", "tests/test_b.py::test_two"


def measured(
    *reasons: str, failing: tuple[str, ...] = (), vas: PhaseReport | None = None, found: bool = True
) -> JudgementOutcome:
    was = judged(*failing)
    validated = was.validated
    return JudgementOutcome(
        ValidationOutcome(
            TREE,
            TREE,
            not reasons,
            found,
            validated.results if found else (),
            80.0,
            reasons=reasons,
        ),
        vas or report("vas"),
    )


def at_border(outcome: JudgementOutcome | None = None, limit: int = 1, **special: CycleOutcome) -> CycleState:
    """A cycle that came to rest at its first border."""
    outcomes: dict[str, CycleOutcome] = dict(special)
    if outcome is not None:
        outcomes["vas.validate"] = outcome
    return driven(running(max_iterations=limit), outcomes)


FAILING = measured("2 failed: a, b", "33.3 % of the tests pass, 100 % are required", failing=(A, B))
OBJECTS = report("vas", "failed", issues=["R2 is not met"])

ISSUES: list[tuple[str, JudgementOutcome, tuple[str, ...]]] = [
    ("all green", measured(), ()),
    ("all green, and worries beside a success", measured(vas=report("vas", issues=["it could be nicer"])), ()),
    ("failing tests", FAILING, ("2 failed: a, b", "33.3 % of the tests pass, 100 % are required")),
    ("failing tests, which vas calls a success", measured("1 failed: a", failing=(A,)), ("1 failed: a",)),
    ("vanished tests", measured("1 of the first run missing: a"), ("1 of the first run missing: a",)),
    ("a threshold", measured("coverage is 3.0 %, 80 % is required"), ("coverage is 3.0 %, 80 % is required",)),
    ("green, and vas objects", measured(vas=OBJECTS), ("vas: R2 is not met",)),
    (
        "vas objects without a word",
        measured(vas=report("vas", "failed", summary="")),
        ("vas: the result is not accepted",),
    ),
    (
        "a validation without reasons",
        JudgementOutcome(ValidationOutcome(TREE, TREE, False, True, (), 0.0), report("vas")),
        ("the tests do not pass",),
    ),
    ("the same twice", measured("x", "x"), ("x",)),
]


@pytest.mark.parametrize(("what", "outcome", "issues"), ISSUES, ids=[row[0] for row in ISSUES])
def test_what_is_an_issue(what: str, outcome: JudgementOutcome, issues: tuple[str, ...]) -> None:
    state = at_border(outcome)
    assert state.iterations[-1].issues_found == issues
    assert state.iterations[-1].resolved == (not issues)
    assert state.engine.outcome == ("exhausted" if issues else "succeeded")
    assert all(issue in (state.failure_reason or "") for issue in issues)


def test_a_role_that_failed_and_a_task_that_did_are_issues() -> None:
    state = driven(running(max_iterations=1), {"ep.explore": ActionFailed("it burns")})
    assert state.iterations[-1].issues_found == ("ep.explore failed: it burns",)
    gave_up = ImplementationOutcome(report("cd", "failed", summary="too hard"), False)
    state = driven(running(max_iterations=1), {"cd.implement TASK-001": gave_up})
    assert state.iterations[-1].issues_found == ("BLK-001: TASK-001 failed: too hard",)
    assert [(b.reported_by, b.status) for b in state.coordination.blockers] == [("cd", "open")]


def test_a_tree_that_nobody_validated_is_an_issue() -> None:
    state = at_border(measured())
    assert issues_found(state, TREE) == ()
    assert issues_found(state, "another") == ("what is there now was not validated",)


def test_a_role_that_gave_no_judgement_has_failed_and_the_numbers_stay() -> None:
    unjudged = JudgementOutcome(measured().validated, PhaseReport(phase="vas", status="none"), unjudged="it died")
    state = at_border(unjudged)
    assert state.iterations[-1].issues_found == ("vas gave no judgement: it died",)
    assert state.agents.vas.error == "it died"
    assert state.test_results is not None
    assert state.test_results.pass_rate == 100
    assert collect_feedback(state, AT) == (), "cd can do nothing about it"


def test_tests_that_are_all_gone_are_no_project_without_tests() -> None:
    assert at_border(measured("no tests were found", found=False)).engine.outcome == "exhausted"
    none = {"vas.baseline": BaselineOutcome(False, None, None)}
    state = driven(
        running(max_iterations=1), {**none, "vas.validate": measured("no test command is known", found=False)}
    )
    assert (state.status, state.engine.outcome) == ("completed", "unverified")


def opened_after(outcome: JudgementOutcome) -> CycleState:
    """The second iteration, as it begins after this validation."""
    state = at_border(outcome)
    return next_iteration(
        state.evolve(
            status="running", completed_at=None, failure_reason=None, engine=state.engine.evolve(outcome=None)
        ),
        AT,
        feedback=collect_feedback(state, AT),
    )


def mends(state: CycleState) -> list[str]:
    assert state.plan is not None
    return [task.description for task in state.plan.tasks if task.id in state.engine.mends]


class TestRouting:
    def test_one_validation_is_one_bug_report(self) -> None:
        (entry,) = collect_feedback(at_border(FAILING), AT)
        assert (entry.source, entry.target, entry.type) == ("vas", "cd", "bug_report")
        assert entry.content == f"2 failing tests: {A}, {B}; 33.3 % of the tests pass, 100 % are required"

    def test_missing_coverage_goes_to_cd(self) -> None:
        (entry,) = collect_feedback(at_border(measured("coverage is 3.0 %, 80 % is required")), AT)
        assert (entry.source, entry.target, entry.type, entry.content) == (
            "vas",
            "cd",
            "bug_report",
            "coverage is 3.0 %, 80 % is required",
        )

    def test_what_vas_objects_to_goes_to_cd(self) -> None:
        (entry,) = collect_feedback(at_border(measured(vas=OBJECTS)), AT)
        assert (entry.source, entry.target, entry.type, entry.content) == ("vas", "cd", "bug_report", "R2 is not met")

    @pytest.mark.parametrize(
        ("by", "words", "targets"),
        [
            ("cd", "which key?", ["ra"]),
            ("cd", "the plan leaves it open", ["ra", "ep"]),
            ("cd", "计划里没有", ["ra", "ep"]),
            ("ep", "which key?", ["ra"]),
            ("vas", "the plan is odd", ["ra"]),
            ("ra", "nobody says", []),
        ],
    )
    def test_blockers(self, by: str, words: str, targets: list[str]) -> None:
        state = at_border(measured())
        coordination = state.coordination.evolve(blockers=(Blocker(id="BLK-001", description=words, reported_by=by),))
        state = running().evolve(coordination=coordination)
        entries = collect_feedback(state, AT)
        assert [entry.target for entry in entries] == targets
        assert all((e.source, e.type, e.content) == (by, "clarification", f"BLK-001: {words}") for e in entries)

    def test_what_a_user_adds_goes_to_ra_alone(self) -> None:
        state = at_border(measured("1 failed: a", failing=(A,)))
        state = state.evolve(
            status="running", completed_at=None, failure_reason=None, engine=state.engine.evolve(outcome=None)
        )
        state = next_iteration(state, AT, extension="and politely")
        assert state.engine.called == ("ra",)
        entry = state.coordination.feedback_log[-1]
        assert (entry.source, entry.target, entry.type, entry.content) == (
            "user",
            "ra",
            "requirement_update",
            "and politely",
        )

    def test_a_fix_is_confirmed_to_cd(self) -> None:
        state = opened_after(measured("1 failed: a", failing=(A,)))
        state = driven(state, {"vas.validate": judged(passing=(A,))})
        entry = state.coordination.feedback_log[-1]
        assert (entry.source, entry.target, entry.type) == ("vas", "cd", "issue_fix")
        assert entry.content == f"1 test failed before and passes now: {A}"


class TestMends:
    def test_a_task_for_each_file_of_failing_tests(self) -> None:
        state = opened_after(FAILING)
        assert mends(state) == [f"Make these tests pass: {A}", f"Make these tests pass: {B}"]
        assert state.plan is not None
        assert [task.id for task in state.plan.tasks] == ["TASK-001", "TASK-002", "TASK-003"]
        assert state.engine.called == ()

    def test_not_more_than_can_be_carried_out(self) -> None:
        failing = tuple(f"tests/test_{n}.py::test_x" for n in range(100))
        words = mends(opened_after(measured("100 failed: …", failing=failing)))
        assert len(words) == MOST_MENDS
        assert words[-1].endswith("and 71 more")

    @pytest.mark.parametrize(
        ("outcome", "words"),
        [
            (
                measured("coverage is 3.0 %, 80 % is required"),
                "Mend what the validation found: coverage is 3.0 %, 80 % is required",
            ),
            (measured(vas=OBJECTS), "Mend what vas says against the result: R2 is not met"),
        ],
    )
    def test_what_else_there_is(self, outcome: JudgementOutcome, words: str) -> None:
        assert mends(opened_after(outcome)) == [words]

    def test_a_clean_one_makes_none(self) -> None:
        assert mends(opened_after(measured())) == []

    def test_failures_of_the_first_run_are_nobodys_where_only_new_ones_count(self) -> None:
        known = Baseline(tree=TREE, at=AT, tests={A: BaselineTest(status="failed"), B: BaselineTest(status="passed")})
        state = at_border(measured("1 failed that did not fail in the first run: b", failing=(A, B)))
        loose = state.engine.settings.evolve(require="no_new_failures")
        state = state.evolve(engine=state.engine.evolve(baseline=known, settings=loose))
        (entry,) = collect_feedback(state, AT)
        assert entry.content == f"1 failing test: {B}"


class TestEnds:
    def test_a_budget_that_is_used_up(self) -> None:
        state = running()
        state = state.evolve(engine=state.engine.evolve(budget=Budget(max_tokens=10, tokens=10)))
        state = reduce_aggregation(state, TREE, AT)
        assert state.engine.outcome == "over_budget"
        assert "what is there now was not validated" in (state.failure_reason or "")

    def test_the_same_tree_with_the_same_issues_is_a_stall(self) -> None:
        state = driven(running(max_iterations=9), {"vas.validate": measured("1 failed: a", failing=(A,))})
        assert (state.engine.outcome, state.current_iteration) == ("stalled", 2)

    def test_a_pause_keeps_the_border_for_later(self) -> None:
        state = running().evolve(status="paused")
        assert reduce_aggregation(state, TREE, AT) == state

    def test_a_queued_extension_goes_on_at_the_limit_and_when_all_is_clean(self) -> None:
        state = running(max_iterations=1)
        state = state.evolve(engine=state.engine.evolve(queue=("one", "two")))
        state = reduce_aggregation(state, TREE, AT)
        assert (state.current_iteration, state.max_iterations, state.engine.queue) == (2, 2, ("two",))
        assert state.iterations[-1].extension == "one"
