"""What comes next: every row of the table, each just before and just after the rows above it stop holding."""

from collections.abc import Callable
from typing import get_args

import pytest

from loopwright.core.names import ActionName, LoopStatus
from loopwright.core.state import Budget, DevelopTask, LastValidation, RunSettings, Sighting, Spent, TaskStatus
from loopwright.evidence.objections import RunReview
from loopwright.workflows.loop.model import Develop, LoopState, SkillState, Validate
from loopwright.workflows.loop.selector import (
    ROUNDS,
    TABLE,
    LoopFacts,
    NextAction,
    blocked_because,
    has_stalled,
    is_initialised,
    next_action,
    normalise_state,
    still_holds,
)
from tests.domain.loop_making import AT, engine, key, loop, proof, result, task
from tests.tables import each

Change = Callable[[LoopState], LoopState]


def begun(*statuses: TaskStatus, **fields: object) -> LoopState:
    """A running loop after INIT with one task of each status: T0, T1, …; the goal is shown where tests passed."""
    definitions = tuple(task(f"T{n}", order=n) for n in range(len(statuses)))
    tasks = tuple(
        DevelopTask(id=f"T{n}", description=f"do T{n}", status=status, created_at=AT)
        for n, status in enumerate(statuses)
    )
    done = sum(status == "completed" for status in statuses)
    skill = SkillState(
        last_action="INIT", completed_actions=("INIT",),
        develop=Develop(tasks=tasks, total=len(tasks), completed=done),
    )  # fmt: skip
    known = fields.get("last_validation")
    shown = {"proof": proof(known.tree)} if isinstance(known, LastValidation) and known.passed else {}
    return engine(loop("running", skill_state=skill), tasks=definitions, tests_found=True, **{**shown, **fields})


def last(passed: bool, tree: str = "t", left: str | None = None) -> LastValidation:
    return LastValidation(tree=tree, left=left or tree, passed=passed, at=AT, tests=1)


def failing(state: LoopState, *names: str) -> LoopState:
    """With these tests red in the last validation, which ran on tree `t`."""
    assert state.skill_state is not None
    results = tuple(result(name, "failed") for name in names)
    section = Validate(test_results=results, failed_tests=tuple(key(name) for name in names))
    return engine(state.evolve(skill_state=state.skill_state.evolve(validate_=section)), last_validation=last(False))


def review(**fields: object) -> RunReview:
    return RunReview.model_validate({"by": "critic", "tree": "t", "at": AT, **fields})


def reviewed(**fields: object) -> LoopState:
    return engine(REVIEWED, review=review(**fields))


def seen(state: LoopState, *sightings: tuple[str, str]) -> LoopState:
    return engine(state, sightings=tuple(Sighting(failing=f, tree=t) for f, t in sightings))


def bash(state: LoopState) -> LoopState:
    """The same with commands for tasks."""
    assert state.skill_state is not None
    develop = state.skill_state.develop
    tasks = tuple(task.evolve(tool="bash") for task in develop.tasks)
    definitions = tuple(task.evolve(tool="bash", command="false") for task in state.engine.tasks)
    skill = state.skill_state.evolve(develop=develop.evolve(tasks=tasks))
    return engine(state.evolve(skill_state=skill), tasks=definitions)


GREEN = begun("completed", last_validation=last(True))
REVIEWED = engine(GREEN, settings=RunSettings(review="critic"))
CIRCLE = (("f", "t1"), ("f", "t2"), ("f", "t1"))
SPENT = Budget(max_minutes=1, spent_seconds=60)
HERE, WRITER = LoopFacts("t"), LoopFacts("t", can_write=True)
ELSEWHERE = LoopFacts("another tree")

