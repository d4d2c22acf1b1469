"""The selector and the folds together, over every course that a small alphabet of outcomes allows."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.outcomes import ActionFailed, Change, ValidationOutcome
from loopwright.core.protocol import Usage
from loopwright.core.state import Budget, DevelopTask, LastValidation, RunSettings
from loopwright.workflows.loop.model import Develop, LoopState, SkillState, Summary, Validate
from loopwright.workflows.loop.outcomes import ActionOutcome, CompleteOutcome, DebugOutcome, DevelopOutcome, InitOutcome
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import (
    ROUNDS,
    LoopFacts,
    NextAction,
    blocked_because,
    is_initialised,
    needs_debugging,
    next_action,
    next_task,
    normalise_state,
    open_tasks,
)
from loopwright.workflows.loop.stall import count_causes
from loopwright.workflows.loop.summary import measure_progress
from tests.domain.loop_making import AT, confirmed, engine, hypothesis, loop, result, step, task
from tests.tiers import examples

TREES = 3
"""Work goes round through so many trees, so that a loop can come back to one it has seen."""

UNCOUNTED = 10
"""Steps of a course that use up no iteration: INIT and COMPLETE, each failing twice at most, and one last look."""

FIX = (Change("ledger.py", "modify"),)
SUMMARY = Summary()


@dataclass(frozen=True)
class Place:
    """A loop in its world. `seen`: trees that this process has validated."""

    state: LoopState
    can_write: bool
    tree: int = 0
    seen: frozenset[int] = frozenset()

    @property
    def facts(self) -> LoopFacts:
        return LoopFacts(f"t{self.tree}", self.can_write)

    def key(self) -> Hashable:
        """Everything the future depends on, and nothing of the history."""
        s = self.state
        skill, e = s.skill_state or SkillState(), s.engine
        tasks = tuple((t.id, t.status) for t in skill.develop.tasks)
        defined = tuple((t.task_id, t.depends_on) for t in e.tasks)
        check = skill.validate_
        return (
            s.status,
            s.current_iteration,
            s.skill_state is None,
            is_initialised(s),
            tasks,
            defined,
            check.passed,
            check.failed_tests,
            len(check.test_results),
            skill.debug.confirmed_hypothesis,
            count_causes(skill.debug.hypotheses),
            e.tests_found,
            e.last_validation,
            e.sightings,
            e.debug_rounds,
            e.spent,
            e.budget.tokens,
            self.tree,
            self.seen,
        )


def validations(tree: int, *, counted: bool = True) -> Iterator[ValidationOutcome]:
    """Green; red in two ways; green below a threshold; no tests; and a run that failed by itself."""
    name = f"t{tree}"
    green = ValidationOutcome(name, name, True, True, (result("g"),), 90.0, counted=counted)
    yield green
    yield replace(green, passed=False, results=(result("g"), result("a", "failed")))
    yield replace(green, passed=False, results=(result("a", "failed"), result("b", "failed")))
    yield replace(green, passed=False, below_threshold=True)
    yield replace(green, passed=False, results=(), tests_found=False)
    yield replace(green, passed=False, reasons=("the test command failed by itself",))


def outcomes(place: Place, choice: NextAction) -> Iterator[tuple[ActionOutcome, int]]:
    """All that this action may come back with, and the tree it leaves."""
    here, new = place.tree, (place.tree + 1) % TREES
    yield ActionFailed("no result"), here
    match choice.action:
        case "INIT":
            yield InitOutcome((), True, "pytest", None), here
            yield InitOutcome((), False, None, None), here
            yield InitOutcome((task("i1"), task("i2", depends_on=("i1",))), True, "pytest", None), here
        case "DEVELOP":
            assert choice.task is not None
            yield DevelopOutcome(choice.task, True, "", FIX), new
            yield DevelopOutcome(choice.task, True, ""), here
            yield DevelopOutcome(choice.task, False, ""), here
        case "VALIDATE":
            yield from ((outcome, here) for outcome in validations(here))
        case "DEBUG":
            failed = next((t.id for t in place.state.skill_state.develop.tasks if t.status == "failed"), None)  # type: ignore[union-attr]  # DEBUG has one
            yield DebugOutcome((hypothesis(),), "bug", None, ""), here
            yield DebugOutcome((hypothesis(),), "bug", None, "", nothing_left=True), here
            yield DebugOutcome((confirmed(),), "bug", "H1", "", FIX, failed), new
        case "COMPLETE":
            yield from ((outcome, here) for outcome in ends(place, choice))


def ends(place: Place, choice: NextAction) -> Iterator[ActionOutcome]:
    """What COMPLETE does: it looks once more where this process has not validated the tree, and then ends."""
    assert choice.outcome is not None
    end = CompleteOutcome(choice.outcome, None if choice.outcome == "succeeded" else "in words", SUMMARY)
    final = choice.outcome in ("over_budget", "stalled")
    if place.tree in place.seen or final or place.state.engine.settings.test_command is None:
        yield end
        return
    for look in validations(place.tree, counted=False):
        if look.passed and not open_tasks(normalise_state(place.state)):
            yield CompleteOutcome("succeeded", None, SUMMARY, look)
        else:
            yield look if choice.outcome == "succeeded" else replace(end, checked=look)


def check_choice(place: Place, choice: NextAction) -> None:
    """No action is ever chosen whose precondition fails."""
    state = normalise_state(place.state)
    assert state.status == "running"
    assert blocked_because(state, choice.action) is None
    if choice.action == "INIT":
        assert not is_initialised(state)
    elif choice.action != "COMPLETE":
        assert is_initialised(state)
        assert state.current_iteration < state.max_iterations
    if choice.action == "DEVELOP":
        ready = next_task(state)
        assert ready is not None
        assert ready.id == choice.task
        assert ready.status == "pending"
        definition = state.engine.task(ready.id)
        assert definition is not None
        assert state.skill_state is not None
        done = {t.id for t in state.skill_state.develop.tasks if t.status == "completed"}
        assert set(definition.depends_on or ()) <= done
    if choice.action == "DEBUG":
        assert needs_debugging(state)
        assert state.engine.debug_rounds < ROUNDS
    assert (choice.outcome is not None) is (choice.action == "COMPLETE")


def check_end(state: LoopState) -> None:
    """Where a loop rests, it has an end that is true; and what it would write reads back."""
    assert state.status in ("completed", "failed")
    assert (state.status == "completed") is (state.engine.outcome == "succeeded")
    if state.engine.outcome == "succeeded":
        assert measure_progress(state).overall == 100
        assert not open_tasks(state)
        assert state.engine.last_validation is not None
        assert state.engine.last_validation.passed
    assert LoopState.model_validate_json(state.model_dump_json()) == state


def land(place: Place, choice: NextAction, outcome: ActionOutcome, tree: int) -> Place:
    done = step(
        choice.action, outcome, can_write=place.can_write, usage=Usage(tokens=1),
        token=f"{place.state.current_iteration:08x}",
    )  # fmt: skip
    checked = outcome.checked if isinstance(outcome, CompleteOutcome) else outcome
    seen = place.seen | {tree} if isinstance(checked, ValidationOutcome) else place.seen
    return replace(place, state=end_action(begin_action(place.state, choice), done), tree=tree, seen=seen)


def successors(place: Place) -> list[Place]:
    choice = next_action(place.state, place.facts)
    if choice is None:
        check_end(place.state)
        return []
    check_choice(place, choice)
    return [land(place, choice, outcome, tree) for outcome, tree in outcomes(place, choice)]


Successors = Callable[[Place], list[Place]]


def longest_course(start: Place, successors: Successors = successors) -> tuple[int, int]:
    """The number of distinct states that can be reached, and the length of the longest course among them.

    Depth first, so that a course that comes back to one of its own states, and so need not end, is found.
    """
    known: dict[Hashable, int] = {}
    on_course = {start.key()}
    stack: list[tuple[Hashable, list[Place], list[int]]] = [(start.key(), successors(start), [])]
    while stack:
        key, todo, lengths = stack[-1]
        if not todo:
            stack.pop()
            on_course.discard(key)
            known[key] = 1 + max(lengths) if lengths else 0
            if stack:
                stack[-1][2].append(known[key])
            continue
        place = todo.pop()
        following = place.key()
        assert following not in on_course, f"a course that need not end: {place}"
        if following in known:
            lengths.append(known[following])
        else:
            on_course.add(following)
            stack.append((following, successors(place), []))
    return len(known), known[start.key()]


def fresh(limit: int, *, tokens: int | None = None) -> LoopState:
    state = loop("running", max_iterations=limit)
    return engine(state, settings=RunSettings(mode="auto"), budget=Budget(max_tokens=tokens))


def given_tasks(limit: int) -> LoopState:
    return engine(fresh(limit), tasks=(task("T0"), task("T1", order=1, depends_on=("T0",))))


def taken_over(limit: int) -> LoopState:
    """Green by the word of another process, which this one has to look at again."""
    tasks = (DevelopTask(id="T0", description="do T0", status="completed", created_at=AT),)
    skill = SkillState(
        last_action="VALIDATE",
        completed_actions=("INIT", "DEVELOP", "VALIDATE"),
        develop=Develop(tasks=tasks, total=1, completed=1),
    ).evolve(validate_=Validate(passed=True, test_results=(result("g"),)))
    last = LastValidation(tree="t0", left="t0", passed=True, at=AT, tests=1)
    state = engine(fresh(limit), tasks=(task("T0"),), last_validation=last, tests_found=True)
    return engine(state, settings=RunSettings(mode="auto", test_command="pytest")).evolve(skill_state=skill)


COURSES: dict[str, tuple[LoopState, bool]] = {
    "an agent that writes": (fresh(4), True),
    "an agent that only debugs": (fresh(5), False),
    "two tasks of the API's": (given_tasks(4), True),
    "a loop taken over": (taken_over(5), False),
    "a loop taken over by a writer": (taken_over(3), True),
    "a budget": (fresh(5, tokens=4), True),
}
"""The limits are chosen so that all of them together take seconds; higher ones were run by hand."""


@pytest.mark.parametrize(("state", "can_write"), COURSES.values(), ids=COURSES.keys())
def test_every_course_ends_within_its_bound_and_rightly(state: LoopState, can_write: bool) -> None:
    states, longest = longest_course(Place(state, can_write))
    assert states > 300, "the check has lost its world"
    assert longest <= state.max_iterations + UNCOUNTED


@settings(max_examples=examples(120))
@given(st.data(), st.sampled_from([fresh, given_tasks, taken_over]), st.integers(1, 30), st.booleans())
def test_long_random_courses_end_within_the_bound_too(
    data: st.DataObject, begin: Callable[[int], LoopState], limit: int, can_write: bool
) -> None:
    place, taken = Place(begin(limit), can_write), 0
    while following := successors(place):
        place, taken = data.draw(st.sampled_from(following)), taken + 1
        assert taken <= limit + UNCOUNTED
    assert place.state.status in ("completed", "failed")


def test_the_check_would_see_a_course_that_never_ends() -> None:
    def round_and_round(place: Place) -> list[Place]:
        return [replace(place, tree=(place.tree + 1) % TREES)]

    with pytest.raises(AssertionError, match="need not end"):
        longest_course(Place(fresh(3), True), round_and_round)
