"""Blockers and decisions: what they hold, who settles them, and what follows."""

import pytest

from loopwright.core.cycle_names import CycleStep
from loopwright.workflows.cycle.commands import decide
from loopwright.workflows.cycle.coordination import (
    AUTO,
    MOST_OPEN,
    add_blocker,
    add_report,
    apply_decisions,
    decide_automatically,
)
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.outcomes import PlanOutcome
from loopwright.workflows.cycle.plan import make_plan
from loopwright.workflows.cycle.standing import is_held
from tests.domain.cycle_making import AT, begun, ended, report, running, task, usual

TASK, OTHER = "cd.implement TASK-001", "cd.implement TASK-002"
DONE = "TASK-003"


def working(*, interactive: bool = True) -> CycleState:
    state = running(interactive=interactive)
    plan = make_plan(None, [task("TASK-001", "a.py"), task("TASK-002", "b.py"), task(DONE, "c.py")], (), "1.0.0", AT)
    tasks = tuple(one.evolve(status="completed") if one.id == DONE else one for one in plan.tasks)
    return state.evolve(plan=plan.evolve(tasks=tasks))


BLOCKERS: list[tuple[str, CycleStep, list[str], tuple[str, ...]]] = [
    ("of a task, without ids", CycleStep("cd.implement", "TASK-001"), [], (TASK,)),
    ("of a task, naming another", CycleStep("cd.implement", "TASK-001"), ["TASK-002"], (OTHER,)),
    ("of a task, naming one that is done", CycleStep("cd.implement", "TASK-001"), [DONE], (TASK,)),
    ("of a task, inventing one", CycleStep("cd.implement", "TASK-001"), ["TASK-999", "../x"], (TASK,)),
    ("of a role, without ids", CycleStep("ra.analyse"), [], ()),
    ("of a role, inventing one", CycleStep("ep.plan"), ["TASK-999"], ()),
    ("of a role, naming two", CycleStep("ep.plan"), ["TASK-001", "TASK-002"], (TASK, OTHER)),
]


@pytest.mark.parametrize(("what", "step", "ids", "held"), BLOCKERS, ids=[row[0] for row in BLOCKERS])
def test_what_a_blocker_holds(what: str, step: CycleStep, ids: list[str], held: tuple[str, ...]) -> None:
    words = report(step.role or "ra", blockers=[{"description": "no key", "tasks": ids}])
    state = add_report(working(), words, step)
    assert [(b.id, b.status, b.reported_by) for b in state.coordination.blockers] == [("BLK-001", "open", step.role)]
    assert state.engine.holds.get("BLK-001", ()) == held
    assert all(is_held(state, key) for key in held)


DECISIONS: list[tuple[str, CycleStep, list[str], tuple[str, ...]]] = [
    ("of ra: the plan", CycleStep("ra.analyse"), [], ("ep.plan",)),
    ("of exploration: the plan", CycleStep("ep.explore"), [], ("ep.plan",)),
    ("of the plan: every task that is open", CycleStep("ep.plan"), [], (TASK, OTHER)),
    ("of the plan: the task it names", CycleStep("ep.plan"), ["TASK-002"], (OTHER,)),
    ("of a task: itself", CycleStep("cd.implement", "TASK-001"), [], (TASK,)),
    ("of vas: nothing", CycleStep("vas.validate"), [], ()),
]


@pytest.mark.parametrize(("what", "step", "ids", "held"), DECISIONS, ids=[row[0] for row in DECISIONS])
def test_what_waits_for_a_decision(what: str, step: CycleStep, ids: list[str], held: tuple[str, ...]) -> None:
    words = report(step.role or "ra", decisions=[{"description": "which?", "options": ["a", "b"], "tasks": ids}])
    state = add_report(working(), words, step)
    assert state.engine.holds.get("DEC-001", ()) == held
    assert all(is_held(state, key) for key in held)
    made = decide(state, "DEC-001", "b", "user")
    assert not any(is_held(made, key) for key in held)
    for key in held:
        assert apply_decisions(made, key).coordination.pending_decisions[0].status == "implemented"
    assert apply_decisions(made, "ra.analyse") is made


@pytest.mark.parametrize(
    ("options", "recommended", "chosen"),
    [(["a", "b"], "b", "b"), (["a", "b"], "", "a"), ([], "", "as the role sees fit")],
)
def test_nobody_is_asked_in_auto(options: list[str], recommended: str, chosen: str) -> None:
    asked = {"description": "which?", "options": options, "recommended": recommended}
    state = add_report(working(interactive=False), report("ra", decisions=[asked]), CycleStep("ra.analyse"))
    (decision,) = state.coordination.pending_decisions
    assert (decision.status, decision.chosen_option, decision.made_by) == ("made", chosen, AUTO)
    later = decide_automatically(add_report(working(), report("ra", decisions=[asked]), CycleStep("ra.analyse")))
    assert later.coordination.pending_decisions == (decision,), "also one that was to be asked until now"


def test_the_same_is_not_asked_twice_and_a_flood_ends() -> None:
    step = CycleStep("ra.analyse")
    words = report("ra", blockers=[{"description": "no key"}], decisions=[{"description": "which?"}])
    state = add_report(add_report(working(), words, step), words, step)
    assert (len(state.coordination.blockers), len(state.coordination.pending_decisions)) == (1, 1)
    for n in range(MOST_OPEN + 10):
        state = add_blocker(state, f"blocker {n}", "cd", ())
        more = report("ra", decisions=[{"description": f"decision {n}"}])
        state = add_report(state, more, step)
    assert (len(state.coordination.blockers), len(state.coordination.pending_decisions)) == (MOST_OPEN, MOST_OPEN)
    assert len({b.id for b in state.coordination.blockers}) == MOST_OPEN


def test_a_task_is_blocked_while_something_open_names_it() -> None:
    state = begun(running())
    for step in (CycleStep("vas.baseline"), CycleStep("ra.analyse"), CycleStep("ep.explore")):
        state = ended(state, step, usual(step))
    words = report("ep", blockers=[{"description": "no key", "tasks": ["TASK-001"]}])
    plan = PlanOutcome(words, (task("TASK-001", "a.py"), task("TASK-002", "b.py")))
    state = ended(begun(state), CycleStep("ep.plan"), plan)
    assert state.plan is not None
    assert [one.status for one in state.plan.tasks] == ["blocked", "pending"]
