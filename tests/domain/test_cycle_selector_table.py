"""The table of ready steps, read row by row."""

import pytest

from loopwright.core.cycle_names import CycleStep
from loopwright.core.outcomes import ActionFailed
from loopwright.core.state import Budget
from loopwright.workflows.cycle.model import CycleState, PlanTask
from loopwright.workflows.cycle.outcomes import PlanOutcome
from loopwright.workflows.cycle.selector import CycleFacts, select_ready
from loopwright.workflows.cycle.standing import steps_under_way, tasks_overlap
from tests.domain.cycle_making import TREE, begun, ended, judged, report, running, task, usual

FACTS = CycleFacts(TREE)
ANALYSE, EXPLORE, PLAN = CycleStep("ra.analyse"), CycleStep("ep.explore"), CycleStep("ep.plan")
BASELINE, VALIDATE, AGGREGATION = CycleStep("vas.baseline"), CycleStep("vas.validate"), CycleStep("aggregation")


def keys(steps: tuple[CycleStep, ...]) -> set[str]:
    return {step.key for step in steps}


def test_a_new_cycle_begins_with_all_that_needs_no_other() -> None:
    assert keys(select_ready(running(), FACTS)) == {"vas.baseline", "ra.analyse", "ep.explore"}


def test_one_agent_at_once_where_only_one_may_be() -> None:
    state = running(parallel=1)
    assert keys(select_ready(state, FACTS)) == {"vas.baseline", "ra.analyse"}
    assert keys(select_ready(begun(state), FACTS)) == set()
    assert keys(select_ready(ended(begun(state), ANALYSE, usual(ANALYSE)), FACTS)) == {"ep.explore"}


def test_roles_without_a_model_wait_for_what_is_measured() -> None:
    facts = CycleFacts(TREE, frozenset({"ra", "ep", "cd", "vas"}))
    state = running()
    assert keys(select_ready(state, facts)) == {"vas.baseline"}
    state = ended(begun(running()), BASELINE, usual(BASELINE))
    assert keys(select_ready(state.evolve(engine=state.engine.evolve(under_way=())), facts)) == {
        "ra.analyse",
        "ep.explore",
    }


def test_the_plan_waits_for_requirements_and_exploration() -> None:
    state = ended(begun(running()), ANALYSE, usual(ANALYSE))
    assert "ep.plan" not in keys(select_ready(state, FACTS))
    state = ended(state, EXPLORE, usual(EXPLORE))
    assert keys(select_ready(state, FACTS)) == {"ep.plan"}


def test_a_role_that_failed_twice_is_settled_and_the_others_go_on() -> None:
    state = ended(begun(running()), EXPLORE, ActionFailed("no"))
    assert "ep.explore" in keys(select_ready(state, FACTS))
    state = ended(begun(state), EXPLORE, ActionFailed("no again"))
    assert "ep.explore" not in keys(select_ready(state, FACTS))
    assert state.agents.ep.status == "failed"
    assert state.agents.ep.error == "no again"
    assert "ep.plan" in keys(select_ready(ended(state, ANALYSE, usual(ANALYSE)), FACTS))


def at_code(*tasks: PlanTask, parallel: int = 4) -> CycleState:
    """A cycle whose plan is settled, and whose tests have been run."""
    state = begun(running(parallel=parallel))
    for step in (BASELINE, ANALYSE, EXPLORE):
        state = ended(state, step, usual(step))
    return ended(begun(state), PLAN, PlanOutcome(report("ep"), tasks))


def test_tasks_run_side_by_side_unless_they_share_a_file_or_wait() -> None:
    tasks = (
        task("TASK-001", "a.py"),
        task("TASK-002", "b.py"),
        task("TASK-003", "b.py"),
        task("TASK-004", "d.py", after=["TASK-001"]),
    )
    state = at_code(*tasks)
    assert keys(select_ready(state, FACTS)) == {"cd.implement TASK-001", "cd.implement TASK-002"}
    state = ended(begun(state), CycleStep("cd.implement", "TASK-002"), usual(CycleStep("cd.implement", "TASK-002")))
    assert keys(select_ready(state, FACTS)) == {"cd.implement TASK-003"}
    state = ended(begun(state), CycleStep("cd.implement", "TASK-001"), usual(CycleStep("cd.implement", "TASK-001")))
    assert keys(select_ready(state, FACTS)) == {"cd.implement TASK-004"}


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (("a.py",), ("b.py",), False), (("a.py",), ("a.py", "b.py"), True), ((), ("a.py",), True),
        (("src",), ("src/a.py",), True), (("src/",), ("src/a.py",), True), (("src/a",), ("src/ab.py",), False),
    ],
)  # fmt: skip
def test_what_counts_as_the_same_file(one: tuple[str, ...], other: tuple[str, ...], shared: bool) -> None:
    assert tasks_overlap(task("A", *one), task("B", *other)) is shared
    assert tasks_overlap(task("B", *other), task("A", *one)) is shared


def test_validation_waits_for_every_task_and_runs_again_on_another_tree() -> None:
    state = begun(at_code(task("TASK-001", "a.py")))
    assert keys(select_ready(state, FACTS)) == set()
    state = ended(state, CycleStep("cd.implement", "TASK-001"), usual(CycleStep("cd.implement", "TASK-001")))
    assert keys(select_ready(state, FACTS)) == {"vas.validate"}
    state = ended(begun(state), VALIDATE, judged())
    assert keys(select_ready(state, FACTS)) == {"aggregation"}
    assert keys(select_ready(state, CycleFacts("another tree"))) == {"vas.validate"}


def test_a_used_up_budget_lets_nothing_begin_but_a_validation_and_the_end() -> None:
    state = begun(running())
    spent = state.evolve(engine=state.engine.evolve(budget=Budget(max_tokens=10, tokens=10)))
    assert select_ready(spent, FACTS) == ()
    for step in steps_under_way(state):
        spent = ended(spent, step, usual(step))
    assert keys(select_ready(spent, FACTS)) == {"vas.validate"}
    spent = ended(begun(spent), VALIDATE, judged())
    assert keys(select_ready(spent, FACTS)) == {"aggregation"}


def test_nothing_is_ready_between_two_iterations() -> None:
    assert select_ready(running().evolve(iterations=(), current_iteration=0), FACTS) == ()