ROWS: list[tuple[str, int, LoopState, LoopFacts, NextAction | None]] = [
    ("row 1: a created loop rests", 1, loop("created"), HERE, None),
    ("row 1: a paused loop rests, green or not", 1, GREEN.evolve(status="paused"), HERE, None),
    ("row 1: a loop left by its person rests", 1, GREEN.evolve(status="user_exit"), HERE, None),
    ("row 1: a completed loop rests", 1, loop("completed"), HERE, None),
    ("row 1: a failed loop rests", 1, loop("failed"), HERE, None),
    ("row 2: green, and to be reviewed", 2, REVIEWED, HERE, NextAction("REVIEW", 2)),
    ("row 2: also at the limit", 2, REVIEWED.evolve(current_iteration=10), HERE, NextAction("REVIEW", 2)),
    ("row 2: another tree was reviewed", 2, reviewed(tree="old"), HERE, NextAction("REVIEW", 2)),
    ("row 3: this tree was reviewed", 3, reviewed(), HERE, NextAction("COMPLETE", 3, "succeeded")),
    ("row 3: reviewed often enough", 3, reviewed(tree="old", round=3), HERE, NextAction("COMPLETE", 3, "succeeded")),
    (
        "row 3: what a review asks for is left where the limit is reached",
        3,
        engine(begun("pending", last_validation=last(True)), review=review(task="T0")).evolve(current_iteration=10),
        HERE,
        NextAction("COMPLETE", 3, "succeeded"),
    ),
    (
        "row 6: what a review asks for is done before",
        6,
        engine(begun("pending", last_validation=last(True)), review=review(task="T0")),
        HERE,
        NextAction("DEVELOP", 6, None, "T0"),
    ),
    ("row 3: green, nothing open", 3, GREEN, HERE, NextAction("COMPLETE", 3, "succeeded")),
    (
        "row 3: green without any task",
        3,
        begun(last_validation=last(True)),
        HERE,
        NextAction("COMPLETE", 3, "succeeded"),
    ),
    (
        "row 3: the tree that the run left counts as validated",
        3,
        begun(last_validation=last(True, "before", "t")),
        HERE,
        NextAction("COMPLETE", 3, "succeeded"),
    ),
    (
        "row 3: success comes before the limit",
        3,
        GREEN.evolve(current_iteration=10),
        HERE,
        NextAction("COMPLETE", 3, "succeeded"),
    ),
    (
        "row 3: success comes before the budget",
        3,
        engine(GREEN, budget=SPENT),
        HERE,
        NextAction("COMPLETE", 3, "succeeded"),
    ),
    (
        "row 3: green, and nothing shows the goal",
        3,
        engine(GREEN, proof=proof("t", missing="none of them shows it")),
        HERE,
        NextAction("COMPLETE", 3, "unproven"),
    ),
    (
        "row 4: the limit",
        4,
        begun("pending").evolve(current_iteration=10),
        HERE,
        NextAction("COMPLETE", 4, "exhausted"),
    ),
    (
        "row 4: beyond the limit",
        4,
        begun("pending").evolve(current_iteration=11),
        HERE,
        NextAction("COMPLETE", 4, "exhausted"),
    ),
    ("row 4: the time", 4, begun("pending", budget=SPENT), HERE, NextAction("COMPLETE", 4, "over_budget")),
    (
        "row 4: the tokens",
        4,
        begun(budget=Budget(max_tokens=5, tokens=5)),
        HERE,
        NextAction("COMPLETE", 4, "over_budget"),
    ),
    ("row 4: the money", 4, begun(budget=Budget(max_cost=1, cost=1.5)), HERE, NextAction("COMPLETE", 4, "over_budget")),
    ("row 4: stalled", 4, seen(failing(begun(), "a"), *CIRCLE), HERE, NextAction("COMPLETE", 4, "stalled")),
    (
        "row 4: without skill_state",
        4,
        engine(loop("running"), budget=SPENT),
        HERE,
        NextAction("COMPLETE", 4, "over_budget"),
    ),
    (
        "row 4: green on another tree is no success at the limit",
        4,
        GREEN.evolve(current_iteration=10),
        ELSEWHERE,
        NextAction("COMPLETE", 4, "exhausted"),
    ),
    ("row 5: no skill_state", 5, loop("running"), HERE, NextAction("INIT", 5)),
    (
        "row 5: INIT was begun and never ended",
        5,
        loop("running", skill_state=SkillState(current_action="init")),
        HERE,
        NextAction("INIT", 5),
    ),
    (
        "row 5: a COMPLETE before INIT is no INIT",
        5,
        loop("running", skill_state=SkillState(last_action="COMPLETE", completed_actions=("COMPLETE",))),
        HERE,
        NextAction("INIT", 5),
    ),
    ("row 6: a pending task", 6, begun("pending"), HERE, NextAction("DEVELOP", 6, None, "T0")),
    (
        "row 6: the first in order",
        6,
        begun("completed", "pending", "pending"),
        HERE,
        NextAction("DEVELOP", 6, None, "T1"),
    ),
    ("row 6: a task that no live action holds", 6, begun("in_progress"), HERE, NextAction("DEVELOP", 6, None, "T0")),
    (
        "row 6: a task comes before red tests",
        6,
        failing(begun("pending"), "a"),
        HERE,
        NextAction("DEVELOP", 6, None, "T0"),
    ),
    (
        "row 6: a pending task spoils a green validation",
        6,
        engine(begun("pending"), last_validation=last(True)),
        HERE,
        NextAction("DEVELOP", 6, None, "T0"),
    ),
    (
        "row 6: a task that was just added",
        6,
        engine(GREEN, tasks=(*GREEN.engine.tasks, task("new", order=9))),
        HERE,
        NextAction("DEVELOP", 6, None, "new"),
    ),
    (
        "row 7: no tests, and nobody to write them",
        7,
        engine(begun("completed"), tests_found=False),
        HERE,
        NextAction("COMPLETE", 7, "unverified"),
    ),
    ("row 8: nothing was validated", 8, begun("completed"), HERE, NextAction("VALIDATE", 8)),
    ("row 8: another tree was validated", 8, GREEN, ELSEWHERE, NextAction("VALIDATE", 8)),
    ("row 8: another tree was red", 8, failing(begun("completed"), "a"), ELSEWHERE, NextAction("VALIDATE", 8)),
    (
        "row 8: no tests yet, and an agent that could write them",
        8,
        engine(begun("completed"), tests_found=False),
        WRITER,
        NextAction("VALIDATE", 8),
    ),
    (
        "row 8: nobody knows yet whether there are tests",
        8,
        engine(begun("completed"), tests_found=None),
        HERE,
        NextAction("VALIDATE", 8),
    ),
    (
        "row 8: green, and the proof is of another tree",
        8,
        engine(GREEN, proof=proof("before")),
        HERE,
        NextAction("VALIDATE", 8),
    ),
    ("row 8: green before there were proofs", 8, engine(GREEN, proof=None), HERE, NextAction("VALIDATE", 8)),
    ("row 8: a failed task on an unvalidated tree", 8, begun("failed"), HERE, NextAction("VALIDATE", 8)),
    ("row 9: red tests", 9, failing(begun("completed"), "a"), HERE, NextAction("DEBUG", 9)),
    (
        "row 9: green tests and a failed task",
        9,
        begun("failed", last_validation=last(True)),
        WRITER,
        NextAction("DEBUG", 9),
    ),
    (
        "row 9: one round is left",
        9,
        engine(failing(begun(), "a"), debug_rounds=ROUNDS - 1),
        HERE,
        NextAction("DEBUG", 9),
    ),
    (
        "row 10: red tests, no rounds left",
        10,
        engine(failing(begun(), "a"), debug_rounds=ROUNDS),
        HERE,
        NextAction("COMPLETE", 10, "exhausted"),
    ),
    (
        "row 10: not passed, and yet nothing to debug",
        10,
        engine(begun(), last_validation=last(False)),
        HERE,
        NextAction("COMPLETE", 10, "exhausted"),
    ),
    (
        "row 10: green tests and a failed command",
        10,
        bash(begun("failed", last_validation=last(True))),
        HERE,
        NextAction("COMPLETE", 10, "failed"),
    ),
    (
        "row 10: green tests and a task that was left undone",
        10,
        begun("failed", last_validation=last(True), spent=Spent(unchanged=("T0",))),
        WRITER,
        NextAction("COMPLETE", 10, "failed"),
    ),
    (
        "row 10: green tests and a task that failed again after it was debugged",
        10,
        begun("failed", last_validation=last(True), spent=Spent(revived=("T0",))),
        WRITER,
        NextAction("COMPLETE", 10, "failed"),
    ),
    (
        "row 10: green tests, a failed task, and an agent that writes no code",
        10,
        begun("failed", last_validation=last(True)),
        HERE,
        NextAction("COMPLETE", 10, "failed"),
    ),
]


