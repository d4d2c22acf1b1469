"""The action sequences and the plan of the architecture document, word for word."""

from dataclasses import replace

import pytest

from loopwright.core.outcomes import ActionFailed
from loopwright.core.state import EngineState, LoopTask, RunSettings
from loopwright.workflows.loop.model import LoopState, SkillState
from loopwright.workflows.loop.outcomes import ActionOutcome
from loopwright.workflows.loop.reducer import begin_action
from loopwright.workflows.loop.selector import ROUNDS, NextAction, next_action
from loopwright.workflows.loop.summary import FinishedAction, PlanLine, build_plan, measure_progress
from tests.domain.loop_making import (
    World,
    auto,
    debugged,
    developed,
    engine,
    initialised,
    loop,
    result,
    task,
    validated,
)

Script = dict[str, list[ActionOutcome]]
T = tuple(task(f"T{n}") for n in range(3))

NO_TESTS = validated(results=(), passed=False, tests_found=False)
BELOW = validated(passed=False, below_threshold=True, reasons=("coverage is 40 %",))

SEQUENCES: list[tuple[str, bool, Script, str, str]] = [
    ("Happy path", True,
        {"INIT": [initialised(*T[:2])], "VALIDATE": [validated()]},
        "INIT → DEVELOP → DEVELOP → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("Debug iteration", True,
        {"INIT": [initialised(T[0])], "VALIDATE": [validated(failing=["a"]), validated()], "DEBUG": [debugged("H1")]},
        "INIT → DEVELOP → VALIDATE (fail) → DEBUG → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("A red baseline, without tasks", False,
        {"INIT": [initialised()], "VALIDATE": [validated(failing=["a"]), validated()], "DEBUG": [debugged("H1")]},
        "INIT → VALIDATE (fail) → DEBUG → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("Green from the start", False,
        {"INIT": [initialised()], "VALIDATE": [validated()]},
        "INIT → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("Two rounds of debugging", False,
        {"INIT": [initialised()], "VALIDATE": [validated(failing=["a", "b"]), validated(failing=["b"]), validated()],
            "DEBUG": [debugged(changed=False), debugged("H1"), debugged("H2")]},
        "INIT → VALIDATE (fail) → DEBUG → DEBUG → VALIDATE (fail) → DEBUG → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("No tests, and nobody to write them", False,
        {"INIT": [initialised(tests_found=False)]},
        "INIT → COMPLETE", "unverified"),
    ("No tests, and an agent that writes them", True,
        {"INIT": [initialised(T[0], tests_found=False)], "VALIDATE": [NO_TESTS, validated()]},
        "INIT → DEVELOP → VALIDATE (fail) → DEVELOP → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("A threshold that is missed once", True,
        {"INIT": [initialised()], "VALIDATE": [BELOW, validated()]},
        "INIT → VALIDATE (fail) → DEVELOP → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("A threshold that is missed for good", True,
        {"INIT": [initialised()], "VALIDATE": [BELOW, BELOW]},
        "INIT → VALIDATE (fail) → DEVELOP → VALIDATE (fail) → COMPLETE", "exhausted"),
    ("A failed task whose cause is found", True,
        {"INIT": [initialised(T[0])], "DEVELOP": [developed("T0", ok=False), developed("T0")],
            "VALIDATE": [validated(), validated()], "DEBUG": [debugged("H1", revives="T0")]},
        "INIT → DEVELOP → VALIDATE (pass) → DEBUG → DEVELOP → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("Nothing helps, and nobody writes", False,
        {"INIT": [initialised()], "VALIDATE": [validated(failing=["a"])], "DEBUG": [debugged(changed=False)] * ROUNDS},
        "INIT → VALIDATE (fail) → DEBUG → DEBUG → DEBUG → DEBUG → DEBUG → COMPLETE", "exhausted"),
    ("Nothing helps, and the last resort does", True,
        {"INIT": [initialised()], "VALIDATE": [validated(failing=["a"]), validated()],
            "DEBUG": [debugged(changed=False)] * ROUNDS},
        "INIT → VALIDATE (fail) → DEBUG → DEBUG → DEBUG → DEBUG → DEBUG → DEVELOP → VALIDATE (pass) → COMPLETE",
        "succeeded"),
    ("An action that gives nothing once", True,
        {"INIT": [ActionFailed("died"), initialised(T[0])], "VALIDATE": [ActionFailed("died"), validated()]},
        "INIT → INIT → DEVELOP → VALIDATE → VALIDATE (pass) → COMPLETE", "succeeded"),
    ("An action that gives nothing three times", True,
        {"INIT": [ActionFailed("died")] * 3},
        "INIT → INIT → INIT", "failed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "can_write", "script", "course", "outcome"), SEQUENCES, ids=[s[0] for s in SEQUENCES]
)
def test_sequence(words: str, can_write: bool, script: Script, course: str, outcome: str) -> None:
    world = World(auto(loop("running")), {action: list(outcomes) for action, outcomes in script.items()}, can_write)
    assert " → ".join(world.run()) == course
    assert world.state.engine.outcome == outcome
    assert not any(world.script.values()), "an action of the script was never taken"
    assert (measure_progress(world.state).overall == 100) is (outcome == "succeeded")
    names = tuple(name.split()[0] for name in world.course)
    assert world.state.skill_state is not None
    if not any(isinstance(o, ActionFailed) for outcomes in script.values() for o in outcomes):
        assert world.state.skill_state.completed_actions == names
        assert world.state.current_iteration == sum(name not in ("INIT", "COMPLETE") for name in names)


def test_a_validation_by_another_process_is_made_again_before_the_end() -> None:
    """COMPLETE's last look fails: the loop goes on, and no iteration was used up by looking."""
    world = World(auto(loop("running")), {"INIT": [initialised()], "VALIDATE": [validated()]}, False)
    while (choice := next_action(world.state, world.facts)) and choice.action != "COMPLETE":
        world.take(choice)
    assert choice is not None
    used = world.state.current_iteration
    world.script["COMPLETE"] = [replace(validated(failing=["a"]), counted=False)]
    world.take(choice)
    assert (world.state.status, world.state.current_iteration) == ("running", used)
    assert next_action(world.state, world.facts) == NextAction("DEBUG", 9)


def history(*words: str) -> list[FinishedAction]:
    return [FinishedAction(*word.split(":")) for word in words]


def lines(state: LoopState, *done: str) -> list[tuple[str, str]]:
    return [(line.content, line.status) for line in build_plan(state, history(*done))]


def at_work(choice: NextAction | None, tasks: tuple[LoopTask, ...] = T) -> LoopState:
    """A running loop after INIT, with this action under way."""
    world = World(auto(loop("running")), {"INIT": [initialised(*tasks)]})
    world.take(NextAction("INIT", 5))
    return begin_action(world.state, choice) if choice else world.state


def test_plan_attached() -> None:
    """What the TodoWrite pattern shows while the phase runs."""
    assert lines(at_work(NextAction("DEVELOP", 6, None, "T0")), "INIT:12 tests") == [
        ("Phase 1: Session Initialization", "completed"),
        ("Phase 2: Orchestration Loop", "in_progress"),
        ("  → Action: INIT", "completed"),
        ("  → Action: DEVELOP (task 1/3)", "in_progress"),
        ("  → Action: DEVELOP (task 2/3)", "pending"),
        ("  → Action: DEVELOP (task 3/3)", "pending"),
        ("  → Action: VALIDATE", "pending"),
        ("  → Action: COMPLETE", "pending"),
    ]


def test_plan_collapsed() -> None:
    """What it shows once an iteration is over."""
    done = ("INIT", "DEVELOP:completed", "DEVELOP:completed", "DEVELOP:completed", "VALIDATE:pass")
    assert lines(at_work(NextAction("COMPLETE", 3, "succeeded")), *done) == [
        ("Phase 1: Session Initialization", "completed"),
        ("Iteration 1: DEVELOP x3 + VALIDATE (pass)", "completed"),
        ("Phase 2: COMPLETE", "in_progress"),
    ]


def test_a_review_belongs_to_the_iteration_that_it_looks_at() -> None:
    state = loop("running", skill_state=SkillState())
    state = state.evolve(engine=state.engine.evolve(settings=RunSettings(review="critic")))
    done = history("INIT", "DEVELOP", "VALIDATE:pass", "REVIEW:2 objections", "DEVELOP")
    assert [line.content.strip() for line in build_plan(state, done)] == [
        "Phase 1: Session Initialization",
        "Iteration 1: DEVELOP + VALIDATE (pass) + REVIEW (2 objections)",
        "Phase 2: Orchestration Loop",
        "→ Action: DEVELOP",
        "→ Action: VALIDATE",
        "→ Action: REVIEW",
        "→ Action: COMPLETE",
    ]


def test_plan_before_anything_began() -> None:
    assert build_plan(loop("created"), ()) == (
        PlanLine("Phase 1: Session Initialization", "in_progress"),
        PlanLine("Phase 2: Orchestration Loop", "pending"),
    )


def test_plan_groups_by_validation() -> None:
    done = (
        "INIT", "DEVELOP:completed", "VALIDATE:fail", "DEBUG:fix applied", "DEBUG:no fix", "VALIDATE:fail", "DEBUG:fix",
    )  # fmt: skip
    assert lines(at_work(NextAction("VALIDATE", 8), ()), *done) == [
        ("Phase 1: Session Initialization", "completed"),
        ("Iteration 1: DEVELOP + VALIDATE (fail)", "completed"),
        ("Iteration 2: DEBUG x2 + VALIDATE (fail)", "completed"),
        ("Phase 2: Orchestration Loop", "in_progress"),
        ("  → Action: DEBUG", "completed"),
        ("  → Action: VALIDATE", "in_progress"),
        ("  → Action: COMPLETE", "pending"),
    ]


def test_plan_between_two_tasks_shows_what_waits() -> None:
    tasks = tuple(task(f"T{n}") for n in range(6))
    world = World(at_work(None, tasks), {"DEVELOP": [developed("T0")]})
    world.take(NextAction("DEVELOP", 6, None, "T0"))
    assert lines(world.state, "INIT", "DEVELOP:completed")[2:] == [
        ("  → Action: INIT", "completed"),
        ("  → Action: DEVELOP", "completed"),
        ("  → Action: DEVELOP (task 2/6)", "pending"),
        ("  → Action: DEVELOP (task 3/6)", "pending"),
        ("  → Action: DEVELOP (task 4/6)", "pending"),
        ("  → Action: DEVELOP (2 more tasks)", "pending"),
        ("  → Action: VALIDATE", "pending"),
        ("  → Action: COMPLETE", "pending"),
    ]


def test_plan_asks_for_no_validation_after_one_that_passed() -> None:
    passed = ("INIT", "VALIDATE:pass")
    assert lines(at_work(None, ()), *passed)[2:] == [
        ("Phase 2: Orchestration Loop", "in_progress"),
        ("  → Action: COMPLETE", "pending"),
    ]
    for done, tasks in (((*passed, "DEBUG:fix"), ()), (("INIT", "VALIDATE:fail"), ()), (passed, T)):
        assert ("  → Action: VALIDATE", "pending") in lines(at_work(None, tasks), *done)


def test_plan_of_an_ended_loop_tells_the_outcome() -> None:
    done = ("INIT", "VALIDATE:fail", "DEBUG:no fix", "COMPLETE:exhausted")
    ended = loop("failed", engine=EngineState(outcome="exhausted"), skill_state=at_work(None).skill_state)
    assert lines(ended, *done) == [
        ("Phase 1: Session Initialization", "completed"),
        ("Iteration 1: VALIDATE (fail)", "completed"),
        ("Iteration 2: DEBUG", "completed"),
        ("Phase 2: COMPLETE (exhausted)", "completed"),
    ]


def test_the_task_number_counts_what_is_behind() -> None:
    world = World(at_work(None), {"DEVELOP": [developed("T0"), developed("T1", ok=False)]})
    for n in (1, 2, 3):
        choice = next_action(world.state, world.facts)
        assert choice is not None
        now = build_plan(begin_action(world.state, choice), history("INIT"))
        assert f"  → Action: DEVELOP (task {n}/3)" in [line.content for line in now]
        world.take(choice)


# develop tasks (completed, all) · confirmed · results and passed → develop, debug, validation, overall
FIGURES = [
    ((0, 0), False, False, (0, False, False, 0)),
    ((1, 4), False, False, (25, False, False, 12.5)),
    ((4, 4), False, False, (100, False, False, 50)),
    ((4, 4), True, False, (100, True, False, 75)),
    ((0, 0), False, True, (100, True, True, 100)),
    ((4, 4), False, True, (100, True, True, 100)),
    ((2, 4), False, True, (50, True, True, 75)),
]


@pytest.mark.parametrize(("tasks", "found", "passed", "figures"), FIGURES)
def test_progress(tasks: tuple[int, int], found: bool, passed: bool, figures: tuple[float, bool, bool, float]) -> None:
    done, all_ = tasks
    definitions = tuple(task(f"T{n}") for n in range(all_))
    world = World(engine(loop("running"), tasks=definitions), {"INIT": [initialised()]})
    world.take(NextAction("INIT", 5))
    world.script = {
        "DEVELOP": [developed(f"T{n}") for n in range(done)], "DEBUG": [debugged("H1")],
        "VALIDATE": [validated()],
    }  # fmt: skip
    for n in range(done):
        world.take(NextAction("DEVELOP", 6, None, f"T{n}"))
    if found:
        world.take(NextAction("DEBUG", 9))
    if passed:
        world.take(NextAction("VALIDATE", 8))
    now = measure_progress(world.state)
    assert (now.develop, now.debug_completed, now.validation_passed, now.overall) == figures


def test_a_pass_without_any_result_is_no_pass() -> None:
    world = World(loop("running"), {"VALIDATE": [validated(results=())]})
    world.take(NextAction("VALIDATE", 8))
    assert measure_progress(world.state).overall == 0
    assert measure_progress(loop()).overall == 0


def test_a_red_result_beside_a_green_one_counts_in_the_rate_only() -> None:
    world = World(loop("running"), {"VALIDATE": [validated(results=(result("a"), result("b", "failed")))]})
    world.take(NextAction("VALIDATE", 8))
    assert measure_progress(world.state).validation_passed
