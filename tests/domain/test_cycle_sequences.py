"""Random courses of a cycle: whatever the roles come back with, it ends, and the rules hold all the way."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.cycle_names import NEEDS_AGENT, CycleStep
from loopwright.core.outcomes import ActionFailed, Change, Interrupted
from loopwright.workflows.cycle.commands import decide, extend, pause, resolve, resume, stop
from loopwright.workflows.cycle.model import CycleState, PlanTask
from loopwright.workflows.cycle.outcomes import CycleOutcome, ImplementationOutcome, PlanOutcome
from loopwright.workflows.cycle.reducer import begin_step
from loopwright.workflows.cycle.selector import CycleFacts, select_ready
from loopwright.workflows.cycle.standing import derive_standing, steps_under_way, tasks_overlap
from tests.domain.cycle_making import AT, ended, judged, report, running, task, usual
from tests.tiers import examples

TASKS = (
    task("TASK-001", "a.py"), task("TASK-002", "b.py", after=["TASK-001"]), task("TASK-003", "a.py", "c.py"),
    task("TASK-004"),
)  # fmt: skip
MOST_STEPS = 300


def outcome(data: st.DataObject, step: CycleStep, tree: str) -> CycleOutcome:
    if step.name == "aggregation":
        return usual(step)
    kind = data.draw(st.sampled_from(("well", "well", "well", "fails", "broken off", "blocks", "asks")))
    if kind == "fails":
        return ActionFailed("it did not work")
    if kind == "broken off":
        return Interrupted("killed")
    if step.name == "cd.implement":
        blockers = [{"description": f"{step.task} needs a key"}] if kind == "blocks" else []
        decisions = [{"description": "which?", "options": ["a", "b"], "tasks": [step.task]}] if kind == "asks" else []
        words = report("cd", blockers=blockers, decisions=decisions)
        return ImplementationOutcome(words, kind == "well", (Change("a.py", "modify"),))
    if step.name == "ep.plan":
        return PlanOutcome(report("ep"), TASKS)
    if step.name == "vas.validate":
        return judged(*(["t.py::test_x"] if kind == "blocks" else []), tree=tree)
    return usual(step)


def check(state: CycleState) -> None:
    busy = steps_under_way(state)
    assert sum(step.name in NEEDS_AGENT for step in busy) <= state.engine.parallel
    assert len(set(busy)) == len(busy)
    at_work = [t for t in (state.plan.tasks if state.plan else ()) if t.status == "in_progress"]
    assert {t.id for t in at_work} == {step.task for step in busy if step.name == "cd.implement"}
    assert not any(tasks_overlap(a, b) for n, a in enumerate(at_work) for b in at_work[n + 1 :])
    assert derive_standing(state) == state, "whatever follows from the facts has followed already"
    assert CycleState.model_validate_json(state.model_dump_json()) == state


def interfered(data: st.DataObject, state: CycleState) -> CycleState:
    """What a person does meanwhile."""
    what = data.draw(st.sampled_from(("nothing",) * 8 + ("extend", "pause", "decide", "resolve")))
    coordination = state.coordination
    if what == "extend" and len(state.task_history) + len(state.engine.queue) < 4:
        return extend(state, "and one thing more", AT)
    if what == "pause":
        return resume(pause(state), live=True)
    if what == "decide" and coordination.undecided:
        return decide(state, coordination.undecided[0].id, "a", "user")
    if what == "resolve" and coordination.open_blockers:
        return resolve(state, coordination.open_blockers[0].id, "here is the key")
    return state


@settings(max_examples=examples(40))
@given(data=st.data(), parallel=st.integers(1, 4), limit=st.integers(1, 4), interactive=st.booleans())
def test_every_course_ends_and_keeps_the_rules(
    data: st.DataObject, parallel: int, limit: int, interactive: bool
) -> None:
    state = running(parallel=parallel, max_iterations=limit, interactive=interactive)
    finished: Counter[tuple[int, str]] = Counter()
    for n in range(MOST_STEPS):
        tree = f"tree-{n // 7}"
        for step in select_ready(state, CycleFacts(tree)):
            state = begin_step(state, step, AT)
        check(state)
        busy = steps_under_way(state)
        if not busy:
            assert interactive
            assert state.coordination.undecided, "nothing to do, and nobody is asked"
            state = decide(state, state.coordination.undecided[0].id, "a", "user")
            continue
        step = data.draw(st.sampled_from(busy))
        came = outcome(data, step, tree)
        number = state.current_iteration
        state = ended(state, step, came, tree)
        if not isinstance(came, (ActionFailed, Interrupted)) and not (
            isinstance(came, ImplementationOutcome) and not came.ok
        ):
            finished[number, step.key] += 1
        check(state)
        if state.status != "running":
            break
        state = interfered(data, state)
        check(state)
    assert state.status in ("completed", "failed"), "it never ends"
    assert state.current_iteration <= state.max_iterations
    again = {key: count for (_, key), count in finished.items() if count > 1 and key != "vas.validate"}
    assert not again, "a finished phase was run twice in its iteration"
    if state.status == "completed":
        assert state.engine.last_validation is not None
        assert state.engine.last_validation.passed
        assert not state.coordination.open_blockers
        assert all(t.status == "completed" for t in (state.plan.tasks if state.plan else ()))


@given(data=st.data())
def test_stopping_ends_it_wherever_it_is(data: st.DataObject) -> None:
    state = running()
    for _ in range(data.draw(st.integers(0, 12))):
        for step in select_ready(state, CycleFacts("T")):
            state = begin_step(state, step, AT)
        if state.status != "running" or not steps_under_way(state):
            break
        step = steps_under_way(state)[0]
        state = ended(state, step, usual(step) if step.name != "vas.validate" else judged(tree="T"), "T")
    if state.status == "running":
        state = stop(state, AT)
        check(state)
        assert (state.status, state.engine.outcome) == ("failed", "stopped")
        assert state.iterations[-1].completed_at == AT
        state = extend(state, "go on with this", AT)
        check(state)
        assert state.status == "running"
        assert state.description.endswith(f"--- ITERATION {state.current_iteration} ---\ngo on with this")


def test_the_tasks_of_the_property_need_each_other() -> None:
    assert isinstance(TASKS[0], PlanTask)
    assert tasks_overlap(TASKS[0], TASKS[2])
    assert tasks_overlap(TASKS[3], TASKS[1])