@each(("words", "number", "state", "facts", "expected"), ROWS)
def test_row(words: str, number: int, state: LoopState, facts: LoopFacts, expected: NextAction | None) -> None:
    assert next_action(state, facts) == expected
    holding = next(row for row in TABLE if row.holds(normalise_state(state), facts))
    assert holding.number == number
    if expected:
        assert expected.row == number


def test_every_row_has_a_test_and_the_last_one_always_holds() -> None:
    assert [row.number for row in TABLE] == list(range(1, 11)) == sorted({number for _, number, *_ in ROWS})
    assert TABLE[-1].holds(loop("running"), HERE)


@each(
    ("sightings", "is_stalled"),
    [
        ((), False),
        ((("f", "1"), ("f", "1")), False),
        (CIRCLE, True),
        ((("f", "1"), ("f", "2"), ("f", "3")), False),
        ((("f", "1"), ("g", "2"), ("f", "1")), False),
        ((("", "1"), ("", "2"), ("", "1")), False),
        ((("g", "1"), ("f", "2"), ("f", "3"), ("f", "1")), True),
        ((*CIRCLE, ("g", "1")), False),
        ((*CIRCLE, ("", "5")), False),
    ],
)
def test_stalled_is_three_times_the_same_failures_and_a_tree_seen_before(
    sightings: tuple[tuple[str, str], ...], is_stalled: bool
) -> None:
    assert has_stalled(seen(begun(), *sightings)) is is_stalled


