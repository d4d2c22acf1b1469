"""The journal read as a course: steps with their ends, validations with their counts, also from older journals."""

from loopwright.core.course import BROKEN_OFF, count_validation
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.state import Checkpoint
from loopwright.workflows.loop.summary import PlanLine, list_steps, list_validations
from tests.domain.loop_making import AT, LATER, completed, developed, result, validated

COUNTED = {"passed": False, "total": 4, "failed": 1, "skipped": 1, "pass_rate": 66.67, "coverage": 80.0}


def entry(seq: int, type: str, at: str = AT, **data: object) -> JournalEntry:
    return JournalEntry.model_validate(
        {"seq": seq, "ts": at, "actor": "runner", "event": JournalEvent.model_validate({"type": type, "data": data})}
    )


def begun(seq: int, action: str, task: str | None = None) -> JournalEntry:
    return entry(seq, "action_started", action=action, row=1, task=task)


def ended(seq: int, action: str, result: str, **data: object) -> JournalEntry:
    return entry(seq, "action_finished", LATER, action=action, result=result, **data)


def test_what_a_validation_counts() -> None:
    results = (result("a"), result("b"), result("c", "failed"), result("d", "skipped"))
    checked = validated(results=results, passed=False, coverage_files={"a.py": 80.0})
    assert count_validation(checked) == COUNTED
    assert count_validation(validated(results=(), passed=False)) == {
        "passed": False, "total": 0, "failed": 0, "skipped": 0, "pass_rate": None, "coverage": None,
    }  # fmt: skip
    assert count_validation(developed("t1")) is None
    assert count_validation(completed()) is None


def test_steps_with_their_checkpoints_files_and_costs() -> None:
    entries = (
        entry(1, "created"), begun(3, "INIT"), ended(4, "INIT", "4 tests, 1 failing", iteration=0, reasons=[]),
        begun(5, "DEVELOP", "t1"), entry(6, "edited"),
        ended(
            7, "DEVELOP", "completed", iteration=1, tokens=12, cost=0.5,
            changes=[{"file": "ledger.py", "action": "modify", "n": 1}, "forged"],
        ),
        begun(8, "VALIDATE"), ended(9, "VALIDATE", "fail", iteration=2, reasons=["c fails"], tests=COUNTED),
        begun(10, "DEBUG"),
    )  # fmt: skip
    points = (Checkpoint(n=1, rev=4, commit="c1", tree="t", action="INIT", at=AT), Checkpoint(n=2, rev=7, commit="c2", tree="u", action="DEVELOP", at=AT))  # fmt: skip  # noqa: E501
    steps = list_steps(entries, points)
    assert [(s.seq, s.action, s.iteration, s.checkpoint) for s in steps] == [
        (3, "INIT", 0, 1), (5, "DEVELOP", 1, 2), (8, "VALIDATE", 2, None), (10, "DEBUG", 3, None),
    ]  # fmt: skip
    develop, validate, debug = steps[1:]
    assert (develop.task, develop.started_at, develop.ended_at) == ("t1", AT, LATER)
    assert (develop.tokens, develop.cost, [(f.file, f.action) for f in develop.files]) == (
        12,
        0.5,
        [("ledger.py", "modify")],
    )
    assert (validate.result, validate.reasons) == ("fail", ("c fails",))
    assert (debug.ended_at, debug.result) == (None, None)
    (check,) = list_validations(entries)
    assert check.model_dump() == {**COUNTED, "seq": 9, "at": LATER, "iteration": 2, "reasons": ("c fails",)}


def test_a_step_whose_runner_died_is_broken_off_and_costs_no_iteration() -> None:
    entries = (
        begun(3, "VALIDATE"), entry(5, "taken_over", LATER, action="VALIDATE"), begun(6, "VALIDATE"),
        ended(7, "VALIDATE", "pass", iteration=1, tests={**COUNTED, "passed": True}),
    )  # fmt: skip
    lost, again = list_steps(entries, ())
    assert (lost.result, lost.ended_at, lost.iteration, again.iteration) == (BROKEN_OFF, LATER, 0, 1)
    assert [check.seq for check in list_validations(entries)] == [7]


def test_journals_of_earlier_versions_tell_whether_it_passed() -> None:
    entries = (
        begun(3, "DEVELOP"),
        ended(4, "DEVELOP", "completed"),
        begun(5, "VALIDATE"),
        ended(6, "VALIDATE", "pass"),
    )
    (check,) = list_validations(entries)
    assert (check.passed, check.iteration, check.total, check.coverage) == (True, 2, None, None)


def test_forged_events_are_no_trouble() -> None:
    entries = (
        ended(2, "VALIDATE", "pass"), begun(3, "VALIDATE"), begun(4, "VALIDATE"),
        ended(5, "VALIDATE", "pass", iteration="many", tests={"passed": "yes"}, changes={}, reasons="x", cost="free"),
    )  # fmt: skip
    assert [step.ended_at for step in list_steps(entries, ())] == [None, LATER]
    assert [(check.passed, check.total) for check in list_validations(entries)] == [(True, None)]


def test_the_end_has_a_last_look() -> None:
    checked = validated(results=(result("a"),))
    counted = count_validation(checked)
    entries = (begun(3, "COMPLETE"), ended(4, "COMPLETE", "succeeded", iteration=2, tests=counted))
    (check,) = list_validations(entries)
    assert (check.passed, check.total, check.iteration) == (True, 1, 2)


def test_a_plan_has_two_levels() -> None:
    assert [PlanLine("Phase 1", "completed").depth, PlanLine("  → Action: DEBUG", "pending").depth] == [0, 1]