# status of dependency → what becomes of a pending task that needs it
DEPENDENCIES = {"completed": "runnable", "pending": "waits", "in_progress": "waits", "failed": "failed", None: "failed"}


@pytest.mark.parametrize(("status", "fate"), DEPENDENCIES.items(), ids=str)
def test_a_task_waits_for_what_it_depends_on(status: TaskStatus | None, fate: str) -> None:
    state = begun(*([status] if status else []), "pending")
    needing = f"T{len(state.engine.tasks) - 1}"
    definitions = tuple(
        t.evolve(depends_on=("T0" if status else "gone",)) if t.task_id == needing else t for t in state.engine.tasks
    )
    state = engine(state, tasks=definitions)
    after = normalise_state(state).skill_state
    assert after is not None
    found = next(t for t in after.develop.tasks if t.id == needing)
    assert found.status == ("failed" if fate == "failed" else "pending")
    choice = next_action(state, HERE)
    assert choice is not None
    assert (choice.action == "DEVELOP" and choice.task == needing) is (fate == "runnable")


def test_failure_spreads_along_a_chain_in_any_order() -> None:
    state = begun("pending", "pending", "failed", "pending")
    needs = {"T0": ("T1",), "T1": ("T2",), "T3": None}
    state = engine(state, tasks=tuple(t.evolve(depends_on=needs.get(t.task_id)) for t in state.engine.tasks))
    after = normalise_state(state).skill_state
    assert after is not None
    assert [t.status for t in after.develop.tasks] == ["failed", "failed", "failed", "pending"]


def test_tasks_that_wait_for_each_other_never_become_ready_and_the_loop_still_ends() -> None:
    state = begun("pending", "pending", last_validation=last(True))
    tasks = tuple(t.evolve(depends_on=(other,)) for t, other in zip(state.engine.tasks, ("T1", "T0"), strict=True))
    assert next_action(engine(state, tasks=tasks), HERE) == NextAction("COMPLETE", 10, "failed")


def test_normalising_twice_is_normalising_once_and_no_change_is_the_same_object() -> None:
    untidy = engine(begun("in_progress", "pending", "failed"), tasks=(task("T1", order=2), task("new", order=1)))
    once = normalise_state(untidy)
    assert normalise_state(once) is once
    assert once.skill_state is not None
    assert [(t.id, t.status) for t in once.skill_state.develop.tasks] == [
        ("T2", "failed"), ("new", "pending"), ("T1", "pending"),
    ]  # fmt: skip
    fresh = loop("running")
    assert normalise_state(fresh) is fresh


def test_the_tasks_api_fields_are_folded_in_until_a_task_has_begun() -> None:
    state = begun("pending", "completed")
    renamed = tuple(t.evolve(description="said anew", tool="bash", mode="review") for t in state.engine.tasks)
    after = normalise_state(engine(state, tasks=renamed)).skill_state
    assert after is not None
    assert [(t.description, t.tool, t.mode) for t in after.develop.tasks] == [
        ("said anew", "bash", "review"), ("do T1", "codex", "write"),
    ]  # fmt: skip


MENU: list[tuple[str, LoopState, dict[ActionName, str | None]]] = [
    ("before INIT", loop("running"), {"INIT": None, "DEVELOP": "no task is ready; add one",
        "DEBUG": "no failing test and no failed task", "VALIDATE": None, "COMPLETE": None}),
    ("a task is ready", begun("pending"), {"INIT": "already initialised", "DEVELOP": None,
        "DEBUG": "no failing test and no failed task", "VALIDATE": None, "COMPLETE": None}),
    ("a task was just added", engine(begun(), tasks=(task("new"),)), {"DEVELOP": None}),
    ("red", failing(begun(), "a"), {"DEVELOP": "no task is ready; add one", "DEBUG": None}),
    ("a failed task", begun("failed"), {"DEVELOP": "no task is ready; add one", "DEBUG": None}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "state", "reasons"), MENU, ids=[m[0] for m in MENU])
def test_what_the_menu_says_of_each_action(words: str, state: LoopState, reasons: dict[ActionName, str | None]) -> None:
    assert {action: blocked_because(state, action) for action in reasons} == reasons


def test_a_persons_choice_holds_while_nothing_blocks_it() -> None:
    chosen = NextAction("DEVELOP", 0, None, "T0")
    assert still_holds(begun("pending"), chosen, HERE)
    assert not still_holds(begun("completed"), chosen, HERE)
    assert not still_holds(engine(begun("pending"), tasks=()), chosen, HERE)
    assert still_holds(begun(), NextAction("VALIDATE", 0), HERE)
    assert not still_holds(begun(), NextAction("DEBUG", 0), HERE)


def test_the_tables_choice_holds_only_while_the_table_would_choose_it() -> None:
    chosen = NextAction("COMPLETE", 3, "succeeded")
    assert still_holds(GREEN, chosen, HERE)
    assert not still_holds(GREEN, chosen, ELSEWHERE)
    assert not still_holds(engine(GREEN, tasks=(*GREEN.engine.tasks, task("new", order=9))), chosen, HERE)
    assert not still_holds(GREEN.evolve(status="paused"), chosen, HERE)


@pytest.mark.parametrize("status", get_args(LoopStatus))
def test_initialised_is_about_what_was_done_not_about_the_status(status: LoopStatus) -> None:
    assert not is_initialised(loop(status))
    assert is_initialised(loop(status, skill_state=SkillState(completed_actions=("INIT",))))
    assert is_initialised(loop(status, skill_state=SkillState(last_action="DEVELOP")))
    assert not is_initialised(loop(status, skill_state=SkillState(last_action="COMPLETE")))
